/** Each command of the table, on one of two Workers: the next request is refused by both. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verify } from '../../../src/sdk/webhooks.ts'
import { startCountingReceiver } from '../../support/counting-receiver.ts'
import { follow } from '../../support/runbook.ts'
import { type Service, startService, type WorkerService } from '../../support/service.ts'

let service: Service
let workers: WorkerService[]
let site: Awaited<ReturnType<Service['makeSite']>>

beforeAll(async () => {
  service = await startService()
  workers = [service, await service.startAnother()]
  site = await service.makeSite()
  await service.manage('PUT', `${site.path}/posts/draft`, { title: 'Draft', contentHtml: '<p>Words.</p>' })
})

afterAll(() => service?.stop())

async function statuses(path: string, headers: Record<string, string>) {
  const responses = await Promise.all(
    workers.map(({ origin }) => fetch(origin + path, { headers, redirect: 'manual' })),
  )
  return responses.map(({ status }) => status)
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
const posts = (key: string) => statuses(`/api/v1${site.path}/posts`, bearer(key))
const asOperator = (token: string) => statuses('/manage/v1/operator', bearer(token))
const inConsole = (cookie: string) => statuses('/console/overview', { Cookie: cookie })

/** A person with a token and a session in the console. */
async function makePerson(name: string) {
  const { tokens } = JSON.parse(await service.admin(`--json operator add ${name} --role editor`))
  const { token } = tokens[0]
  const response = await fetch(`${service.origin}/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: service.origin },
    body: new URLSearchParams({ token }),
  })
  const [cookie] = response.headers.getSetCookie()[0]!.split(';')
  return { name, token, cookie: cookie! }
}

it('an API key', async () => {
  const { key } = await follow(service, 'key create SITE --name …', { SITE: site.id, '…': 'new' })
  const { items } = await follow(service, 'key list SITE', { SITE: site.id })
  expect(await posts(site.key)).toEqual([200, 200])
  const leaked = items.find(({ name }: { name: string }) => name === 'test')
  await follow(service, 'key revoke SITE ID', { SITE: site.id, ID: leaked.id })
  expect(await posts(site.key)).toEqual([401, 401])
  expect(await posts(key)).toEqual([200, 200])
})

it("an operator's token, with its sessions", async () => {
  const { name, token, cookie } = await makePerson('ada')
  expect(await asOperator(token)).toEqual([200, 200])
  expect(await inConsole(cookie)).toEqual([200, 200])
  await follow(service, 'operator revoke NAME LAST4', { NAME: name, LAST4: token.slice(-4) })
  expect(await asOperator(token)).toEqual([401, 401])
  expect(await inConsole(cookie)).toEqual([303, 303])
})

it("a person's account: the sessions, then the person", async () => {
  const { name, token, cookie } = await makePerson('bob')
  await follow(service, 'operator sessions NAME --end-all', { NAME: name })
  expect(await inConsole(cookie)).toEqual([303, 303])
  await follow(service, 'operator remove NAME', { NAME: name })
  expect(await asOperator(token)).toEqual([401, 401])
})

it("a webhook's secret: a receiver with the new one accepts, one with the old one does, too", async () => {
  const received: Parameters<typeof verify>[0][] = []
  const receiver = await startCountingReceiver((body, response, headers) => {
    received.push({ body, headers })
    response.writeHead(204).end()
  })
  const { secret: leaked } = await service.manage<{ secret: string }>('PUT', `${site.path}/webhook`, {
    url: receiver.url,
  })
  const { secret } = await follow(service, 'webhook rotate SITE', { SITE: site.id })
  expect(secret).not.toBe(leaked)
  const { key } = await service.manage<{ key: string }>('POST', `${site.path}/keys`, { name: 'tester' })
  await fetch(`${service.origin}/api/v1/webhooks/test`, { method: 'POST', headers: bearer(key) })
  await expect.poll(() => received.length).toBe(1)
  // So the receiver has to reject the old one by itself.
  for (const each of [leaked, secret]) await verify(received[0]!, each)
  receiver.close()
})

it('a preview link', async () => {
  const { id, token } = await service.manage<{ id: string; token: string }>(
    'POST',
    `${site.path}/posts/draft/preview-links`,
    {},
  )
  const draft = () => statuses(`/api/v1${site.path}/posts/draft`, bearer(token))
  expect(await draft()).toEqual([200, 200])
  await follow(service, 'post revoke-link SITE SLUG LINK', { SITE: site.id, SLUG: 'draft', LINK: id })
  expect(await draft()).toEqual([401, 401])
})

it("a sitemap's URL", async () => {
  const { url } = JSON.parse(await service.admin(`--json sitemap publish ${site.id}`))
  const { pathname } = new URL(url)
  expect(await statuses(pathname, {})).toEqual([200, 200])
  const renewed = await follow(service, 'sitemap renew SITE', { SITE: site.id })
  // The other process has a cache of its own, which nobody purges: at Cloudflare they share one.
  expect((await statuses(pathname, {}))[0]).toBe(404)
  expect(await statuses(new URL(renewed.url).pathname, {})).toEqual([200, 200])
})
