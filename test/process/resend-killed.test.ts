import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { type Service, startService } from '../support/service.ts'

const EVENTS = 20
/** Sent and answered before the Worker is killed. */
const ANSWERED = 9

type Part = { remaining: number; interrupted: number; resent: { eventId: string }[] }

let service: Service
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>

beforeAll(async () => {
  service = await startService()
})

afterAll(async () => {
  receiver?.close()
  await service?.stop()
})

it('a resend whose Worker is killed sends nothing again that has arrived, nor what may have, unless it is asked for', async () => {
  let answered = 0
  receiver = await startCountingReceiver(async (_, response) => {
    // From then on nothing is answered, so that the Worker dies in the middle of its POSTs.
    if (answered >= ANSWERED) return
    answered += 1
    response.writeHead(204).end()
  })
  const site = await service.makeSite()
  await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url })
  await service.sql(`
    insert into webhook_events (site_id, event, payload, state, finished_at)
    select '${site.id}', 'webhook.test', '{}', 'failed', now() from generate_series(1, ${EVENTS})`)
  const failedSince = new Date(Date.now() - 3_600_000).toISOString()
  const resend = (body = {}) =>
    service.manage<Part>('POST', `${site.path}/events/resends`, { failedSince, ...body })

  const killed = resend().catch(() => 'killed')
  const recorded = `select from webhook_deliveries where site_id = '${site.id}' and status = 204`
  // Before the others end, which are waited for for 8 s.
  const inTime = { interval: 20, timeout: 7_000 }
  await expect.poll(async () => (await service.sql(recorded)).rows.length, inTime).toBe(ANSWERED)
  await service.crash()
  expect(await killed).toBe('killed')
  answered = Number.NEGATIVE_INFINITY
  const tried = receiver.posts.size

  await service.sql(`update webhook_events set claimed_at = claimed_at - interval '2 minutes'
    where site_id = '${site.id}' and state = 'sending'`)
  await service.cron()
  const open = `select from webhook_events where site_id = '${site.id}' and state = 'sending'`
  await expect.poll(async () => (await service.sql(open)).rows, { timeout: 30_000 }).toEqual([])

  const again = await resend()
  expect(again).toMatchObject({ remaining: 0, interrupted: EVENTS - ANSWERED, resent: [] })
  expect([...receiver.posts.values()]).toEqual(Array(tried).fill(1))
  const asked = await resend({ includeInterrupted: true })
  expect(asked).toMatchObject({ remaining: 0, interrupted: 0 })
  expect(asked.resent).toHaveLength(EVENTS - ANSWERED)
  const posts = [...receiver.posts.values()]
  expect(posts).toHaveLength(EVENTS)
  expect(posts.reduce((sum, each) => sum + each)).toBe(tried + EVENTS - ANSWERED)
})
