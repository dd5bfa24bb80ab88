import { exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { generateToken } from '../../src/foundation/token.ts'
import { post, rpc } from '../support/mcp.ts'
import { makeSite, ORIGIN } from '../support/site.ts'
import { callsOf } from '../support/sql.ts'

const CHUNK_BYTES = 64 * 1024
const SITE = '/sites/00000000-0000-4000-8000-000000000000'

/** Sends a body in chunks, without a length. @returns the status, and how many chunks were read */
async function sendChunks(method: string, path: string, headers: Record<string, string>) {
  let chunks = 0
  const body = new ReadableStream({
    pull(controller) {
      chunks += 1
      if (chunks > 400) controller.close()
      else controller.enqueue(new Uint8Array(CHUNK_BYTES).fill(0x20))
    },
  })
  // Guesses from the address of other tests would be refused with 429.
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
    ['PATCH', `/manage/v1${SITE}`, { ...JSON_TYPE, ...WRONG }, 401],
    ['POST', '/api/v1/webhooks/test', JSON_TYPE, 401],
    ['POST', '/console/sign-in', FORM, 413],
    ['POST', '/console/sign-in?kept=1&next=%2Fconsole%2Fsites%2Fa%2Fcontent%2Fposts%2Fb%2Fedit', FORM, 413],
    ['POST', `/console${SITE}/settings`, FORM, 413],
    ['POST', '/console/x/console/sign-in', FORM, 413],
    ['PUT', '/console/sign-in', FORM, 413],
    ['DELETE', '/console/overview', FORM, 303],
    ['PROPFIND', '/console/overview', FORM, 303],
    ['POST', `/console${SITE}/content/posts/a/edit`, FORM, 413],
    ['POST', `/console${SITE}/settings/transfer`, FORM, 413],
    ['POST', `/console${SITE}/integrations/signature-check`, FORM, 413],
    ['PUT', '/sitemaps/x/sitemap.xml', {}, 405],
    ['POST', '/drafts/x', {}, 405],
    ['POST', '/docs/', {}, 405],
  ])('of somebody without a credential is not read: %s %s', async (method, path, headers, status) => {
    const sent = await sendChunks(method, path, headers)
    expect(sent.status).toBe(status)
    expect(sent.chunks).toBeLessThan(8)
  })

  it('is read up to 8 MiB with one', async () => {
    const { key } = await makeSite()
    const headers = { ...JSON_TYPE, Authorization: `Bearer ${key}` }
    const { status, chunks } = await sendChunks('POST', '/mcp', headers)
    expect(status).toBe(413)
    expect(chunks).toBeLessThan(150)
  })
})

describe('keys that are guessed at /mcp', () => {
  it('cost few queries, and keys that are in use are still let in', async () => {
    const { key } = await makeSite()
    const headers = { 'CF-Connecting-IP': `198.51.100.${Math.trunc(Math.random() * 50)}` }
    await (await post({ key, body: rpc('ping') })).text()
    const forged = Array.from({ length: 60 }, () => generateToken('hca_live_'))
    const statuses: number[] = []
    const queries = await callsOf(async () => {
      for (const each of forged) statuses.push((await post({ key: each, headers, body: rpc('ping') })).status)
    })
    expect(queries).toBeLessThanOrEqual(20)
    expect([...new Set(statuses)]).toEqual([401, 429])
    expect((await post({ key, headers, body: rpc('ping') })).status).toBe(200)
  })
})
