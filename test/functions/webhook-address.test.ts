import { describe, expect, inject, it } from 'vitest'
import { call, makeSite, type TestSite } from '../support/site.ts'
import { deliveries, received } from '../support/webhook.ts'

const { hostname, port } = new URL(inject('receiver'))

async function sendTest(site: TestSite): Promise<unknown> {
  return (await call('/api/v1/webhooks/test', { method: 'POST', key: site.key })).json()
}

describe('a URL that must not be called', () => {
  it.each([
    ['http://acme.com/', 'must use https'],
    ['https://acme.com:6379/', 'must use port 443 or 8443'],
    ['https://user@acme.com/', 'must not carry a user or a password'],
    ['https://0xA9FEA9FE/latest/meta-data/', 'must not be an IP address'],
    ['https://[::ffff:10.0.0.1]/', 'must not be an IP address'],
    ['https://metadata/', 'must be a fully qualified host name'],
    ['https://metadata.google。internal./', 'must not be a local or private name'],
    ['https://-.acme.com/', 'must be a valid host name'],
    ['acme.com', 'must be an absolute URL of at most 2048 characters'],
  ])('%s is refused: it %s', async (url, rule) => {
    const site = await makeSite()
    const refusal = { status: 400, body: { error: `Invalid body: url ${rule}` } }
    expect(await site.tryManage('PUT', '/webhook', { url })).toMatchObject(refusal)
    expect((await site.tryManage('GET', '/webhook')).status).toBe(404)
  })

  it('leaves the previous URL in place', async () => {
    const site = await makeSite()
    const { url } = await site.manage('PUT', '/webhook', { url: 'https://hooks.acme.com/' })
    expect((await site.tryManage('PUT', '/webhook', { url: 'https://10.0.0.1/' })).status).toBe(400)
    expect(await site.manage('GET', '/webhook')).toMatchObject({ url })
  })
})

describe('a POST', () => {
  it.each([
    (path: string) => `http:${hostname}:${port}${path}`,
    (path: string) => `http:\\\\127.1:${port}${path.replaceAll('/', '\\')}`,
    (path: string) => `http://0x7f000001:${port}${path}`,
    (path: string) => `http://127。0。0。1:${port}${path}`,
    (path: string) => `HTTP://LocalHost:0${port}${path}#@10.0.0.1`,
    (path: string) => ` http://127.0.\n0.1:${port}${path}\t`,
  ])('goes to the host that was checked, however it is spelt: %s', async (spell) => {
    const site = await makeSite()
    const url = spell(`/${site.id}/ok`)
    await site.manage('PUT', '/webhook', { url })
    expect(await sendTest(site)).toEqual({ ok: true, status: 200, delivered: true })
    expect(await received(site)).toMatchObject([{ path: `/${site.id}/ok` }])
    expect(await deliveries(site)).toMatchObject([{ url: new URL(url).href, status: 200 }])
  })
})
