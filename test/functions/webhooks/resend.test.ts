import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { hand, handOver, lostEvent, rewind, runCron, stateOf } from '../../support/outbox.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { deliveries, eventually, received, release, setWebhook } from '../../support/webhook.ts'

const resend = (site: TestSite, eventId: string) => site.manage('POST', `/events/${eventId}/resends`)
const tryResend = (site: TestSite, eventId: string) => site.tryManage('POST', `/events/${eventId}/resends`)

/** An event with one finished attempt. */
async function sentEvent(script = 'ok') {
  const event = await lostEvent(script)
  await hand([{ kind: 'event', eventId: event.eventId }])
  return event
}

describe('a resend', () => {
  it('has the same id and body, a new timestamp and signature, and a log row marked manual', async () => {
    const { site, secret, eventId } = await sentEvent()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(await resend(site, eventId)).toMatchObject({ eventId, manual: true, status: 200, error: null })
    const [first, again] = await received(site)
    expect(again!.body).toBe(first!.body)
    expect(again!.headers['webhook-id']).toBe(eventId)
    expect(Number(again!.headers['webhook-timestamp'])).toBeGreaterThan(
      Number(first!.headers['webhook-timestamp']),
    )
    expect(again!.headers['x-service-signature']).not.toBe(first!.headers['x-service-signature'])
    expect(new Webhook(secret).verify(again!.body, again!.headers)).toBeTruthy()
    expect((await deliveries(site)).map(({ manual }) => manual)).toEqual([true, false])
  })

  it('goes to the current URL, signed with the current secret', async () => {
    const { site, eventId } = await sentEvent('status/500')
    await setWebhook(site, 'status/202')
    const { secret } = await site.manage('POST', '/webhook/secret-rotations')
    expect(await resend(site, eventId)).toMatchObject({ status: 202, url: expect.stringMatching(/202$/) })
    const again = (await received(site)).at(-1)!
    expect(new Webhook(secret).verify(again.body, again.headers)).toBeTruthy()
  })

  it('marks a failed event as delivered, and it stays delivered when a later resend fails', async () => {
    const { site, eventId } = await sentEvent('status/500')
    expect(await stateOf(site)).toBe('failed')
    await setWebhook(site, 'ok')
    await resend(site, eventId)
    expect(await stateOf(site)).toBe('delivered')
    await setWebhook(site, 'status/500')
    expect(await resend(site, eventId)).toMatchObject({ status: 500, error: 'http_status' })
    expect(await stateOf(site)).toBe('delivered')
  })

  it('is one POST when it is requested twice at once', async () => {
    const { site, eventId } = await sentEvent()
    await setWebhook(site, 'slow/800')
    const answers = await Promise.all([tryResend(site, eventId), tryResend(site, eventId)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect(await received(site)).toHaveLength(2)
  })

  it('is closed as interrupted when the Worker dies during it', async () => {
    const { site, eventId } = await sentEvent()
    await setWebhook(site, 'held')
    const dying = tryResend(site, eventId)
    await eventually(async () => ((await received(site)).length === 2 ? true : null))
    await rewind(eventId, 'claimed_at', '61 seconds')
    await runCron()
    expect((await deliveries(site))[0]).toMatchObject({ manual: true, error: 'interrupted' })
    expect(await stateOf(site)).toBe('delivered')
    await release(site)
    await dying
  })
})

describe('a resend is refused', () => {
  it('while the event is pending or being sent', async () => {
    const { site, eventId } = await lostEvent('slow/800')
    const refusal = { status: 409, body: { error: 'Event is still on its way' } }
    expect(await tryResend(site, eventId)).toEqual(refusal)
    const { posts } = await handOver([{ kind: 'event', eventId }])
    expect(await tryResend(site, eventId)).toEqual(refusal)
    await posts
    expect(await received(site)).toHaveLength(1)
  })

  it('for an unknown event, one of another site, and without a webhook', async () => {
    const { site, eventId } = await sentEvent()
    const other = await makeSite()
    for (const [asked, id] of [
      [other, eventId],
      [site, crypto.randomUUID()],
      [site, 'x'],
    ] as const) {
      expect(await tryResend(asked, id)).toEqual({ status: 404, body: { error: 'Event not found' } })
    }
    await site.manage('DELETE', '/webhook')
    expect(await tryResend(site, eventId)).toEqual({ status: 404, body: { error: 'Webhook not found' } })
  })
})

describe('a delivery', () => {
  it('shows the exact bytes of the request, and the start of the response', async () => {
    const { site } = await sentEvent('status/503')
    const [listed] = await deliveries(site)
    const shown = await site.manage('GET', `/deliveries/${listed!.id}`)
    expect(shown).toMatchObject(listed!)
    const [arrived] = await received(site)
    expect(shown.request!.body).toBe(arrived!.body)
    for (const [name, value] of Object.entries(shown.request!.headers)) {
      expect(arrived!.headers[name.toLowerCase()]).toBe(value)
    }
    expect(shown.answerExcerpt).toBe('said no')
  })

  it('of another site is not found', async () => {
    const { site } = await sentEvent()
    const [listed] = await deliveries(site)
    const other = await makeSite()
    for (const id of [listed!.id, 'x']) {
      expect(await other.tryManage('GET', `/deliveries/${id}`)).toEqual({
        status: 404,
        body: { error: 'Delivery not found' },
      })
    }
  })
})
