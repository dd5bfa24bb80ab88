import { describe, expect, inject } from 'vitest'
import { call, it } from '../support/site.ts'
import { deliveries, received } from '../support/webhook.ts'

const { hostname, port } = new URL(inject('receiver'))

describe('a URL that must not be called', () => {
  it('is refused with the rule it breaks, and leaves the previous URL in place', async ({ site }) => {
    const refuse = async (url: string, rule: string) =>
      expect(await site.tryManage('PUT', '/webhook', { url })).toMatchObject({
        ...{ status: 400, body: { error: `Invalid body: url ${rule}` } },
      })
    await refuse('http://acme.com/', 'must use https')
    expect((await site.tryManage('GET', '/webhook')).status).toBe(404)
    const { url } = await site.manage('PUT', '/webhook', { url: 'https://hooks.acme.com/' })
    await refuse('https://10.0.0.1/', 'must not be an IP address')
    expect(await site.manage('GET', '/webhook')).toMatchObject({ url })
  })
})

describe('a POST', () => {
  it('goes to the host that was checked, however it is spelt', async ({ site }) => {
    const path = `/${site.id}/ok`
    const spellings = [
      `http:${hostname}:${port}${path}`,
      `http:\\\\127.1:${port}${path.replaceAll('/', '\\')}`,
      `http://0x7f000001:${port}${path}`,
      `http://127。0。0。1:${port}${path}`,
      `HTTP://LocalHost:0${port}${path}#@10.0.0.1`,
      ` http://127.0.\n0.1:${port}${path}\t`,
    ]
    for (const [at, url] of spellings.entries()) {
      await site.manage('PUT', '/webhook', { url })
      const answer = await call('/api/v1/webhooks/test', { method: 'POST', key: site.key })
      expect(await answer.json(), url).toEqual({ ok: true, status: 200, delivered: true })
      expect(await received(site), url).toHaveLength(at + 1)
      expect((await deliveries(site))[0], url).toMatchObject({ url: new URL(url).href, status: 200 })
    }
  })
})
