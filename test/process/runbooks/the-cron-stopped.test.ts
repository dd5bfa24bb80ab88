import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCountingReceiver } from '../../support/counting-receiver.ts'
import { startRedisServer } from '../../support/redis-server.ts'
import { type Service, startService } from '../../support/service.ts'

let database: Awaited<ReturnType<typeof startRedisServer>>
let service: Service
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>

beforeAll(async () => {
  database = await startRedisServer()
  service = await startService({ redisUrl: database.url })
  receiver = await startCountingReceiver((_, response) => response.writeHead(204).end())
})

afterAll(async () => {
  receiver?.close()
  await service?.stop()
  await database?.stop()
})

it.each([
  ['4. the command `sweep` does the work of a day', () => service.admin('sweep')],
  ['5. the next cron does the work of a day, and the service is healthy', () => service.cron()],
])('%s', async (_, catchUp) => {
  await service.cron()
  const site = await service.makeSite()
  await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url, events: ['post.published'] })
  await aDayWithoutCron(site)

  const response = await fetch(`${service.origin}/api/v1${site.path}/posts/early`, {
    headers: { Authorization: `Bearer ${site.key}` },
  })
  expect(await response.json()).toMatchObject({ title: 'By SQL' })
  // An isolate reuses a result for five seconds.
  await expect.poll(service.health, { interval: 1_000 }).toMatchObject({ status: 503, cron: 'failing' })

  await catchUp()
  const post = await service.manage<{ post: object }>('GET', `${site.path}/posts/late`)
  expect(post).toMatchObject({ post: { status: 'published' } })
  const { items } = await service.manage<{ items: { id: string }[] }>('GET', `${site.path}/events`)
  expect(items).toHaveLength(2)
  for (const { id } of items) await expect.poll(() => receiver.posts.get(id)).toBe(1)
  const sessions = await service.sql(`select from console_sessions where id_hash = '${site.id}'`)
  expect(sessions.rows).toEqual([])
  await service.cron()
  await expect.poll(service.health, { interval: 1_000 }).toMatchObject({ status: 200 })
})

/** A lost message, a draft that became due, SQL by hand, and an expired session. Redis has forgotten the versions and marks. */
async function aDayWithoutCron({ id, path }: { id: string; path: string }) {
  const paused = await service.startAnother({ isPaused: true })
  const post = { title: 'A', contentHtml: '<p>Words.</p>' }
  await paused.manage('PUT', `${path}/posts/early`, { ...post, status: 'published' })
  await paused.manage('PUT', `${path}/posts/late`, post)
  await paused.stop()
  await service.sql(
    `update posts set publish_at = now() - interval '23 hours' where site_id = '${id}' and slug = 'late'`,
  )
  await service.sql(`update webhook_events set created_at = now() - interval '1 day' where site_id = '${id}'`)
  await service.sql(`insert into console_sessions (id_hash, created_at, expires_at)
    values ('${id}', now() - interval '8 days', now() - interval '7.5 days')`)
  await service.sql(`set events.sending = 'none'`)
  await service.sql(`update posts set title = 'By SQL' where site_id = '${id}' and slug = 'early'`)
  await database.redis.flushall()
}
