/** From outside: what test/src/webhooks/send.test.ts finds in an answer is stored and explained. */
import { describe, expect } from 'vitest'
import { signIn, visit, wordsOf } from '../../support/console.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { call, it } from '../../support/site.ts'
import { deliveries, setWebhook } from '../../support/webhook.ts'

const answering = (status: number, headers: Record<string, string>, body = '') =>
  `answer/${encodeURIComponent(JSON.stringify({ status, headers, body }))}`

async function explained(script: string) {
  const { site, eventId } = await lostEvent(script)
  await hand([{ kind: 'event', eventId }])
  const [delivery] = await deliveries(site)
  const path = `/console/sites/${site.id}/integrations/deliveries/${delivery!.id}`
  const words = wordsOf(await visit(path, { cookie: await signIn() }))
  return { words, delivery, stored: await site.manage('GET', `/deliveries/${delivery!.id}`) }
}

describe('the answer of a receiver', () => {
  it.each([
    ['endless', { status: 200, error: null, answerExcerpt: 'x'.repeat(1_024), answerTruncated: true }],
    ['broken', { status: 200, error: null, answerExcerpt: 'first words', answerTruncated: true }],
    ['status/204', { status: 204, error: null, answerExcerpt: null, answerTruncated: false }],
    ['reset', { status: null, error: 'connection_lost', answerHeaders: null, answerTruncated: false }],
  ])('%s is stored as it arrived', async (script, wanted) => {
    const { site, eventId } = await lostEvent(script)
    await hand([{ kind: 'event', eventId }])
    const [delivery] = await deliveries(site)
    expect(await site.manage('GET', `/deliveries/${delivery!.id}`)).toMatchObject(wanted)
  })

  it('keeps useful headers, cut between whole characters', async () => {
    const { stored } = await explained('headers')
    expect(stored.answerHeaders).toEqual({
      ...{ 'retry-after': '120', 'x-request-id': `${'r'.repeat(499)}…`, date: expect.any(String) },
      server: expect.stringMatching(/^s{498}\ufffd…$/u),
    })
  })
})

describe('a bot check in front of the receiver', () => {
  it('fails the delivery, and is explained by name', async () => {
    const { words, delivery } = await explained(answering(403, { 'CF-Mitigated': 'challenge' }))
    expect(delivery).toMatchObject({ status: 403, error: 'bot_check' })
    expect(words).toContain('A bot check by Cloudflare responded with 403 instead of the receiver')
    expect(words).toContain(`Exempt POST requests to ${new URL(delivery!.url).pathname} from the check`)
    expect(words).toContain('the User-Agent headless-content-api/1.0 (+webhooks)')
  })

  it('makes a test fail with the status of the response', async ({ site }) => {
    await setWebhook(site, answering(202, { 'SG-Captcha': 'challenge' }))
    const response = await call('/api/v1/webhooks/test', { method: 'POST', key: site.key })
    expect(await response.json()).toEqual({ ok: false, status: 202, delivered: false })
  })

  it('is not detected in an error of the receiver behind it, whose advice has the User-Agent', async () => {
    const { words, delivery } = await explained(answering(403, { Server: 'ddos-guard' }, 'bad signature'))
    expect(delivery).toMatchObject({ status: 403, error: 'http_status' })
    expect(words).toContain('Our User-Agent is headless-content-api/1.0 (+webhooks)')
  })
})
