/** PostgreSQL with a clock of its own, and a Worker with another one. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { verify } from '../../../src/sdk/webhooks.ts'
import { startCountingReceiver } from '../../support/counting-receiver.ts'
import { hasWrongClocks, startPostgresWithClock } from '../../support/postgres-at.ts'
import { type Service, startService } from '../../support/service.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

let postgres: Awaited<ReturnType<typeof startPostgresWithClock>>
let service: Service
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>
const received: Parameters<typeof verify>[0][] = []

beforeAll(async () => {
  if (!hasWrongClocks) return
  postgres = await startPostgresWithClock()
  service = await startService({ server: postgres.url })
  receiver = await startCountingReceiver((body, response, headers) => {
    received.push({ body, headers })
    response.writeHead(204).end()
  })
})

afterAll(async () => {
  receiver?.close()
  await service?.stop()
  postgres?.stop()
})

type Site = Awaited<ReturnType<Service['makeSite']>>

const put = ({ path }: Site, slug: string, fields: object = {}) =>
  service.manage('PUT', `${path}/posts/${slug}`, { title: slug, contentHtml: '<p>Words.</p>', ...fields })
const stored = async ({ id }: Site, slug: string) => {
  const { rows } = await service.sql(
    `select status, updated_at from posts where site_id = '${id}' and slug = '${slug}'`,
  )
  const [{ status, updated_at }] = rows as [{ status: string; updated_at: string }]
  return { status, updatedAt: updated_at }
}
const list = ({ path, key }: Site, etag = '') =>
  fetch(`${service.origin}/api/v1${path}/posts`, {
    headers: { Authorization: `Bearer ${key}`, 'If-None-Match': etag },
  })
const setClock = async (offset: string) => {
  postgres.setClock(offset)
  await expect.poll(() => service.ask('GET', '/sites').then(({ status }) => status)).toBe(200)
}
const schedule = (site: Site, slug: string, ms: number) =>
  service.manage('PUT', `${site.path}/posts/${slug}/publication-schedule`, {
    publishAt: new Date(Date.now() + ms).toISOString(),
  })

it.skipIf(!hasWrongClocks)(
  '1. database behind: times rise by 1 ms a write, and drafts are late',
  async () => {
    const site = await service.makeSite()
    await put(site, 'a')
    await put(site, 'draft')
    const before = await stored(site, 'a')
    const etag = (await list(site)).headers.get('ETag')!
    await setClock('-2h')
    await put(site, 'a', { title: 'Later' })
    const after = await stored(site, 'a')
    expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt))
    expect(Date.parse(after.updatedAt)).toBeLessThan(Date.parse(before.updatedAt) + MINUTE_MS)
    const response = await list(site, etag)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Later')])
    await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url, events: ['post.published'] })
    await put(site, 'published', { status: 'published' })
    await expect.poll(() => receiver.posts.size).toBe(1)

    await service.sql(
      `update posts set publish_at = now() + interval '1 hour' where site_id = '${site.id}' and slug = 'draft'`,
    )
    await service.manage('POST', '/sweep')
    expect(await stored(site, 'draft')).toMatchObject({ status: 'draft' })
    await setClock('+0')
    await service.manage('POST', '/sweep')
    expect(await stored(site, 'draft')).toMatchObject({ status: 'published' })
  },
)

it.skipIf(!hasWrongClocks)(
  '2. database ahead: drafts are early, tokens expire, and old rows are deleted',
  async () => {
    const site = await service.makeSite()
    await put(site, 'draft')
    await schedule(site, 'draft', 100 * DAY_MS)
    const { tokens } = JSON.parse(await service.admin('--json operator add ada --role editor'))
    const asAda = async () => {
      const headers = { Authorization: `Bearer ${tokens[0].token}` }
      return (await fetch(`${service.origin}/manage/v1/operator`, { headers })).status
    }
    expect(await asAda()).toBe(200)

    await setClock('+410d')
    await service.manage('POST', '/sweep')
    expect(await stored(site, 'draft')).toMatchObject({ status: 'published' })
    expect(await asAda()).toBe(401)
    const entries = await service.sql('select from audit_log where at < now()')
    expect(entries.rows.length).toBeGreaterThan(0)
    expect((await service.sql(`select from audit_log where at < now() - interval '400 days'`)).rows).toEqual(
      [],
    )

    await setClock('+0')
    const { updatedAt } = await stored(site, 'draft')
    await put(site, 'later')
    expect(Date.parse((await stored(site, 'later')).updatedAt)).toBe(Date.parse(updatedAt) + 1)
  },
)

it.skipIf(!hasWrongClocks)(
  '3. Worker wrong: receivers reject its signatures, and accept what is resent',
  async () => {
    const shift = `{ const D = Date; globalThis.Date = class extends D {
    constructor(...a) { a.length ? super(...a) : super(D.now() + ${10 * MINUTE_MS}) }
    static now() { return D.now() + ${10 * MINUTE_MS} } } }\n`
    const site = await service.makeSite()
    const { secret } = await service.manage<{ secret: string }>('PUT', `${site.path}/webhook`, {
      url: receiver.url,
      events: ['post.published'],
    })
    const ahead = await service.startAnother({ bundle: shift + readFileSync(inject('bundle'), 'utf8') })
    received.length = 0
    await ahead.manage('PUT', `${site.path}/posts/a`, {
      title: 'A',
      contentHtml: '<p>Words.</p>',
      status: 'published',
    })
    await expect.poll(() => received.length).toBe(1)
    await expect(verify(received[0]!, secret)).rejects.toThrow('timestamp out of tolerance')
    const event = async () => {
      const { items } = await service.manage<{ items: { id: string; state: string }[] }>(
        'GET',
        `${site.path}/events`,
      )
      return items[0]!
    }
    // The Worker stores the response after the receiver has seen the event.
    await expect.poll(async () => (await event()).state).toBe('delivered')
    await ahead.stop()
    await service.admin(`event resend ${site.id} ${(await event()).id}`)
    await expect.poll(() => received.length).toBe(2)
    await verify(received[1]!, secret)
  },
)
