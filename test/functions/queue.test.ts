import {
  createExecutionContext,
  createMessageBatch,
  getQueueResult,
  waitOnExecutionContext,
} from 'cloudflare:test'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { queue } from '../../functions/queue.ts'
import { scheduled } from '../../functions/schedule.ts'
import { markReady } from '../../src/posts/states.ts'
import { scope } from '../../src/sites.ts'
import { wakeOverdue } from '../../src/webhooks/event.ts'
import { bindings, lossyQueue, testContext } from '../support/context.ts'
import { makeSite, type Page, type TestSite } from '../support/site.ts'
import { deliveries, eventually, received, settled, setWebhook } from '../support/webhook.ts'

/** A site with an event in the outbox whose queue message got lost. */
async function lostEvent(script = 'ok') {
  const site = await makeSite()
  await setWebhook(site, script)
  await site.put('draft', { trustScore: 91 })
  const ctx = testContext({ queue: lossyQueue })
  const { eventId } = await markReady(ctx, await scope(ctx, site.id), 'draft')
  return { site, eventId: eventId! }
}

async function hand(messages: { id: string; body: unknown }[]) {
  const batch = createMessageBatch(
    'webhook-events',
    messages.map((message) => ({ ...message, timestamp: new Date(), attempts: 1 })),
  )
  const execution = createExecutionContext()
  await queue(batch, bindings, execution)
  return getQueueResult(batch, execution)
}

async function runCron() {
  const execution = createExecutionContext()
  await scheduled({ scheduledTime: Date.now(), cron: '* * * * *', noRetry() {} }, bindings, execution)
  await waitOnExecutionContext(execution)
}

const rewind = (eventId: string, column: 'created_at' | 'claimed_at', interval: string) =>
  testContext().db.execute(
    sql`update webhook_events set ${sql.raw(column)} = now() - ${interval}::interval where id = ${eventId}`,
  )

const state = async (site: TestSite) => (await site.manage<Page>('GET', '/events')).items[0]?.state

describe('a message', () => {
  it('handed over twice, in one batch and again later, is one POST', async () => {
    const { site, eventId } = await lostEvent()
    const body = { eventId }
    const twice = await hand([
      { id: 'a', body },
      { id: 'b', body },
    ])
    expect(twice.explicitAcks).toEqual(['a', 'b'])
    expect((await hand([{ id: 'c', body }])).explicitAcks).toEqual(['c'])
    expect(await received(site)).toHaveLength(1)
    expect(await deliveries(site)).toHaveLength(1)
  })

  it('is done when its event is claimed, before the receiver has answered', async () => {
    const { site, eventId } = await lostEvent('slow/1500')
    const batch = createMessageBatch('webhook-events', [
      { id: 'a', body: { eventId }, timestamp: new Date(), attempts: 1 },
    ])
    const execution = createExecutionContext()
    await queue(batch, bindings, execution)
    expect(await deliveries(site)).toMatchObject([{ status: null, error: null }])
    await waitOnExecutionContext(execution)
    expect(await deliveries(site)).toMatchObject([{ status: 200 }])
  })

  it('that is none of ours, or names no event, is put aside', async () => {
    const result = await hand([
      { id: 'a', body: { eventId: crypto.randomUUID() } },
      { id: 'b', body: 'nonsense' },
    ])
    expect(result.explicitAcks).toEqual(['a', 'b'])
  })

  it('is handed back when the database cannot be asked', async () => {
    const broken = { ...bindings, DATABASE_URL: 'postgresql://local:wrong@127.0.0.1/local' }
    const batch = createMessageBatch('webhook-events', [
      { id: 'a', body: { eventId: crypto.randomUUID() }, timestamp: new Date(), attempts: 1 },
    ])
    const execution = createExecutionContext()
    await queue(batch, broken, execution)
    const result = await getQueueResult(batch, execution)
    expect(result.retryMessages).toMatchObject([{ msgId: 'a' }])
    expect(result.explicitAcks).toEqual([])
  })

  it('whose endpoint was removed meanwhile ends on the log, unsent', async () => {
    const { site, eventId } = await lostEvent()
    await site.manage('DELETE', '/webhook')
    await hand([{ id: 'a', body: { eventId } }])
    expect(await deliveries(site)).toMatchObject([{ error: 'endpoint_removed', status: null }])
    expect(await received(site)).toEqual([])
  })

  it('to an address that is not allowed is logged and not sent', async () => {
    const { site, eventId } = await lostEvent()
    await testContext().db.execute(
      sql`update webhook_endpoints set url = 'https://169.254.169.254/latest' where site_id = ${site.id}`,
    )
    await hand([{ id: 'a', body: { eventId } }])
    expect(await deliveries(site)).toMatchObject([{ error: 'blocked_address', status: null }])
  })
})

describe('the cron', () => {
  it('wakes an event whose message was lost', async () => {
    const { site, eventId } = await lostEvent()
    await rewind(eventId, 'created_at', '31 seconds')
    await runCron()
    expect(await settled(site)).toMatchObject({ eventId, status: 200 })
    expect(await received(site)).toHaveLength(1)
  })

  it('leaves an event alone that the queue has only just got', async () => {
    const { site } = await lostEvent()
    await runCron()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await state(site)).toBe('pending')
  })

  it('closes an attempt whose Worker died as interrupted, and never sends it again', async () => {
    const { site, eventId } = await lostEvent('hang')
    const batch = createMessageBatch('webhook-events', [
      { id: 'a', body: { eventId }, timestamp: new Date(), attempts: 1 },
    ])
    const execution = createExecutionContext()
    await queue(batch, bindings, execution)
    await rewind(eventId, 'claimed_at', '61 seconds')
    await runCron()
    expect(await deliveries(site)).toMatchObject([{ error: 'interrupted', status: null }])
    expect(await state(site)).toBe('failed')
    await hand([{ id: 'b', body: { eventId } }])
    await waitOnExecutionContext(execution)
    expect(await received(site)).toHaveLength(1)
    expect(await deliveries(site)).toMatchObject([{ error: 'interrupted' }])
  })

  it('forgets finished events after 90 days, with their deliveries', async () => {
    const { site, eventId } = await lostEvent()
    await hand([{ id: 'a', body: { eventId } }])
    await rewind(eventId, 'created_at', '91 days')
    await runCron()
    expect(await deliveries(site)).toEqual([])
    expect((await site.manage<Page>('GET', '/events')).items).toEqual([])
  })

  it("keeps each day's requests of a site", async () => {
    const site = await makeSite()
    for (let i = 0; i < 3; i++) await site.json('/posts')
    await runCron()
    await site.json('/posts')
    await runCron()
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
  it('lets sites take turns, so that one full of events leaves room for another', async () => {
    const full = await makeSite()
    const other = await lostEvent()
    const ctx = testContext()
    await ctx.db.execute(sql`
      insert into webhook_events (site_id, event, payload, created_at)
      select ${full.id}::uuid, 'webhook.test', '{}', now() - interval '2 hours' from generate_series(1, 1100)`)
    await rewind(other.eventId, 'created_at', '1 hour')
    const woken: string[] = []
    const sendBatch = async (messages: Iterable<{ body: { eventId: string } }>) => {
      woken.push(...[...messages].map((message) => message.body.eventId))
      return lossyQueue.sendBatch([])
    }
    await wakeOverdue(testContext({ queue: { ...lossyQueue, sendBatch } as typeof lossyQueue }))
    expect(woken).toContain(other.eventId)
    expect(woken.length).toBeLessThanOrEqual(1_000)
    await ctx.db.execute(sql`delete from webhook_events where site_id = ${full.id}::uuid`)
  })
})
