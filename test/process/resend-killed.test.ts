import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { type Service, startService } from '../support/service.ts'

const EVENTS = 20
/** Sent and answered before the Worker is killed. */
const ANSWERED = 9

type Resend = {
  id: string
  ending: string | null
  arrived: number
  failed: number
  notSent: number
  interrupted: number
}

let service: Service
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>

beforeAll(async () => {
  service = await startService()
})

afterAll(async () => {
  receiver?.close()
  await service?.stop()
})

it('a resend whose Worker is killed continues, and repeats no event that has arrived, or may have, unless requested', async () => {
  let answered = 0
  receiver = await startCountingReceiver(async (_, response) => {
    // From then on nothing is answered, so that the Worker dies during its POSTs.
    if (answered >= ANSWERED) return
    answered += 1
    response.writeHead(204).end()
  })
  const site = await service.makeSite()
  await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url })
  await service.sql(`
    insert into webhook_events (site_id, endpoint_id, event, payload, state, finished_at)
    select '${site.id}', '${site.id}', 'post.updated', '{}', 'failed', now() from generate_series(1, ${EVENTS})`)
  const resends = `${site.path}/resends`
  const resend = (body = {}) => service.manage<Resend>('POST', resends, body)
  /** With a cron each minute, on the clock that this test moves. */
  const ended = ({ id }: Resend) =>
    expect
      .poll(
        async () => {
          for (const change of [
            "update webhook_resends set turned_at = turned_at - interval '1 minute' where ended_at is null and",
            "update webhook_events set claimed_at = claimed_at - interval '1 minute' where state = 'pending' and",
          ])
            await service.sql(`${change} site_id = '${site.id}'`)
          await service.cron()
          return (await service.manage<Resend>('GET', `${resends}/${id}`)).ending
        },
        { interval: 500 },
      )
      .toBe('done')
  const resultOf = ({ id }: Resend) => service.manage<Resend>('GET', `${resends}/${id}`)

  const begun = await resend()
  const recorded = `select from webhook_deliveries where site_id = '${site.id}' and status = 204`
  // Before the other requests end, which have 8 s.
  const inTime = { interval: 20, timeout: 7_000 }
  await expect.poll(async () => (await service.sql(recorded)).rows.length, inTime).toBe(ANSWERED)
  await service.crash()
  answered = Number.NEGATIVE_INFINITY
  const tried = receiver.posts.size
  await service.sql(`update webhook_events set claimed_at = claimed_at - interval '2 minutes'
    where site_id = '${site.id}' and state = 'sending'`)
  await ended(begun)

  // Events unclaimed at its death were sent afterwards.
  const result = await resultOf(begun)
  expect(result.arrived + result.failed).toBe(EVENTS)
  // Including those that it had claimed and not yet sent.
  const interrupted = EVENTS - result.arrived
  expect(interrupted).toBeGreaterThanOrEqual(tried - ANSWERED)
  expect([...new Set(receiver.posts.values())]).toEqual([1])

  const again = await resend()
  expect(again).toMatchObject({ total: 0, interrupted, ending: 'done' })
  const asked = await resend({ includeInterrupted: true })
  await ended(asked)
  expect(await resultOf(asked)).toMatchObject({ arrived: interrupted, failed: 0 })
  const posts = [...receiver.posts.values()]
  expect(posts.reduce((sum, each) => sum + each)).toBe(EVENTS + tried - ANSWERED)
})
