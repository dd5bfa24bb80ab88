import { exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { makeSite, ORIGIN } from '../support/site.ts'

const CHUNK_BYTES = 64 * 1024
const SITE = '/sites/00000000-0000-4000-8000-000000000000'

/**
 * Sends a body in chunks, without a length.
 * @returns the status, and the number of chunks read
 */
async function sendChunks(method: string, path: string, headers: Record<string, string>) {
  let chunks = 0
  const body = new ReadableStream({
    pull(controller) {
      chunks += 1
      if (chunks > 400) controller.close()
      else controller.enqueue(new Uint8Array(CHUNK_BYTES).fill(0x20))
    },
  })
  // With an address of other tests, their guesses would cause a 429.
  const sent = { 'CF-Connecting-IP': crypto.randomUUID(), ...headers }
  const request = new Request(ORIGIN + path, { method, headers: sent, body, redirect: 'manual' })
  const response = await exports.default.fetch(request)
  await response.body?.cancel()
  return { status: response.status, chunks }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' }
const WRONG = { Authorization: `Bearer ${'x'.repeat(40)}` }

describe('a large body without a length', () => {
  it.each<[string, string, Record<string, string>, number]>([
    ['POST', '/mcp', JSON_TYPE, 401],
    ['POST', '/mcp/', JSON_TYPE, 401],
    ['POST', '/mcp', { ...JSON_TYPE, ...WRONG }, 401],
    ['POST', '/manage/v1/sites', JSON_TYPE, 401],
    ['PUT', `/manage/v1${SITE}/posts/a`, JSON_TYPE, 401],

    ['POST', '/api/v1/webhooks/test', JSON_TYPE, 401],
    ['POST', '/console/sign-in', FORM, 413],
    ['POST', '/console/sign-in?kept=1&next=%2Fconsole%2Fsites%2Fa%2Fcontent%2Fposts%2Fb%2Fedit', FORM, 413],

    ['POST', '/console/x/console/sign-in', FORM, 413],
    ['PUT', '/console/sign-in', FORM, 413],
    ['DELETE', '/console/overview', FORM, 303],

    ['POST', `/console${SITE}/settings/transfer`, FORM, 413],
    ['PUT', '/sitemaps/x/sitemap.xml', {}, 405],

    ['POST', '/docs/', {}, 405],
  ])('without a credential is not read: %s %s', async (method, path, headers, status) => {
    const sent = await sendChunks(method, path, headers)
    expect(sent.status).toBe(status)
    expect(sent.chunks).toBeLessThan(8)
  })

  it('with a credential is read up to 8 MiB', async () => {
    const { key } = await makeSite()
    const headers = { ...JSON_TYPE, Authorization: `Bearer ${key}` }
    const { status, chunks } = await sendChunks('POST', '/mcp', headers)
    expect(status).toBe(413)
    expect(chunks).toBeLessThan(150)
  })
})
