import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'drizzle-orm'
import { parse } from 'smol-toml'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connectDatabase, WRITE_TIMEOUT_MS } from '../../../src/db/client.ts'
import { beginAttempt, sendAttempt } from '../../../src/webhooks/deliver.ts'
import { pruneEvents, requeueOverdueEvents } from '../../../src/webhooks/event.ts'
import wrangler from '../../../wrangler.toml?raw'
import { callsOf } from '../../support/calls.ts'
import { bindings, lossyQueue, testContext } from '../../support/context.ts'
import {
  hand,
  handOver,
  lostEvent,
  lostEvents,
  rewind,
  runCron,
  runFullSweep,
  stateOf,
} from '../../support/outbox.ts'
import { makeSite, operatorToken } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { deliveries, eventually, finished, received, release, setWebhook } from '../../support/webhook.ts'
import { BROKEN_DATABASE, callIn } from '../../support/world.ts'

type Settings = { queues: { consumers: { max_batch_size: number }[] } }

const MAX_BATCH_SIZE = (parse(wrangler) as Settings).queues.consumers[0]!.max_batch_size

type Requests = { open: number; most: number }

/** Counts the open requests of each invocation, including those to the database. */
function watchRequests(): AsyncLocalStorage<Requests> {
  const invocations = new AsyncLocalStorage<Requests>()
  const { fetch } = globalThis
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
    const requests = invocations.getStore() ?? { open: 0, most: 0 }
    requests.open += 1
    requests.most = Math.max(requests.most, requests.open)
    return fetch(...request).finally(() => {
      requests.open -= 1
    })
  })
  return invocations
}

afterEach(() => void vi.restoreAllMocks())

describe('a message', () => {
  it('delivered twice in one batch, and again later, is one POST', async () => {
    const { site, eventId } = await lostEvent()
    const body = { kind: 'event', eventId }
    expect((await hand([body, body])).explicitAcks).toEqual(['0', '1'])
    expect((await hand([body])).explicitAcks).toEqual(['0'])
    expect(await received(site)).toHaveLength(1)
    expect(await deliveries(site)).toHaveLength(1)
  })

  it('costs three calls to Postgres and one to Redis', async () => {
    const { site, eventId } = await lostEvent()
    const calls = await callsOf(async () => {
      await hand([{ kind: 'event', eventId }])
      return new Response()
    })
    expect(calls).toMatchObject({ postgres: 3, redis: 1 })
    expect(await received(site)).toHaveLength(1)
  })

  it('is acknowledged when its event is claimed, before the receiver responds', async () => {
    const { site, eventId } = await lostEvent('slow/1500')
    const { posts } = await handOver([{ kind: 'event', eventId }])
    expect(await deliveries(site)).toMatchObject([{ status: null, error: null }])
    await posts
    expect(await deliveries(site)).toMatchObject([{ status: 200 }])
  })

  it('that is malformed, of an unknown event or of another release is acknowledged, and logged if it is unreadable', async () => {
    const lines: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
    const unknown = { reorder: crypto.randomUUID() }
    const result = await hand([{ kind: 'event', eventId: crypto.randomUUID() }, 'nonsense', unknown])
    expect(result.explicitAcks).toEqual(['0', '1', '2'])
    expect(lines.map((line) => JSON.parse(line)).filter(({ event }) => /unknown/.test(event))).toMatchObject([
      { event: 'queue.message_unknown', messageId: '1' },
      { event: 'queue.message_unknown', messageId: '2', fields: ['reorder'] },
    ])
  })

  it('is retried when the database cannot be reached', async () => {
    const result = await hand([{ kind: 'event', eventId: crypto.randomUUID() }], {
      ...bindings,
      ...BROKEN_DATABASE,
    })
    expect(result.retryMessages).toMatchObject([{ msgId: '0' }])
    expect(result.explicitAcks).toEqual([])
  })

  it('whose endpoint was removed meanwhile is logged, and not sent', async () => {
    const { site, eventId } = await lostEvent()
    await site.manage('DELETE', '/webhook')
    await hand([{ kind: 'event', eventId }])
    expect(await deliveries(site)).toMatchObject([{ error: 'endpoint_removed', status: null }])
    expect(await received(site)).toEqual([])
  })

  it('to a URL that is not allowed is logged, and not sent', async () => {
    const { site, eventId } = await lostEvent()
    await testContext().db.execute(
      sql`update webhook_endpoints set url = 'https://169.254.169.254/latest' where site_id = ${site.id}`,
    )
    await hand([{ kind: 'event', eventId }])
    expect(await deliveries(site)).toMatchObject([{ error: 'blocked_address', status: null }])
  })
})

describe('messages', () => {
  it('that are duplicated and out of order are one POST per event', async () => {
    const sites = await Promise.all([lostEvents('ok', 15), lostEvents('status/500', 15)])
    const ids = sites.flatMap(({ eventIds }) => eventIds)
    const shuffled = [...ids, ...ids]
      .map((eventId) => ({ kind: 'event', eventId, order: Math.random() }))
      .sort((a, b) => a.order - b.order)
    const handAll = async (messages: unknown[]) => {
      for (let at = 0; at < messages.length; at += MAX_BATCH_SIZE)
        expect((await hand(messages.slice(at, at + MAX_BATCH_SIZE))).retryMessages).toEqual([])
    }
    await Promise.all([shuffled.slice(0, 30), shuffled.slice(30), shuffled.toReversed()].map(handAll))
    for (const { site, eventIds } of sites) {
      for (const { status } of await deliveries(site)) expect(status).not.toBeNull()
      const posted = (await received(site)).map(({ headers }) => headers['webhook-id'])
      expect(posted.toSorted()).toEqual(eventIds.toSorted())
      expect((await deliveries(site)).map(({ eventId }) => eventId).toSorted()).toEqual(eventIds.toSorted())
    }
  })

  it('fifty at once, some to a receiver that hangs: at most six open requests, and no other receiver waits', async () => {
    const slow = await lostEvents('held', 10)
    const others = await Promise.all(Array.from({ length: 4 }, () => lostEvents('ok', 10)))
    const invocations = watchRequests()
    const seen: Requests[] = []
    const posts: Promise<unknown>[] = []
    const waiting = [slow, ...others].flatMap(({ eventIds }) =>
      eventIds.map((eventId) => ({ kind: 'event', eventId })),
    )
    expect(waiting).toHaveLength(50)
    while (waiting.length > 0) {
      const requests = { open: 0, most: 0 }
      seen.push(requests)
      const batch = waiting.splice(0, MAX_BATCH_SIZE)
      const handed = await invocations.run(requests, () => handOver(batch))
      expect(handed.handedBack).toEqual([])
      posts.push(handed.posts)
    }
    for (const { site } of others) {
      await eventually(async () => ((await received(site)).length === 10 ? true : null))
    }
    await release(slow.site)
    await Promise.all(posts)
    // Workers' limit for one invocation.
    expect(Math.max(...seen.map(({ most }) => most))).toBeLessThanOrEqual(6)
    for (const { site } of [slow, ...others]) {
      expect(await received(site)).toHaveLength(10)
      for (const { status } of await deliveries(site)) expect(status).toBe(200)
    }
  })

  it('that cannot be sent to the queue do not fail the write, and the sweep sends them', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    await site.put('draft', { trustScore: 91 })
    const refuse = () => Promise.reject(new Error('no queue'))
    const refusing = { send: refuse, sendBatch: refuse }
    const answer = await callIn(
      { WEBHOOK_EVENTS: refusing },
      `/manage/v1${site.path}/posts/draft/readiness`,
      { method: 'PUT', key: operatorToken },
    )
    expect(answer.status).toBe(200)
    const { eventId } = await answer.json<{ eventId: string }>()
    expect(await stateOf(site)).toBe('pending')
    await rewind(eventId, 'created_at', '31 seconds')
    await runCron()
    expect(await finished(site)).toMatchObject({ eventId, status: 200 })
    expect(await received(site)).toHaveLength(1)
  })
})

describe('a database outage between the POST and its log row', () => {
  it('leaves an attempt that is closed as interrupted, and never leads to a second POST', async () => {
    const { site, eventId } = await lostEvent()
    const ctx = testContext({ log: () => {} })
    const attempt = await beginAttempt(ctx, eventId)
    ctx.db = connectDatabase({ ...ctx.config, ...BROKEN_DATABASE }, WRITE_TIMEOUT_MS)
    await sendAttempt(ctx, attempt!)
    expect(await received(site)).toHaveLength(1)
    expect(await deliveries(site)).toMatchObject([{ status: null, error: null }])
    await rewind(eventId, 'claimed_at', '61 seconds')
    await runCron()
    expect(await deliveries(site)).toMatchObject([{ error: 'interrupted' }])
    await hand([{ kind: 'event', eventId }])
    expect(await received(site)).toHaveLength(1)
  })

  it('of only a second loses nothing', async () => {
    const { site, eventId } = await lostEvent()
    const ctx = testContext({ log: () => {} })
    const { db } = ctx
    const attempt = await beginAttempt(ctx, eventId)
    ctx.db = connectDatabase({ ...ctx.config, ...BROKEN_DATABASE }, WRITE_TIMEOUT_MS)
    const posted = sendAttempt(ctx, attempt!)
    await new Promise((resolve) => setTimeout(resolve, 700))
    ctx.db = db
    await posted
    expect(await deliveries(site)).toMatchObject([{ status: 200, error: null }])
    expect(await stateOf(site)).toBe('delivered')
  })
})

describe('the cron', () => {
  it('requeues an event whose message was lost', async () => {
    const { site, eventId } = await lostEvent()
    await rewind(eventId, 'created_at', '31 seconds')
    await runCron()
    expect(await finished(site)).toMatchObject({ eventId, status: 200 })
    expect(await received(site)).toHaveLength(1)
  })

  it('skips an event that was only just queued', async () => {
    const { site } = await lostEvent()
    await runCron()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await stateOf(site)).toBe('pending')
  })

  it('closes an attempt whose Worker died as interrupted, and never sends it again', async () => {
    const { site, eventId } = await lostEvent('held')
    const { posts } = await handOver([{ kind: 'event', eventId }])
    await rewind(eventId, 'claimed_at', '61 seconds')
    await runCron()
    expect(await deliveries(site)).toMatchObject([{ error: 'interrupted', status: null }])
    expect(await stateOf(site)).toBe('failed')
    await hand([{ kind: 'event', eventId }])
    await release(site)
    await posts
    expect(await received(site)).toHaveLength(1)
    expect(await deliveries(site)).toMatchObject([{ error: 'interrupted' }])
  })

  it('deletes finished events after 90 days, with their deliveries, except for that of a draft that is still ready', async () => {
    const { site, eventId } = await lostEvent()
    const readiness = () => site.json('/posts/draft?include=readiness&fields=readiness')
    const kept = await readiness()
    await hand([{ kind: 'event', eventId }])
    await rewind(eventId, 'created_at', '91 days')
    await runSql(`update posts set ready_at = ready_at - interval '91 days' where site_id = $1`, [site.id])
    await runFullSweep()
    expect(await deliveries(site)).toHaveLength(1)
    expect(await readiness()).toMatchObject({ readiness: { eventId } })
    expect(kept).toMatchObject({ readiness: { eventId } })
    await site.put('draft', { trustScore: 91, title: 'Edited' })
    await runFullSweep()
    expect(await deliveries(site)).toEqual([])
    expect((await site.manage('GET', '/events')).items).toEqual([])
  })

  it('deletes them earlier with RETENTION_DELIVERY_DAYS', async () => {
    const [old, young] = [await lostEvent(), await lostEvent()]
    for (const { site, eventId } of [old, young]) {
      await hand([{ kind: 'event', eventId }])
      await site.put('draft', { trustScore: 91, title: 'Edited' })
    }
    await rewind(old.eventId, 'created_at', '31 days')
    await rewind(young.eventId, 'created_at', '29 days')
    const ctx = testContext()
    await pruneEvents({ ...ctx, config: { ...ctx.config, RETENTION_DELIVERY_DAYS: 30 } })
    expect(await deliveries(old.site)).toEqual([])
    expect(await deliveries(young.site)).toHaveLength(1)
  })

  it("stores each day's requests of a site", async () => {
    const site = await makeSite()
    for (let i = 0; i < 3; i++) await site.json('/posts')
    await runFullSweep()
    await site.json('/posts')
    await runFullSweep()
    const day = new Date().toISOString().slice(0, 10)
    const usage = await eventually(async () => {
      const { rows } = await testContext().db.execute(
        sql`select day::text, requests from daily_usage where site_id = ${site.id}`,
      )
      return rows
    })
    expect(usage).toEqual([{ day, requests: 4 }])
  })
})

describe('the sweep', () => {
  it('takes sites in turn, so that one with many events does not delay another', async () => {
    const full = await makeSite()
    const other = await lostEvent()
    const ctx = testContext()
    await ctx.db.execute(sql`
      insert into webhook_events (site_id, endpoint_id, event, payload, created_at)
      select ${full.id}::uuid, ${full.id}::uuid, 'webhook.test', '{}', now() - interval '2 hours' from generate_series(1, 1100)`)
    await rewind(other.eventId, 'created_at', '1 hour')
    const requeued: string[] = []
    const sendBatch = async (messages: Iterable<{ body: { eventId: string } }>) => {
      requeued.push(...[...messages].map((message) => message.body.eventId))
      return lossyQueue.sendBatch([])
    }
    const recording = testContext({ queue: { ...lossyQueue, sendBatch } as typeof lossyQueue })
    await requeueOverdueEvents(recording, { siteIds: null })
    expect(requeued).toContain(other.eventId)
    expect(requeued.length).toBeLessThanOrEqual(1_000)
    await ctx.db.execute(sql`delete from webhook_events where site_id = ${full.id}::uuid`)
  })
})
