import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { depthOf } from '../support/depth.ts'
import { randomFrom } from '../support/random.ts'
import { type Service, startService } from '../support/service.ts'

const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
const KILLS = depthOf('workerKills')
const DRAFTS = KILLS * 150
/** One for each of two webhooks. */
const EVENTS = 2 * DRAFTS
const CLIENTS = 8
const LONGEST_POST_MS = 800
const LOST_SHARE = 0.12
const SLUGS = Array.from({ length: DRAFTS }, (_, i) => `draft-${i}`)

const random = randomFrom(SEED)
let service: Service
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>

beforeAll(async () => {
  service = await startService()
  receiver = await startCountingReceiver(async (_, response) => {
    await sleep(random() < 0.2 ? LONGEST_POST_MS * random() : 40 * random())
    response.writeHead(random() < 0.1 ? 500 : 204).end()
  })
})

afterAll(async () => {
  receiver?.close()
  await service?.stop()
})

it(`each of ${EVENTS} events of a Worker that is killed ${KILLS} times and loses replies of its database ends up in the log, and none is sent twice (seed ${SEED})`, async () => {
  const site = await siteWithDrafts()
  service.postgres.loseReplies(LOST_SHARE, random)
  await Promise.all([markAllReady(site.path), killNowAndThen()])
  await untilClosed(site)

  const events = await outcomesOf(site)
  expect(events).toHaveLength(EVENTS)
  for (const { deliveries, state, error, arrived } of events) {
    expect(deliveries).toBe(1)
    if (state === 'delivered') expect([error, arrived]).toEqual([null, 1])
    else if (error === 'http_status') expect([state, arrived]).toEqual(['failed', 1])
    else {
      expect([state, error]).toEqual(['failed', 'interrupted'])
      expect(arrived).toBeLessThanOrEqual(1)
    }
  }
})

type Site = Awaited<ReturnType<Service['makeSite']>>

/** The outcome of each event, from the log and from its receiver's count. */
async function outcomesOf({ id }: Site) {
  const { rows } = await service.sql(`
    select e.id, e.state, count(d.id)::int as deliveries, min(d.error) as error
    from webhook_events e left join webhook_deliveries d on d.event_id = e.id
    where e.site_id = '${id}' group by e.id`)
  const events = rows as { id: string; state: string; deliveries: number; error: string | null }[]
  return events.map((event) => ({ ...event, arrived: receiver.posts.get(event.id) ?? 0 }))
}

async function siteWithDrafts() {
  const site = await service.makeSite()
  await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url })
  await service.manage('POST', `${site.path}/webhooks`, { url: receiver.url })
  for (let at = 0; at < DRAFTS; at += 100) {
    const posts = SLUGS.slice(at, at + 100).map((slug) => ({
      slug,
      title: slug,
      contentHtml: '<p>Words.</p>',
      qualityBand: 'standard',
    }))
    await service.manage('PUT', `${site.path}/posts`, { posts })
  }
  return site
}

async function markAllReady(path: string) {
  const waiting = [...SLUGS]
  const client = async () => {
    for (let slug = waiting.shift(); slug; slug = waiting.shift()) {
      await untilDone(() => service.manage('PUT', `${path}/posts/${slug}/readiness`))
      await sleep(40 * random())
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

/** Retries, since the Worker may be dead or have lost a reply. */
async function untilDone(ask: () => Promise<unknown>) {
  for (;;) {
    try {
      return await ask()
    } catch {
      await sleep(100)
    }
  }
}

async function killNowAndThen() {
  for (let killed = 0; killed < KILLS; killed++) {
    await sleep(300 + 1_200 * random())
    await service.crash()
  }
}

/** Runs the cron until no event of the site is open. The waiting times pass in the database. */
async function untilClosed({ id }: Site) {
  const open = `site_id = '${id}' and state in ('pending', 'sending')`
  for (;;) {
    await sleep(LONGEST_POST_MS)
    const { rows } = await service.sql(`
      update webhook_events set created_at = created_at - interval '2 minutes',
        claimed_at = claimed_at - interval '2 minutes'
      where ${open} returning id`)
    if (rows.length === 0) return
    await service.cron()
    for (let waited = 0; waited < 100; waited++) {
      await sleep(100)
      const left = await service.sql(`select from webhook_events where ${open}`)
      if (left.rows.length === 0) return
    }
  }
}
