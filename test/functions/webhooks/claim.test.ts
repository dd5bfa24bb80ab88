import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { claimEvent, closeInterruptedAttempts, completeAttempt } from '../../../src/webhooks/attempt.ts'
import { beginAttempt, resendEvent, sendAttempt } from '../../../src/webhooks/deliver.ts'
import { noResponse } from '../../../src/webhooks/outcome.ts'
import { testContext } from '../../support/context.ts'
import { hand, lostEvent, lostEvents, rewind, runCron, stateOf } from '../../support/outbox.ts'
import { deliveries, received } from '../../support/webhook.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const NOWHERE = { url: 'https://cms.example.org/', headers: null }

/** The next `count` claims are committed, but their replies are lost; `meanwhile` runs before the caller notices. */
function loseReplies(count: number, meanwhile = async () => {}) {
  const { fetch } = globalThis
  let left = count
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const response = await fetch(input, init)
    if (left === 0 || !String(init?.body).includes('insert into \\"webhook_deliveries\\"')) return response
    left -= 1
    await response.arrayBuffer()
    await meanwhile()
    throw new TypeError('Network connection lost.')
  })
}

afterEach(() => void vi.restoreAllMocks())

describe('a claim whose reply is lost', () => {
  it('is recognized when it is retried, and its event is sent once', async () => {
    const { site, eventId } = await lostEvent()
    loseReplies(3)
    expect((await hand([{ kind: 'event', eventId }])).explicitAcks).toEqual(['0'])
    expect(await received(site)).toHaveLength(1)
    expect(await deliveries(site)).toMatchObject([{ status: 200, error: null }])
    expect(await stateOf(site)).toBe('delivered')
  })

  it('keeps the event from other messages', async () => {
    const { site, eventId } = await lostEvent()
    loseReplies(
      1,
      async () =>
        void (await hand([
          { kind: 'event', eventId },
          { kind: 'event', eventId },
        ])),
    )
    await hand([
      { kind: 'event', eventId },
      { kind: 'event', eventId },
    ])
    expect(await received(site)).toHaveLength(1)
    expect(await deliveries(site)).toMatchObject([{ status: 200, error: null }])
  })

  it('is not sent if the sweep has closed it meanwhile', async () => {
    const { site, eventId } = await lostEvent()
    loseReplies(1, async () => {
      await rewind(eventId, 'claimed_at', '61 seconds')
      await closeInterruptedAttempts(testContext(), { siteIds: null })
    })
    await hand([{ kind: 'event', eventId }])
    expect(await received(site)).toEqual([])
    expect(await deliveries(site)).toMatchObject([{ error: 'interrupted', status: null }])
  })

  it('is closed by the sweep a minute after it was recognized, not earlier', async () => {
    const ctx = testContext()
    const begin = async () => {
      const { site, eventId } = await lostEvent('slow/1500')
      loseReplies(1, async () => void (await rewind(eventId, 'claimed_at', '61 seconds')))
      const attempt = await beginAttempt(ctx, eventId)
      vi.restoreAllMocks()
      return { site, attempt }
    }
    let { site, attempt } = await begin()
    // A sweep of another test may have closed it before it was recognized.
    for (let tries = 0; !attempt && tries < 20; tries++) ({ site, attempt } = await begin())
    const posted = sendAttempt(ctx, attempt!)
    await runCron()
    await posted
    expect(await deliveries(site)).toMatchObject([{ status: 200, error: null }])
  })

  it('is never sent once its retries have timed out, by the retried message or another', async () => {
    const { site, eventId } = await lostEvent()
    loseReplies(1)
    await expect(beginAttempt(testContext(), eventId, { claimTimeoutMs: 0 })).rejects.toThrow()
    await hand([
      { kind: 'event', eventId },
      { kind: 'event', eventId },
    ])
    expect(await deliveries(site)).toMatchObject([{ status: null, error: null }])
    await rewind(eventId, 'claimed_at', '61 seconds')
    await runCron()
    expect(await deliveries(site)).toMatchObject([{ error: 'interrupted' }])
    expect(await received(site)).toEqual([])
  })

  it('is recognized for a resend too', async () => {
    const { site, eventId } = await lostEvent()
    await hand([{ kind: 'event', eventId }])
    loseReplies(1)
    expect(await resendEvent(testContext(), site, eventId)).toMatchObject({ status: 200, manual: true })
    expect(await received(site)).toHaveLength(2)
    expect(await deliveries(site)).toHaveLength(2)
  })
})

describe('an attempt whose outcome arrives while the sweep closes it', () => {
  it('is either closed or completed: they do not deadlock', async () => {
    const { site, eventId } = await lostEvent()
    const ctx = testContext()
    const attempt = await beginAttempt(ctx, eventId)
    await rewind(eventId, 'claimed_at', '61 seconds')
    // Both wait for a lock of the event, the sweep first.
    const locked = ctx.db.batch([
      ctx.db.execute(sql`select id from webhook_events where id = ${eventId} for update`),
      ctx.db.execute(sql`select pg_sleep(2)`),
    ])
    await pause(400)
    const closed = closeInterruptedAttempts(ctx, { siteIds: [site.id] })
    await pause(400)
    const { deliveryId } = attempt!
    const completed = completeAttempt(ctx, { ...noResponse('timeout'), deliveryId })
    await expect(Promise.all([locked, closed, completed])).resolves.toHaveLength(3)
    expect(await deliveries(site)).toMatchObject([{ error: 'interrupted' }])
  })
})

describe('concurrent claims', () => {
  it('get the same answer if their id is the same; with different ids, one gets the claim', async () => {
    const ctx = testContext()
    const { eventIds } = await lostEvents('ok', 20)
    for (const eventId of eventIds) {
      const ids = Array.from({ length: 3 }, () => crypto.randomUUID())
      const held = await Promise.all(
        [...ids, ...ids, ...ids].map((id) =>
          claimEvent(ctx, { ...NOWHERE, deliveryId: id, eventId }, 'pending').then((held) => held && id),
        ),
      )
      const winners = held.filter((id) => id !== false)
      expect(winners).toHaveLength(3)
      expect(new Set(winners).size).toBe(1)
    }
  })
})
