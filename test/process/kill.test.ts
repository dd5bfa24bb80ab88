import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
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

/** A service and a counting receiver. Each test has its own, so that they wait in parallel. */
type World = {
  service: Service
  receiver: Awaited<ReturnType<typeof startCountingReceiver>>
  random: () => number
}

async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  const random = randomFrom(SEED)
  const service = await startService()
  const receiver = await startCountingReceiver(async (_, response) => {
    await sleep(random() < 0.2 ? LONGEST_POST_MS * random() : 40 * random())
    response.writeHead(random() < 0.1 ? 500 : 204).end()
  })
  try {
    await work({ service, receiver, random })
  } finally {
    service.postgres.loseReplies(0, random)
    receiver.close()
    await service.stop()
  }
}

it.concurrent(`each of ${EVENTS} events of a Worker that is killed ${KILLS} times and loses replies of its database ends up in the log, and none is sent twice (seed ${SEED})`, () =>
  inWorld(async (world) => {
    const site = await siteWithDrafts(world)
    world.service.postgres.loseReplies(LOST_SHARE, world.random)
    await Promise.all([markAllReady(world, site.path), killNowAndThen(world)])
    await untilClosed(world, site, { dead: true })

    const events = await outcomesOf(world, site)
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
  }))

it.concurrent(`each of ${EVENTS} events of a Worker that only loses replies of its database is sent once and logged (seed ${SEED})`, () =>
  inWorld(async (world) => {
    const site = await siteWithDrafts(world)
    world.service.postgres.loseReplies(LOST_SHARE, world.random)
    await markAllReady(world, site.path)
    await untilClosed(world, site, { dead: false })

    const events = await outcomesOf(world, site)
    expect(events).toHaveLength(EVENTS)
    for (const { deliveries, state, error, arrived } of events) {
      expect([deliveries, arrived]).toEqual([1, 1])
      expect([state, error]).toEqual(state === 'delivered' ? ['delivered', null] : ['failed', 'http_status'])
    }
  }))

type Site = Awaited<ReturnType<Service['makeSite']>>

/** The outcome of each event, from the log and from its receiver's count. */
async function outcomesOf({ service, receiver }: World, { id }: Site) {
  const { rows } = await service.sql(`
    select e.id, e.state, count(d.id)::int as deliveries, min(d.error) as error
    from webhook_events e left join webhook_deliveries d on d.event_id = e.id
    where e.site_id = '${id}' group by e.id`)
  const events = rows as { id: string; state: string; deliveries: number; error: string | null }[]
  const outcomes = events.map((event) => ({ ...event, arrived: receiver.posts.get(event.id) ?? 0 }))
  const counts: Record<string, number> = {}
  for (const { state, error, arrived } of outcomes) {
    const outcome = `${state}${error ? `, ${error}` : ''}, arrived ${arrived}`
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  console.info(`kill test, seed ${SEED}:`, counts)
  return outcomes
}

async function siteWithDrafts({ service, receiver }: World) {
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

async function markAllReady({ service, random }: World, path: string) {
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

async function killNowAndThen({ service, random }: World) {
  for (let killed = 0; killed < KILLS; killed++) {
    await sleep(300 + 1_200 * random())
    await service.crash()
  }
}

/**
 * Runs the cron until no event of the site is open. The waiting times pass in the database: for unclaimed events and, after
 * Workers have died, for those that they had claimed.
 */
async function untilClosed({ service }: World, { id }: Site, { dead }: { dead: boolean }) {
  const open = `site_id = '${id}' and state in ('pending', 'sending')`
  for (;;) {
    await sleep(LONGEST_POST_MS)
    const { rows } = await service.sql(`
      update webhook_events set created_at = created_at - interval '2 minutes',
        claimed_at = claimed_at - interval '${dead ? 2 : 0} minutes'
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
