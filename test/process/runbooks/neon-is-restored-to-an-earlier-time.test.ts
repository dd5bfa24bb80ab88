/** Steps 1 to 5 of the runbook, with copies of the database in place of Neon's branches: the connection strings stay. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createClient, memoryStore } from '../../../src/sdk/client.ts'
import { startCountingReceiver } from '../../support/counting-receiver.ts'
import { query } from '../../support/databases.ts'
import { ownersShell, RESTORE_STEPS } from '../../support/restore-steps.ts'
import { type Service, startService, type WorkerService } from '../../support/service.ts'

type Post = { title: string }

const server = inject('server')!
const AFTER_RESTORE = readFileSync(join(import.meta.dirname, '../../../drizzle/after-restore.sql'), 'utf8')

let service: Service
let other: WorkerService
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>

beforeAll(async () => {
  service = await startService()
  other = await service.startAnother()
  receiver = await startCountingReceiver((_, response) => response.writeHead(204).end())
})

afterAll(async () => {
  receiver?.close()
  await query(server, `drop database if exists ${nameOf()}_earlier with (force)`)
  await service?.stop()
})

it('the steps of the page, with Redis, caches and pollers that are ahead', async () => {
  const site = await service.makeSite()
  const kept = await service.manage<{ id: string; key: string }>('POST', `${site.path}/keys`, {
    name: 'kept',
  })
  await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url, events: ['post.published'] })
  await put(service, site.path, 'a', 'Before')
  await put(service, site.path, 'deleted', 'Before')
  await expect.poll(() => receiver.posts.size).toBe(2)
  await keepAsItIs()

  // Lost: an edit, a post with its sent event, a deletion, a site, a new key and a revoked one.
  await put(service, site.path, 'a', 'Lost')
  await put(service, site.path, 'lost', 'Lost')
  await service.manage('DELETE', `${site.path}/posts/deleted`)
  const lostSite = await service.makeSite()
  const lostKey = await service.manage<{ key: string }>('POST', `${site.path}/keys`, { name: 'lost' })
  await service.manage('PUT', `${site.path}/keys/${kept.id}/revocation`)
  await expect.poll(() => receiver.posts.size).toBe(3)
  const clientOf = ({ origin }: WorkerService) =>
    createClient({ url: `${origin}/api/v1`, site: site.id, key: site.key })
  const copy = memoryStore()
  await clientOf(service).sync(copy)
  expect(await titlesIn(copy)).toEqual(['a: Lost', 'lost: Lost'])
  const list = (worker: WorkerService, key: string, path = site.path, etag = '') =>
    fetch(`${worker.origin}/api/v1${path}/posts`, {
      headers: { Authorization: `Bearer ${key}`, 'If-None-Match': etag },
    })
  const tags: string[] = []
  for (const worker of [service, other]) {
    tags.push((await list(worker, site.key)).headers.get('ETag')!)
    expect((await list(worker, lostKey.key)).status).toBe(200)
    expect((await list(worker, lostSite.key, lostSite.path)).status).toBe(200)
  }

  // 1. Maintenance. The Workers from before have no traffic, but are reused later as isolates that have cached what is lost.
  const closed = await service.startAnother({ vars: { MAINTENANCE: 'true' } })
  const refused = await list(closed, site.key)
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '60'])
  await closed.cron()
  // 2. Neon.
  await restore()
  // 4. Steps 4 to 7 of the restore.
  const run = ownersShell(service.database!, `${nameOf()}_worker`)
  for (const step of RESTORE_STEPS.slice(1)) expect(run(step), step).toMatchObject({ status: 0 })
  await closed.stop()
  // Step 9.
  await service.admin('sweep')

  for (const worker of [service, other, await service.startAnother()]) {
    for (const etag of ['', ...tags]) {
      const answer = await list(worker, site.key, site.path, etag)
      const { items } = (await answer.json()) as { items: Post[] }
      expect(items.map(({ title }) => title)).toEqual(['Before', 'Before'])
    }
    expect((await list(worker, lostKey.key)).status).toBe(401)
    // Revived, so the page says to revoke it again.
    expect((await list(worker, kept.key)).status).toBe(200)
  }
  // The page allows 65 minutes for a site that is gone.
  expect([200, 401]).toContain((await list(other, lostSite.key, lostSite.path)).status)
  await service.manage('PUT', `${site.path}/keys/${kept.id}/revocation`)
  expect((await list(other, kept.key)).status).toBe(401)

  // A poller whose cursor is ahead misses what was lost, and nothing later. A new copy is right.
  const anew = memoryStore()
  await clientOf(other).sync(anew)
  expect(await titlesIn(anew)).toEqual(['a: Before', 'deleted: Before'])
  await put(service, site.path, 'later', 'Later')
  for (const each of [copy, anew]) await clientOf(other).sync(each)
  expect(await titlesIn(copy)).toEqual(['a: Lost', 'later: Later', 'lost: Lost'])
  expect(await titlesIn(anew)).toEqual(['a: Before', 'deleted: Before', 'later: Later'])

  // No event twice.
  await expect.poll(() => receiver.posts.size).toBe(4)
  await service.cron()
  expect([...receiver.posts.values()]).toEqual([1, 1, 1, 1])
})

const put = (worker: WorkerService, path: string, slug: string, title: string) =>
  worker.manage('PUT', `${path}/posts/${slug}`, { title, contentHtml: '<p>Words.</p>', status: 'published' })

async function titlesIn(store: ReturnType<typeof memoryStore>) {
  const titles: string[] = []
  for await (const { content } of store.list()) titles.push(`${content.slug}: ${content.title}`)
  return titles.sort()
}

describe('a database that is restored to an earlier point', () => {
  it('never reuses a version: later writes are never answered by 304 or an old body', async () => {
    const site = await service.makeSite()
    const read = async ({ origin }: WorkerService, etag = '') => {
      const response = await fetch(`${origin}/api/v1${site.path}/posts/a`, {
        headers: { Authorization: `Bearer ${site.key}`, 'If-None-Match': etag },
      })
      const text = await response.text()
      return { etag: response.headers.get('ETag')!, title: text && JSON.parse(text).title }
    }
    const put = (title: string) =>
      service.manage('PUT', `${site.path}/posts/a`, { title, contentHtml: '<p>Words.</p>' })
    await put('Kept')
    await keepAsItIs()
    await put('Lost')
    const lost = [await read(service), await read(other)]
    expect(lost.map(({ title }) => title)).toEqual(['Lost', 'Lost'])

    await restore()
    await service.manage('POST', '/sweep')
    expect(await read(service, lost[0]!.etag)).toMatchObject({ title: 'Kept' })
    await put('Written after it')
    expect(await read(service, lost[0]!.etag)).toMatchObject({ title: 'Written after it' })
    expect(await read(other, lost[1]!.etag)).toMatchObject({ title: 'Written after it' })
  })

  it('is read as it is, whatever isolates and clients have cached at the restored version', async () => {
    const site = await service.makeSite()
    const read = async ({ origin }: WorkerService, etag = '', query = '') => {
      const response = await fetch(`${origin}/api/v1${site.path}/posts${query}`, {
        headers: { Authorization: `Bearer ${site.key}`, 'If-None-Match': etag },
      })
      const text = await response.text()
      return {
        etag: response.headers.get('ETag')!,
        titles: text && JSON.parse(text).items.map((post: Post) => post.title),
      }
    }
    const one = { title: 'one', contentHtml: '<p>Words.</p>', status: 'published' }
    await service.manage('PUT', `${site.path}/posts/a`, one)
    await keepAsItIs()
    for (const worker of [service, other]) await read(worker, '', '?pageSize=1')
    // Neither Redis nor the Workers know about it, so that they request the version from before.
    await service.sql(`update posts set title = 'two' where site_id = '${site.id}'`)
    const two = [await read(service), await read(other)]
    expect(two.map(({ titles }) => titles)).toEqual([['two'], ['two']])
    /** In milliseconds: the `lastmod` of a sitemap's files. */
    const fileDate = async () => {
      const { rows } = await service.sql(`select published_version from sites where id = '${site.id}'`)
      return Number((rows[0] as { published_version: string }).published_version)
    }
    const lost = await fileDate()

    await restore()
    await query(service.database!, AFTER_RESTORE)
    // Crawlers read the restored content again.
    expect((await fileDate()) > lost).toBe(true)
    await service.manage('POST', '/sweep')
    for (const worker of [service, other]) {
      expect((await read(worker)).titles).toEqual(['one'])
      for (const { etag } of two) expect((await read(worker, etag)).titles).toEqual(['one'])
    }
  })

  it('does not resend events that were sent since', async () => {
    const site = await service.makeSite()
    await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url })
    const { rows } =
      await service.sql(`insert into webhook_events (site_id, endpoint_id, event, payload, created_at)
      values ('${site.id}', '${site.id}', 'webhook.test', '{}', now() - interval '1 minute') returning id`)
    const { id } = rows[0] as { id: string }
    await keepAsItIs()
    await service.manage('POST', '/sweep')
    await expect.poll(() => receiver.posts.get(id)).toBe(1)

    await restore()
    await query(service.database!, AFTER_RESTORE)
    await service.manage('POST', '/sweep')
    const log = await service.manage<{ items: object[] }>('GET', `${site.path}/deliveries`)
    expect(log.items).toMatchObject([{ eventId: id, error: 'interrupted' }])
    expect(receiver.posts.get(id)).toBe(1)
  })

  it('publishes posts that became due since at once, with one event', async () => {
    const site = await service.makeSite()
    const post = { title: 'Due', contentHtml: '<p>Words.</p>' }
    await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url, events: ['post.published'] })
    await service.manage('PUT', `${site.path}/posts/a`, post)
    const publishAt = new Date(Date.now() + 3_000).toISOString()
    await service.manage('PUT', `${site.path}/posts/a/publication-schedule`, { publishAt })
    await keepAsItIs()
    const stored = () => service.manage<{ post: Record<string, unknown> }>('GET', `${site.path}/posts/a`)
    await expect
      .poll(async () => {
        await service.cron()
        return (await stored()).post.status
      })
      .toBe('published')

    await restore()
    await query(service.database!, AFTER_RESTORE)
    expect((await stored()).post).toMatchObject({ status: 'draft' })
    await service.manage('POST', '/sweep')
    await service.cron()
    expect((await stored()).post).toMatchObject({ status: 'published', publishedAt: publishAt })
    const { items } = await service.manage<{ items: { id: string }[] }>('GET', `${site.path}/events`)
    expect(items).toHaveLength(1)
    await expect.poll(() => receiver.posts.get(items[0]!.id)).toBe(1)
  })
})

const nameOf = () => new URL(service.database!).pathname.slice(1)

async function keepAsItIs() {
  const name = nameOf()
  await copyDatabase(name, `${name}_earlier`)
}

/** Replaces the database by the copy while the Workers run. */
async function restore() {
  const name = nameOf()
  await copyDatabase(`${name}_earlier`, name)
}

async function copyDatabase(from: string, to: string) {
  await query(server, `drop database if exists ${to} with (force)`)
  await query(server, `alter database ${from} allow_connections false`)
  await query(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${from}'`)
  await query(server, `create database ${to} template ${from}`)
  await query(server, `alter database ${from} allow_connections true`)
}
