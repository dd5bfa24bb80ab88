/** Events with lost queue messages: delivering them to the consumer, and moving their time. */
import {
  createExecutionContext,
  createMessageBatch,
  getQueueResult,
  waitOnExecutionContext,
} from 'cloudflare:test'
import { sql } from 'drizzle-orm'
import { queue } from '../../functions/queue.ts'
import { scheduled } from '../../functions/schedule.ts'
import { markPostReady } from '../../src/content/posts/readiness.ts'
import type { Context } from '../../src/context.ts'
import { optionalEvents } from '../../src/core/enums.ts'
import { sweepAll } from '../../src/jobs.ts'
import { getSiteScope } from '../../src/sites/sites.ts'
import { bindings, lossyQueue, patientRedis, testContext } from './context.ts'
import { makeSite, type TestSite } from './site.ts'
import { eventually, received, setWebhook, switchOn } from './webhook.ts'

/** A site with an event in the outbox whose queue message was lost. */
export async function lostEvent(script = 'ok') {
  const site = await makeSite()
  const secret = await setWebhook(site, script)
  await site.put('draft', { trustScore: 91 })
  const ctx = testContext({ queue: lossyQueue })
  const { eventId } = await markPostReady(ctx, await getSiteScope(ctx, site.id), 'draft')
  return { site, secret, eventId: eventId! }
}

/**
 * Inserts `count` such events by SQL.
 * @returns the site and their ids
 */
export async function lostEvents(script: string, count: number) {
  const site = await makeSite()
  await setWebhook(site, script)
  const { rows } = await testContext().db.execute(sql`
    insert into webhook_events (site_id, endpoint_id, event, payload)
    select ${site.id}::uuid, ${site.id}::uuid, 'post.updated', '{}' from generate_series(1, ${count}::integer) returning id`)
  return { site, eventIds: rows.map((row) => String(row.id)) }
}

/** Delivers a batch of messages to the consumer, and waits for its POSTs. */
export async function hand(bodies: unknown[], env = bindings, execution = createExecutionContext()) {
  const batch = createMessageBatch(
    'webhook-events',
    bodies.map((body, i) => ({ id: `${i}`, body, timestamp: new Date(), attempts: 1 })),
  )
  await queue(batch, env, execution)
  return getQueueResult(batch, execution)
}

/**
 * The same, without waiting for POSTs.
 * @returns the acknowledged messages at the end of the invocation
 */
export async function handOver(bodies: unknown[]) {
  const handedBack: unknown[] = []
  const messages = bodies.map((body, i) => ({
    id: `${i}`,
    body,
    timestamp: new Date(),
    attempts: 1,
    ack() {},
    retry: () => void handedBack.push(body),
  }))
  const execution = createExecutionContext()
  await queue({ queue: 'webhook-events', messages } as unknown as MessageBatch, bindings, execution)
  return { handedBack, posts: waitOnExecutionContext(execution) }
}

/** The cron of a minute, by default the current one. */
export async function runCron(
  env = bindings,
  scheduledTime = Date.now(),
  execution = createExecutionContext(),
) {
  await scheduled({ scheduledTime, cron: '* * * * *', noRetry() {} }, env, execution)
  await waitOnExecutionContext(execution)
}

type Failed = Record<string, { retryAt: number; pauseMs: number }>

/** Records in a deployment that all sites were just swept, but for these jobs. */
export const noteState = ({ REDIS_PREFIX }: { REDIS_PREFIX: string }, failed: Failed = {}) =>
  patientRedis().set(`${REDIS_PREFIX}:sweep`, JSON.stringify({ sweptAt: Date.now(), failed }))

/** Records that all sites were just swept. */
export const noteSwept = ({ config }: Pick<Context, 'config'>) => noteState(config)

/** The hourly sweep of all sites. */
export const runFullSweep = () => sweepAll(testContext(), new Date())

export const rewind = (eventId: string, column: 'created_at' | 'claimed_at', interval: string) =>
  testContext().db.execute(
    sql`update webhook_events set ${sql.raw(column)} = now() - ${interval}::interval where id = ${eventId}`,
  )

export const stateOf = async (site: TestSite) => (await site.manage('GET', '/events')).items[0]?.state

/** A site's events, one for each webhook, oldest first. */
export async function outboxOf(site: TestSite) {
  const { rows } = await testContext().db.execute(sql`
    select event, slug, endpoint_id, state, payload from webhook_events where site_id = ${site.id}
    order by created_at, endpoint_id <> site_id`)
  return rows
}

/** A site whose first webhook gets these events and `article.ready`. */
export async function listening(events: readonly string[] = optionalEvents) {
  const site = await makeSite()
  await setWebhook(site, 'ok')
  await switchOn(site, [...events])
  return site
}

/** The requests at the site's receiver, once there are this many. */
export const heard = async (site: TestSite, count: number) => {
  await eventually(async () => ((await received(site)).length >= count ? true : null))
  return (await received(site)).map(({ body }) => JSON.parse(body))
}
