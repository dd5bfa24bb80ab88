import { afterEach, describe, expect, it, vi } from 'vitest'
import { findBotCheck } from '../../../src/webhooks/bot-checks.ts'
import { postEvent } from '../../../src/webhooks/send.ts'

afterEach(() => void vi.useRealTimers())

/** The outcome of a POST with this answer. */
async function outcomeOf(answer: () => Response | Promise<Response>) {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const posted = postEvent(async () => answer(), 'https://cms.example.org/', {}, new Uint8Array())
  await vi.advanceTimersByTimeAsync(600)
  return (await posted).outcome
}

const answering = (status: number, headers: Record<string, string> = {}, body: BodyInit | null = null) =>
  outcomeOf(() => new Response([204, 304].includes(status) ? null : body, { status, headers }))

/** A body of these parts, after which it ends, waits or breaks off. */
const bodyOf = (parts: string[], then: 'end' | 'wait' | 'break') =>
  new ReadableStream({
    pull(controller) {
      const part = parts.shift()
      if (part !== undefined) controller.enqueue(new TextEncoder().encode(part))
      else if (then === 'end') controller.close()
      else if (then === 'break') controller.error(new Error('Network connection lost'))
      else return new Promise(() => {})
    },
  })

describe('the status of an answer', () => {
  it.each<[number, Record<string, string>, string | null]>([
    [200, {}, null],
    [204, {}, null],
    ...[301, 302, 303, 307, 308].map((status): [number, object, string] => [
      status,
      { Location: '/x' },
      'redirect',
    ]),
    [410, {}, 'http_status'],
    [503, {}, 'http_status'],
    [522, {}, 'http_status'],
    [530, {}, 'http_status'],
    ...Object.entries({
      521: 'refused',
      522: 'timeout',
      523: 'refused',
      524: 'timeout',
      525: 'tls',
      526: 'tls',
      530: 'dns',
    }).map(([status, error]): [number, object, string] => [Number(status), { Server: 'cloudflare' }, error]),
  ] as [number, Record<string, string>, string | null][])(
    '%i with %o is %s',
    async (status, headers, error) => {
      expect(await answering(status, headers)).toMatchObject({ status, error })
    },
  )

  it.each([
    ['Network connection lost.', 'connection_lost'],
    ['internal error; reference = x', 'unreachable'],
  ])('that does not come because of "%s" is %s', async (message, error) => {
    const outcome = await outcomeOf(() => Promise.reject(new Error(message)))
    expect(outcome).toMatchObject({ status: null, error, answerHeaders: null, answerTruncated: false })
  })
})

describe('the body of an answer', () => {
  it.each<[string, BodyInit | null, string | null, boolean]>([
    ['of one byte', 'x', 'x', false],
    ['of 1,024 bytes', 'x'.repeat(1_024), 'x'.repeat(1_024), false],
    ['of 1,025 bytes', 'x'.repeat(1_025), 'x'.repeat(1_024), true],
    ['that goes on for ever', bodyOf(Array(9).fill('x'.repeat(16_384)), 'wait'), 'x'.repeat(1_024), true],
    ['that pauses', bodyOf(['first words'], 'wait'), 'first words', true],
    ['that breaks off', bodyOf(['first words'], 'break'), 'first words', true],
    ['that does not arrive', bodyOf([], 'wait'), null, true],
    ['that is empty', '', null, false],
    ['with NUL', 'a\0b', 'a\ufffdb', false],
  ])(
    '%s is kept up to 1,024 bytes, and a flag says if there is more',
    async (_, body, answerExcerpt, answerTruncated) => {
      expect(await answering(200, {}, body)).toMatchObject({
        status: 200,
        error: null,
        answerExcerpt,
        answerTruncated,
      })
    },
  )
})

describe('the headers of an answer', () => {
  it('are kept if they are useful, cut at 500 characters, and never include cookies', async () => {
    const { answerHeaders } = await answering(503, {
      ...{
        'Retry-After': '120',
        'X-Request-Id': 'r'.repeat(600),
        'Set-Cookie': 'session=secret',
        'X-Own': 'x',
      },
      // A cut leaves half of a character.
      Server: `${'s'.repeat(498)}\ud83e\udd8a`.slice(0, 499) + 's'.repeat(9),
    })
    expect(answerHeaders).toMatchObject({ 'retry-after': '120', 'x-request-id': `${'r'.repeat(499)}…` })
    expect(Object.keys(answerHeaders!)).not.toContain('set-cookie')
    expect(Object.keys(answerHeaders!)).not.toContain('x-own')
    for (const value of Object.values(answerHeaders!))
      expect([value.length <= 500, value.isWellFormed()]).toEqual([true, true])
  })
})

describe('a bot check in front of the receiver', () => {
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
    [
      'Imperva',
      200,
      { 'X-Iinfo': '8-1-2' },
      '<iframe>Request unsuccessful. Incapsula incident ID: 1</iframe>',
    ],
    ['Imunify360', 200, {}, '{"message":"Access denied by Imunify360 bot-protection."}'],
    ['Wordfence', 503, {}, '<title>Your access to this site has been limited by the site owner</title>'],
  ]

  it.each(CHECKS)(
    'of %s that answers %i fails the delivery, and its headers are kept',
    async (name, status, headers, body) => {
      const outcome = await answering(status, headers, body)
      expect(outcome).toMatchObject({ status, error: 'bot_check' })
      for (const [header, value] of Object.entries(headers))
        expect(outcome.answerHeaders).toMatchObject({ [header.toLowerCase()]: value })
      const given = new Headers(headers)
      expect(findBotCheck({ status, header: (each) => given.get(each) }, body)).toBe(name)
    },
  )

  it.each<[status: number, headers: Record<string, string>, body: string]>([
    [200, { Server: 'cloudflare', 'CF-Ray': '1-FRA' }, 'thanks'],
    [200, { Server: 'AkamaiGHost' }, 'thanks'],
    [202, { Server: 'ddos-guard', 'X-DataDome': 'protected', 'X-Iinfo': '8-1-2' }, 'accepted'],
    [200, {}, JSON.stringify({ title: 'Access denied by Imunify360? content="0;/.well-known/sgcaptcha/' })],
    [200, {}, `${'.'.repeat(1_024)}content="0;/.well-known/sgcaptcha/"`],
  ])('is not detected in a response of the receiver itself: %i %o', async (status, headers, body) => {
    expect(await answering(status, headers, body)).toMatchObject({ status, error: null })
  })
})
