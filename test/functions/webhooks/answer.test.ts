import { describe, expect, it } from 'vitest'
import { signIn, visit, wordsOf } from '../../support/console.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { call, makeSite } from '../../support/site.ts'
import { deliveries, setWebhook } from '../../support/webhook.ts'

type Answer = {
  status: number | null
  error: string | null
  answerExcerpt: string | null
  answerTruncated: boolean
  answerHeaders: Record<string, string> | null
}

/** The stored response to one event. */
async function answerOf(script: string): Promise<Answer> {
  const { site, eventId } = await lostEvent(script)
  await hand([{ kind: 'event', eventId }])
  const [{ id } = { id: '' }] = await deliveries(site)
  return site.manage('GET', `/deliveries/${id}`)
}

describe('the body of a response', () => {
  it.each([
    ['whole/1', 1, false],
    ['whole/1024', 1_024, false],
    ['whole/1025', 1_024, true],
    ['endless', 1_024, true],
  ])('%s is kept up to 1,024 bytes, and a flag says if it is longer', async (script, length, truncated) => {
    const { answerExcerpt, answerTruncated } = await answerOf(script)
    expect([answerExcerpt!.length, answerTruncated]).toEqual([length, truncated])
  })

  it.each(['begun', 'broken'])('that has %s is not treated as complete', async (script) => {
    expect(await answerOf(script)).toMatchObject({
      status: 200,
      error: null,
      answerExcerpt: 'first words',
      answerTruncated: true,
    })
  })

  it('that does not arrive is not treated as empty, and an empty one is complete', async () => {
    expect(await answerOf('silent')).toMatchObject({ answerExcerpt: null, answerTruncated: true })
    expect(await answerOf('status/204')).toMatchObject({ answerExcerpt: null, answerTruncated: false })
  })
})

const CHECKS: [name: string, status: number, headers: Record<string, string>, body?: string][] = [
  ['Cloudflare', 403, { Server: 'cloudflare', 'CF-Mitigated': 'challenge' }],
  ['SiteGround', 202, { 'SG-Captcha': 'challenge' }, '<html></html>'],
  ['SiteGround', 202, {}, '<meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2Fhook">'],
  ['AWS WAF', 202, { 'x-amzn-waf-action': 'challenge' }],
  ['AWS WAF', 405, { 'x-amzn-waf-action': 'captcha' }],
  ['Vercel', 429, { 'X-Vercel-Mitigated': 'challenge' }],
  ['Sucuri', 403, { Server: 'Sucuri/Cloudproxy', 'X-Sucuri-Block': 'FBP007' }],
  ['DataDome', 403, { 'X-DataDome': 'protected' }],
  ['Akamai', 403, { Server: 'AkamaiGHost' }],
  ['DDoS-Guard', 403, { Server: 'ddos-guard' }, '<title>DDOS-GUARD</title>'],
  ['Imperva', 200, { 'X-Iinfo': '8-1-2' }, '<iframe>Request unsuccessful. Incapsula incident ID: 1</iframe>'],
  ['Imunify360', 200, {}, '{"message":"Access denied by Imunify360 bot-protection."}'],
  ['Wordfence', 503, {}, '<title>Your access to this site has been limited by the site owner</title>'],
]

const answering = (status: number, headers: Record<string, string>, body = '') =>
  `answer/${encodeURIComponent(JSON.stringify({ status, headers, body }))}`

describe('a bot check in front of the receiver', () => {
  it.each(CHECKS)('of %s that answers %i fails the delivery', async (name, status, headers, body) => {
    const { site, eventId } = await lostEvent(answering(status, headers, body))
    await hand([{ kind: 'event', eventId }])
    const [delivery] = await deliveries(site)
    expect(delivery).toMatchObject({ status, error: 'bot_check' })
    const { answerHeaders } = await site.manage('GET', `/deliveries/${delivery!.id}`)
    for (const [header, value] of Object.entries(headers))
      expect(answerHeaders).toMatchObject({ [header.toLowerCase()]: value })
    const page = await visit(`/console/sites/${site.id}/integrations/deliveries/${delivery!.id}`, {
      cookie: await signIn(),
    })
    const words = wordsOf(page)
    expect(words).toContain(`A bot check by ${name} responded with ${status} instead of the receiver`)
    expect(words).toContain(`Exempt POST requests to ${new URL(delivery!.url).pathname} from the check`)
    expect(words).toContain('the User-Agent headless-content-api/1.0 (+webhooks)')
  })

  it('makes a test fail with the status of the response', async () => {
    const site = await makeSite()
    await setWebhook(site, answering(202, { 'SG-Captcha': 'challenge' }))
    const response = await call('/api/v1/webhooks/test', { method: 'POST', key: site.key })
    expect(await response.json()).toEqual({ ok: false, status: 202, delivered: false })
  })

  it.each<[status: number, headers: Record<string, string>, body: string]>([
    [200, { Server: 'cloudflare', 'CF-Ray': '1-FRA' }, 'thanks'],
    [202, { Server: 'ddos-guard', 'X-DataDome': 'protected', 'X-Iinfo': '8-1-2' }, 'accepted'],
    [200, {}, JSON.stringify({ title: 'Access denied by Imunify360? content="0;/.well-known/sgcaptcha/' })],
    [200, {}, `${'.'.repeat(1_024)}content="0;/.well-known/sgcaptcha/"`],
  ])('is not detected in a response of the receiver itself: %i %o', async (status, headers, body) => {
    expect(await answerOf(answering(status, headers, body))).toMatchObject({ status, error: null })
  })

  it('is not detected in an error of the receiver behind it, whose advice has the User-Agent', async () => {
    const { site, eventId } = await lostEvent(answering(403, { Server: 'ddos-guard' }, 'bad signature'))
    await hand([{ kind: 'event', eventId }])
    const [delivery] = await deliveries(site)
    expect(delivery).toMatchObject({ status: 403, error: 'http_status' })
    const path = `/console/sites/${site.id}/integrations/deliveries/${delivery!.id}`
    const words = wordsOf(await visit(path, { cookie: await signIn() }))
    expect(words).toContain('Our User-Agent is headless-content-api/1.0 (+webhooks)')
  })
})

describe("Cloudflare's answer for a receiver that it cannot reach", () => {
  it.each([
    [521, 'refused'],
    [522, 'timeout'],
    [523, 'refused'],
    [524, 'timeout'],
    [525, 'tls'],
    [526, 'tls'],
    [530, 'dns'],
  ])('%i is the error %s, as if we had called it directly', async (status, error) => {
    expect(await answerOf(answering(status, { Server: 'cloudflare' }))).toMatchObject({ status, error })
  })

  it('is only recognized if Cloudflare sent it', async () => {
    expect(await answerOf(answering(530, {}))).toMatchObject({ status: 530, error: 'http_status' })
  })
})

describe('the headers of a response', () => {
  it('are kept if they are useful, cut at 500 characters, and never include cookies', async () => {
    const { error, answerHeaders } = await answerOf('headers')
    expect(error).toBe('http_status')
    expect(answerHeaders).toEqual({
      'retry-after': '120',
      'x-request-id': `${'r'.repeat(499)}…`,
      server: expect.stringMatching(/^s{498}\ufffd…$/u),
      date: expect.any(String),
    })
    for (const value of Object.values(answerHeaders!)) {
      expect([value.length <= 500, value.isWellFormed()]).toEqual([true, true])
    }
  })

  it('are null without a response', async () => {
    expect(await answerOf('reset')).toMatchObject({
      status: null,
      answerHeaders: null,
      answerTruncated: false,
    })
  })
})
