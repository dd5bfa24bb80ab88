import { describe, expect, it } from 'vitest'
import { resendFailed } from '../../../src/webhooks/resend-failed.ts'
import { signIn, visit, wordsOf } from '../../support/console.ts'
import { testContext } from '../../support/context.ts'
import { hand, lostEvents } from '../../support/outbox.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'
import { deliveries, received, setWebhook } from '../../support/webhook.ts'

type Part = {
  failedUntil: string
  remaining: number
  interrupted: number
  resent: { eventId: string; error: string | null }[]
}

const HOUR_AGO = () => new Date(Date.now() - 3_600_000).toISOString()
const resend = (site: TestSite, body: Record<string, unknown> = {}) =>
  site.manage<Part>('POST', '/events/resends', { failedSince: HOUR_AGO(), ...body })

/** Events whose first attempt failed. */
async function failedEvents(count: number, script = 'status/500') {
  const { site, eventIds } = await lostEvents(script, count)
  for (let from = 0; from < count; from += 6)
    await hand(eventIds.slice(from, from + 6).map((eventId) => ({ eventId })))
  await setWebhook(site, 'ok')
  return { site, eventIds }
}

const countsOf = async (site: TestSite) => {
  const perEvent = new Map<string, number>()
  for (const { headers } of await received(site)) {
    const id = headers['webhook-id']!
    perEvent.set(id, (perEvent.get(id) ?? 0) + 1)
  }
  return [...perEvent.values()]
}

/** The page of the console. `send` posts its form, and opens what that leads to. */
async function consoleOf(site: TestSite) {
  const cookie = await signIn()
  const path = `/console/sites/${site.id}/integrations/resends`
  return {
    open: (query: string) => visit(path + query, { cookie }),
    async send({ text }: { text: string }, world = {}) {
      const fields = text.matchAll(/<input type="hidden" name="([a-z]+)" value="([^"]*)"/g)
      const form = Object.fromEntries([...fields].map(([, name, value]) => [name!, value!]))
      const { location } = await visit(path, { cookie, form, world })
      return visit(location!, { cookie })
    },
  }
}

describe('sending again what failed since a time', () => {
  it('counts first, then sends a part at a time, until nothing is left', async () => {
    const { site, eventIds } = await failedEvents(25)
    const counted = await resend(site, { limit: 0 })
    expect(counted).toMatchObject({ remaining: 25, interrupted: 0, resent: [] })
    const { failedUntil } = counted
    const first = await resend(site, { failedUntil })
    expect([first.resent.length, first.remaining]).toEqual([20, 5])
    const second = await resend(site, { failedUntil, limit: 2 })
    expect([second.resent.length, second.remaining]).toEqual([2, 3])
    const last = await resend(site, { failedUntil })
    expect([last.resent.length, last.remaining]).toEqual([3, 0])
    const sent = [first, second, last].flatMap(({ resent }) => resent)
    expect(new Set(sent.map(({ eventId }) => eventId))).toEqual(new Set(eventIds))
    expect(sent.every(({ error }) => error === null)).toBe(true)
    expect(await countsOf(site)).toEqual(eventIds.map(() => 2))
    expect((await deliveries(site)).filter(({ manual }) => manual)).toHaveLength(25)
  })

  it('sends what fails again once only, with the time of the first part', async () => {
    const { site } = await failedEvents(4)
    await setWebhook(site, 'status/503')
    const { failedUntil } = await resend(site, { limit: 0 })
    const first = await resend(site, { failedUntil })
    expect(first.resent.map(({ error }) => error)).toEqual(Array(4).fill('http_status'))
    expect(first.remaining).toBe(0)
    expect((await resend(site, { failedUntil })).resent).toEqual([])
    expect(await countsOf(site)).toEqual([2, 2, 2, 2])
  })

  it('ends by the clock of the database, though a later end is asked for', async () => {
    const { site } = await failedEvents(2)
    await setWebhook(site, 'status/503')
    const ahead = new Date(Date.now() + 3_600_000).toISOString()
    const first = await resend(site, { failedUntil: ahead })
    expect([first.resent.length, first.remaining]).toEqual([2, 0])
    expect(first.failedUntil < ahead).toBe(true)
    expect((await resend(site, { failedUntil: first.failedUntil })).resent).toEqual([])
    expect(await countsOf(site)).toEqual([2, 2])
  })

  it('leaves out what arrived, what failed before, what is on its way, and other sites', async () => {
    const { site, eventIds } = await failedEvents(4)
    const [arrived, old, open, left] = eventIds
    await site.manage('POST', `/events/${arrived}/resends`)
    await runSql("update webhook_events set finished_at = now() - interval '2 hours' where id = $1", [old])
    await runSql(
      "update webhook_events set state = 'sending', finished_at = null, claimed_at = now() where id = $1",
      [open],
    )
    const { resent } = await resend(site)
    expect(resent.map(({ eventId }) => eventId)).toEqual([left])
    expect((await resend(await failedEvents(1).then((other) => other.site))).resent).toHaveLength(1)
  })

  it('sends nothing twice when three do it at once', async () => {
    const { site, eventIds } = await failedEvents(20)
    const { failedUntil } = await resend(site, { limit: 0 })
    const parts = await Promise.all([1, 2, 3].map(() => resend(site, { failedUntil })))
    const sent = parts.flatMap(({ resent }) => resent.map(({ eventId }) => eventId))
    expect(sent.toSorted()).toEqual(eventIds.toSorted())
    expect(await countsOf(site)).toEqual(eventIds.map(() => 2))
  })

  it('asks Postgres once more for each event, to write its outcome as it ends', async () => {
    const [one, many] = await Promise.all([failedEvents(1), failedEvents(20)])
    const callsFor = ({ site }: { site: TestSite }) =>
      callsOf(() => resendFailed(testContext(), site, { since: new Date(HOUR_AGO()), until: new Date() }, 20))
    expect((await callsFor(many)) - (await callsFor(one))).toBe(19)
  })

  it('is refused without a webhook, and to a viewer', async () => {
    const { site } = await failedEvents(1)
    await site.manage('DELETE', '/webhook')
    expect((await site.tryManage('POST', '/events/resends', { failedSince: HOUR_AGO() })).status).toBe(404)
  })

  it.each([
    [{}, 'failedSince is required'],
    [{ failedSince: 'yesterday' }, 'failedSince must be an RFC 3339 date-time with offset'],
    [{ failedSince: '2026-11-01T00:00:00Z', limit: 21 }, 'limit must be at most 20'],
  ])('refuses %j', async (body, problem) => {
    const site = await makeSite()
    expect(await site.tryManage('POST', '/events/resends', body)).toMatchObject({
      status: 400,
      body: { error: `Invalid body: ${problem}` },
    })
  })

  it('is counted, sent in parts and reported in the console', async () => {
    const { site } = await failedEvents(27)
    const { open, send } = await consoleOf(site)
    expect(wordsOf(await open(''))).toContain('Count them')
    const counted = await open(`?since=${HOUR_AGO()}`)
    expect(wordsOf(counted)).toContain('27 events failed since')
    expect(wordsOf(counted)).toContain(`event resend ${site.id} --failed-since`)
    const next = await send(counted)
    expect(wordsOf(next)).not.toContain('events failed since')
    expect(wordsOf(next)).toContain('Sent again: 16 arrived, 0 failed again. 11 events left to try.')
    expect(wordsOf(await send(next))).toContain(
      'Sent again: 27 arrived, 0 failed again. None is left to try.',
    )
    expect(await countsOf(site)).toEqual(Array(27).fill(2))
  })

  it('counts interrupted events apart, and sends them in the console where that is ticked', async () => {
    const { site, eventIds } = await failedEvents(3)
    await runSql("update webhook_deliveries set error = 'interrupted', status = null where event_id = $1", [
      eventIds[0],
    ])
    const { open, send } = await consoleOf(site)
    const counted = await open(`?since=${HOUR_AGO()}`)
    expect(wordsOf(counted)).toContain('2 events failed since')
    expect(wordsOf(counted)).toContain('1 other event may have arrived: the service died while it sent it.')
    expect(wordsOf(await send(counted))).toContain('Sent again: 2 arrived, 0 failed again. None is left')
    const withIt = await open(`?since=${HOUR_AGO()}&interrupted=on`)
    expect(wordsOf(withIt)).toContain('1 event failed since')
    expect(wordsOf(await send(withIt))).toContain('Sent again: 1 arrived, 0 failed again. None is left')
    expect(await countsOf(site)).toEqual([2, 2, 2])
  })

  it.each([
    ['a slow', 'slow/1100', '8 arrived, 0 failed again'],
    ['a failing', 'status/500', '0 arrived, 8 failed again'],
  ])(
    'goes to %s receiver in smaller parts in the console, which says so sooner',
    async (_, script, result) => {
      const { site } = await failedEvents(9)
      await setWebhook(site, script)
      const { open, send } = await consoleOf(site)
      const next = await send(await open(`?since=${HOUR_AGO()}`))
      expect(wordsOf(next)).toContain(`Sent again: ${result}. 1 event left to try.`)
      expect(wordsOf(next)).toContain('Continue')
    },
  )

  it('keeps in the console what was sent when Redis goes away, and says why no more was', async () => {
    const { site } = await failedEvents(2)
    const { open, send } = await consoleOf(site)
    const counted = await open(`?since=${HOUR_AGO()}&arrived=24&failed=3`)
    const refused = await send(counted, { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' })
    expect(wordsOf(refused)).toContain('A part of the service cannot be reached')
    expect(wordsOf(refused)).toContain('Sent again: 24 arrived, 3 failed again. 2 events left to try.')
    expect(await countsOf(site)).toEqual([1, 1])
    expect(wordsOf(await send(refused))).toContain(
      'Sent again: 26 arrived, 3 failed again. None is left to try.',
    )
  })
})
