import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { randomFrom } from '../support/random.ts'
import { type Service, startService, type WorkerService } from '../support/service.ts'

const POSTS = 600
const seed = inject('fuzzSeed')

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
  await service?.stop()
})

it(`a due publication happens once with two Workers that are killed again and again, over connections that lose replies (FUZZ_SEED=${seed})`, async () => {
  const site = await service.makeSite()
  await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url, events: ['post.published'] })
  await service.sql(`
    insert into posts (site_id, slug, title, content_html, publish_at)
    select '${site.id}', 's' || n, 'T', '<p>Words.</p>', now() from generate_series(1, ${POSTS}) n`)
  const random = randomFrom(seed)
  service.postgres.loseReplies(0.2, random)
  other.redis.loseReplies(0.2, random)
  const waiting = async () => {
    const { rows } = await service.sql(
      `select count(*)::int as posts from posts where site_id = '${site.id}' and status = 'draft'`,
    )
    return (rows as [{ posts: number }])[0].posts
  }
  for (let tries = 0; tries < 3; tries++) {
    const crons = [service, other].map((worker) => worker.cron().catch(() => {}))
    await sleep(random() * 400)
    await service.crash()
    await Promise.all(crons)
  }
  service.postgres.loseReplies(0, random)
  other.redis.loseReplies(0, random)
  await expect
    .poll(async () => {
      await Promise.all([service.cron(), other.cron()])
      return waiting()
    })
    .toBe(0)

  const { rows } = await service.sql(`
    select count(*)::int as events, count(distinct resource_id)::int as posts from webhook_events
    where site_id = '${site.id}' and event = 'post.published'`)
  expect(rows).toEqual([{ events: POSTS, posts: POSTS }])
  const log = await service.sql(`
    select count(*)::int as entries, count(distinct resource_id)::int as posts from audit_log
    where site_id = '${site.id}' and action = 'post.published' and channel = 'schedule'`)
  expect(log.rows).toEqual([{ entries: POSTS, posts: POSTS }])
  const read = await fetch(`${other.origin}/api/v1${site.path}/posts?status=published`, {
    headers: { Authorization: `Bearer ${site.key}` },
  })
  expect(await read.json()).toMatchObject({ total: POSTS })
  expect([...receiver.posts.values()].every((count) => count === 1)).toBe(true)
})
