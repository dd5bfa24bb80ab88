import { describe, expect, it } from 'vitest'
import { beginAttempt } from '../../../src/webhooks/deliver.ts'
import { pruneResends, startResend } from '../../../src/webhooks/resend.ts'
import { continueResend } from '../../../src/webhooks/resend-turns.ts'
import { lossyQueue, testContext } from '../../support/context.ts'
import { hand, lostEvents, runCron } from '../../support/outbox.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'
import { addWebhook, eventually, received } from '../../support/webhook.ts'

type Resend = {
  id: string
  failedUntil: string
  total: number
  arrived: number
  failed: number
  notSent: number
  interrupted: number
  startedBy: string | null
  endedAt: string | null
  ending: string | null
}

/** Events whose first attempt failed an hour ago. */
async function failedEvents(count: number, script = 'ok') {
  const { site, eventIds } = await lostEvents(script, count)
  await runSql(
    `with failed as (
      update webhook_events set state = 'failed', finished_at = now() - interval '1 hour' where site_id = $1 returning *)
    insert into webhook_deliveries (event_id, site_id, url, status, error, attempted_at)
    select id, site_id, 'https://cms.example.org/', 500, 'http_status', finished_at from failed`,
    [site.id],
  )
  return { site, eventIds }
}

const start = (site: TestSite, body = {}) => site.manage('POST', '/resends', body)
const stop = (site: TestSite, { id }: Resend) => site.manage('PUT', `/resends/${id}/stop`)
const ended = (site: TestSite, { id }: Resend) =>
  eventually(async () => {
    const resend = await site.manage('GET', `/resends/${id}`)
    return resend.ending === null ? null : resend
  })

/** How often the receiver got each event. */
async function countsOf(site: TestSite) {
  const perEvent = new Map<string, number>()
  for (const { headers } of await received(site)) {
    const id = headers['webhook-id']!
    perEvent.set(id, (perEvent.get(id) ?? 0) + 1)
  }
  return perEvent
}

const actionsIn = async (site: TestSite) =>
  (await site.manage('GET', '/audit-log?action=event')).items.map(({ action, after }) => [action, after])

/** A resend whose first message was lost. */
const startUnheard = async (site: TestSite) =>
  (await startResend(testContext({ queue: lossyQueue }), site, {})).resend

describe('a resend of all failed events', () => {
  it('is continued by the queue until every event was sent once, and has two audit log entries', async () => {
    const { site, eventIds } = await failedEvents(105)
    const begun = await start(site)
    expect(begun).toMatchObject({ total: 105, interrupted: 0, ending: null })
    const resend = await ended(site, begun)
    expect(resend).toMatchObject({ ending: 'done', arrived: 105, failed: 0, notSent: 0 })
    expect(await countsOf(site)).toEqual(new Map(eventIds.map((id) => [id, 1])))
    const sent = await site.manage('GET', '/deliveries?limit=500&outcome=delivered')
    expect(sent.items.filter(({ manual }) => manual)).toHaveLength(105)
    expect(await actionsIn(site)).toEqual([
      ['event.resend_finished', { arrived: 105, failed: 0, notSent: 0 }],
      ['event.resend_started', { events: 105 }],
    ])
    const { items } = await site.manage('GET', '/resends')
    expect(items).toEqual([resend])
  })

  it('sends nothing twice, however often it is started or its messages arrive', async () => {
    const { site, eventIds } = await failedEvents(20)
    const answers = await Promise.all([1, 2, 3].map(() => site.tryManage('POST', '/resends', {})))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 201])
    expect(new Set(answers.map(({ body }) => body!.id)).size).toBe(1)
    const begun = answers[0]!.body as unknown as Resend
    const { id } = begun
    await Promise.all(
      [0, 1, 0, 1].map((turn) =>
        hand([
          { kind: 'resend', resendId: id, turn },
          { kind: 'resend', resendId: id, turn },
        ]),
      ),
    )
    const resend = await ended(site, begun)
    expect(resend).toMatchObject({ ending: 'done', arrived: 20 })
    expect(await countsOf(site)).toEqual(new Map(eventIds.map((each) => [each, 1])))
  })

  it('sends an event that fails again only once, also with another resend that ends at the same time', async () => {
    const { site } = await failedEvents(4, 'status/503')
    const resend = await ended(site, await start(site))
    expect(resend).toMatchObject({ ending: 'done', arrived: 0, failed: 4, notSent: 0 })
    expect([...(await countsOf(site)).values()]).toEqual([1, 1, 1, 1])
    const again = await start(site, { failedUntil: resend.failedUntil })
    expect(again).toMatchObject({ total: 0, ending: 'done' })
    expect((await start(site)).total).toBe(4)
  })

  it('skips events that arrived, failed earlier, are being sent or may have arrived, and other sites', async () => {
    const { site, eventIds } = await failedEvents(6)
    const [arrived, old, open, interrupted, gone, left] = eventIds
    const change = (id: string | undefined, change: string) =>
      runSql(`update webhook_events set ${change} where id = $1`, [id])
    await site.manage('POST', `/events/${arrived}/resends`)
    await change(old, "finished_at = now() - interval '3 hours'")
    await change(open, "state = 'sending', finished_at = null, claimed_at = now()")
    await runSql("update webhook_deliveries set error = 'interrupted', status = null where event_id = $1", [
      interrupted,
    ])
    await change(gone, 'endpoint_id = gen_random_uuid()')
    const failedSince = new Date(Date.now() - 2 * 3_600_000).toISOString()
    const count = await site.manage('GET', `/events/failed?failedSince=${failedSince}`)
    expect(count).toMatchObject({ total: 1, interrupted: 1 })
    const resend = await ended(site, await start(site, { failedSince }))
    expect(resend).toMatchObject({ total: 1, arrived: 1, interrupted: 1 })
    expect([...(await countsOf(site)).keys()].toSorted()).toEqual([arrived, left].toSorted())
    const all = await ended(site, await start(site, { failedSince, includeInterrupted: true }))
    expect(all).toMatchObject({ total: 1, arrived: 1, interrupted: 0 })
  })

  it('stops at once, releases events that it has claimed and not sent, and another resend sends the rest', async () => {
    const { site, eventIds } = await failedEvents(5)
    const begun = await startUnheard(site)
    await runSql('update webhook_events set finished_at = now() where id = $1', [eventIds[4]])
    await continueResend(testContext({ queue: lossyQueue }), begun.id, 0)
    expect((await site.tryManage('POST', `/events/${eventIds[0]}/resends`)).status).toBe(409)
    await hand([{ kind: 'event', eventId: eventIds[0] }])
    const stopped = await stop(site, begun)
    expect(stopped).toMatchObject({ ending: 'stopped', total: 5, arrived: 1, notSent: 4 })
    await hand([
      ...eventIds.map((eventId) => ({ kind: 'event', eventId })),
      { kind: 'resend', resendId: begun.id, turn: 1 },
    ])
    expect([...(await countsOf(site)).keys()]).toEqual([eventIds[0]])
    const others = await ended(site, await start(site, { failedUntil: stopped.failedUntil }))
    // The fifth failed after the first resend had started.
    expect(others).toMatchObject({ total: 3, arrived: 3 })
    expect([...(await countsOf(site)).values()]).toEqual([1, 1, 1, 1])
    expect((await stop(site, stopped)).ending).toBe('stopped')
    expect((await actionsIn(site)).map(([action]) => action)).toContain('event.resend_stopped')
  })

  it('can be for one webhook only, and has its selection in the audit log when it is stopped', async () => {
    const { site, eventIds } = await failedEvents(4)
    const { id } = await addWebhook(site, 'ok/other')
    await runSql('update webhook_events set endpoint_id = $1 where id = $2', [id, eventIds[0]])
    expect(await ended(site, await start(site, { webhookId: id }))).toMatchObject({ total: 1, arrived: 1 })
    expect((await received(site)).map(({ path }) => path)).toEqual([expect.stringContaining('/ok/other')])
    const none = await site.tryManage('POST', '/resends', { webhookId: crypto.randomUUID() })
    expect(none.status).toBe(404)
    const begun = await startUnheard(site)
    await continueResend(testContext({ queue: lossyQueue }), begun.id, 0)
    await beginAttempt(testContext(), eventIds[1]!)
    await stop(site, begun)
    expect((await actionsIn(site))[0]).toEqual([
      'event.resend_stopped',
      { arrived: 0, failed: 0, beingSent: 1, notSent: 2 },
    ])
  })

  it('ends with a reason when its webhook is removed', async () => {
    const { site } = await failedEvents(2)
    const begun = await startUnheard(site)
    await site.manage('DELETE', '/webhook')
    await hand([{ kind: 'resend', resendId: begun.id, turn: 0 }])
    expect(await ended(site, begun)).toMatchObject({ ending: 'webhook_removed', notSent: 2 })
    expect((await actionsIn(site))[0]).toEqual([
      'event.resend_broken_off',
      { arrived: 0, failed: 0, notSent: 2 },
    ])
    expect(await received(site)).toHaveLength(0)
    expect((await site.tryManage('POST', '/resends', {})).status).toBe(404)
    const other = await makeSite()
    for (const [method, below] of Object.entries({ GET: '', PUT: '/stop' }))
      expect((await other.tryManage(method, `/resends/${begun.id}${below}`)).status).toBe(404)
  })

  it('is continued by the sweep when its message or a reply from Postgres was lost', async () => {
    const { site } = await failedEvents(3)
    const begun = await startUnheard(site)
    await runSql('update webhook_resends set turn = 1 where id = $1', [begun.id])
    await hand([{ kind: 'resend', resendId: begun.id, turn: 0 }])
    expect(await received(site)).toHaveLength(0)
    const resend = await eventually(async () => {
      await runSql("update webhook_resends set turned_at = turned_at - interval '1 minute' where id = $1", [
        begun.id,
      ])
      await runCron()
      const { ending } = await site.manage('GET', `/resends/${begun.id}`)
      return ending
    })
    expect(resend).toBe('done')
    expect([...(await countsOf(site)).values()]).toEqual([1, 1, 1])
  })

  it('costs one statement per batch, and is deleted with its site and after 90 days', async () => {
    const { site } = await failedEvents(30)
    const begun = await startUnheard(site)
    const turn = () => hand([{ kind: 'resend', resendId: begun.id, turn: 0 }])
    expect(await callsOf(turn)).toBe(1)
    await ended(site, begun)
    await runSql("update webhook_resends set started_at = now() - interval '91 days' where id = $1", [
      begun.id,
    ])
    await pruneResends(testContext())
    expect((await site.manage('GET', '/resends')).items).toEqual([])
    const other = await failedEvents(1)
    await startUnheard(other.site)
    await other.site.manage('DELETE', '?confirm=Test')
    const { rows } = await testContext().db.execute(
      `select from webhook_resends where site_id = '${other.site.id}'`,
    )
    expect(rows).toHaveLength(0)
  })

  it.each([
    [{ failedSince: 'yesterday' }, 'failedSince must be an RFC 3339 date-time with offset'],
    [{ perSecond: 101 }, 'perSecond must be at most 100'],
    [{ limit: 20 }, 'limit'],
  ])('refuses %j', async (body, problem) => {
    const site = await makeSite()
    const { status, body: answer } = await site.tryManage('POST', '/resends', body)
    expect([status, answer?.error]).toEqual([400, expect.stringContaining(problem)])
  })
})

it('a resend takes as many events per second as asked, also when a message arrives twice', async () => {
  const { site } = await failedEvents(3)
  const delays: (number | undefined)[] = []
  const send = async (body: { kind: string }, options?: { delaySeconds?: number }) => {
    if (body.kind === 'resend') delays.push(options?.delaySeconds)
  }
  const ctx = testContext({ queue: { ...lossyQueue, send } as unknown as typeof lossyQueue })
  const { resend } = await startResend(ctx, site, { perSecond: 1 })
  for (const turn of [0, 0, 0]) await continueResend(ctx, resend.id, turn)
  // The next turn follows a second later.
  expect(delays.at(-1)).toBe(1)
  const { rows } = await ctx.db.execute(
    `select id from webhook_events where site_id = '${site.id}' and state = 'pending'`,
  )
  expect(rows).toHaveLength(1)
})

it('a resend leaves out tests', async () => {
  const { site } = await failedEvents(2)
  await runSql(
    `update webhook_events set event = 'webhook.test'
    where id = (select id from webhook_events where site_id = $1 limit 1)`,
    [site.id],
  )
  expect(await site.manage('GET', '/events/failed')).toMatchObject({ total: 1 })
})

it('a resend does not repeat an event that fails while the clock is behind', async () => {
  const { site, eventIds } = await failedEvents(1, 'status/503')
  const begun = await startUnheard(site)
  const ctx = testContext({ queue: lossyQueue })
  await continueResend(ctx, begun.id, 0)
  await hand([{ kind: 'event', eventId: eventIds[0] }])
  await runSql("update webhook_events set finished_at = now() - interval '1 hour' where id = $1", [
    eventIds[0],
  ])
  await continueResend(ctx, begun.id, 1)
  expect(await site.manage('GET', `/resends/${begun.id}`)).toMatchObject({ ending: 'done', failed: 1 })
  expect(await received(site)).toHaveLength(1)
})
