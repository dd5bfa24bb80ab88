import { beforeAll, describe, expect, it } from 'vitest'
import { putGuide } from '../support/content.ts'
import { call, makeSite, operatorToken, type TestSite } from '../support/site.ts'
import { BROKEN_DATABASE, callIn } from '../support/world.ts'

const ORIGIN = { Origin: 'https://reader.example' }

/** A request of each kind, with its status and the caching of its answer. */
const REQUESTS: [below: string, status: number, cacheControl: string, options?: object][] = [
  ...['/posts', '/posts/a', '/guides', '/guides/a', '/redirects'].map((below): [string, number, string] => [
    below,
    200,
    'private, no-cache',
  ]),
  ['/posts', 200, 'private, no-cache', { method: 'HEAD' }],
  ['/posts', 304, 'private, no-cache', { headers: { ...ORIGIN, 'If-None-Match': '*' } }],
  ['/sitemap.xml', 200, 'private, max-age=300'],
  ['/training/export', 200, 'no-store'],
  ['/posts?page=0', 400, 'no-store'],
  ['/posts', 401, 'no-store', { key: null }],
  ['/posts/missing', 404, 'no-store'],
  ['/guides/missing', 404, 'no-store'],
  ['/sitemap.xml?page=2', 404, 'no-store'],
  ['/unknown', 404, 'no-store'],
  ['/posts', 405, 'no-store', { method: 'DELETE' }],
]

let answers: { response: Response; at: string; status: number; cacheControl: string }[]
let site: TestSite

const words = (list: string | null) => (list ?? '').split(',').map((word) => word.trim().toLowerCase())

beforeAll(async () => {
  site = await makeSite({ trainingOptIn: true })
  await site.put('a', { status: 'published' })
  await putGuide(site, 'a')
  const spent = await makeSite({ dailyQuota: 1 })
  await spent.get('/posts')
  const failed = { key: site.key, headers: ORIGIN }
  const others: [Promise<Response>, number][] = [
    [spent.get('/posts', { headers: ORIGIN }), 429],
    [spent.get('/training/export', { headers: ORIGIN }), 403],
    [callIn(BROKEN_DATABASE, `/api/v1${site.path}/posts?pageSize=7`, failed), 500],
    [call('/api/v1/webhooks/test', { method: 'POST', key: site.key, headers: ORIGIN }), 400],
  ]
  const asked = REQUESTS.map(async ([below, status, cacheControl, options]) => {
    const response = await site.get(below, { headers: ORIGIN, ...options })
    return { response, at: `${status} ${below}`, status, cacheControl }
  })
  const more = others.map(async ([asked, status]) => ({
    ...{ response: await asked, at: `${status}`, status, cacheControl: 'no-store' },
  }))
  answers = await Promise.all([...asked, ...more])
})

describe('every answer of the API', () => {
  it('has its status, its caching, and Vary, since the key matters and answers are compressed', () => {
    for (const { response, at, status, cacheControl } of answers) {
      const { headers } = response
      expect([response.status, headers.get('Cache-Control')], at).toEqual([status, cacheControl])
      if (at === '404 /unknown' || status === 405) continue
      expect(words(headers.get('Vary')), at).toEqual(['authorization', 'accept-encoding'])
    }
  })

  it('can be read with its headers by a script of any origin, without credentials', () => {
    const exposed =
      'etag x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset retry-after link x-request-id'
    for (const { response, at } of answers) {
      expect(response.headers.get('Access-Control-Allow-Origin'), at).toBe('*')
      expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull()
      expect(words(response.headers.get('Access-Control-Expose-Headers'))).toEqual(
        expect.arrayContaining(exposed.split(' ')),
      )
    }
  })

  it('has an X-Request-Id of its own, and so have answers outside of it', async () => {
    const headers = { key: operatorToken }
    const outside = ['/', '/api/v1/openapi.json', '/manage/v1/sites'].map((path) => call(path, headers))
    const all = [...answers.map(({ response }) => response), ...(await Promise.all(outside))]
    const ids = all.map((response) => response.headers.get('X-Request-Id'))
    for (const id of ids) expect(id).toMatch(/^[\w-]{8,}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe("a client's own X-Request-Id", () => {
  it('is used, unless it could be a key or a token', async () => {
    const idOf = async (given: string) =>
      (await call('/', { headers: { 'X-Request-Id': given } })).headers.get('X-Request-Id')
    for (const id of ['1', crypto.randomUUID(), '4bf92f3577b34da6a3ce929d0e0e4736'])
      expect(await idOf(id)).toBe(id)
    for (const secret of [site.key, operatorToken]) expect(await idOf(secret)).toHaveLength(36)
  })
})

describe('a preflight', () => {
  it.each(['/sites/x/posts', '/sites/x/sitemap.xml', '/webhooks/test'])(
    'of %s needs no key, and allows reads and conditions',
    async (path) => {
      const asked = { 'Access-Control-Request-Headers': 'authorization,if-none-match' }
      const headers = { ...ORIGIN, 'Access-Control-Request-Method': 'GET', ...asked }
      const response = await call(`/api/v1${path}`, { method: 'OPTIONS', headers })
      expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([204, '*'])
      expect(words(response.headers.get('Access-Control-Allow-Methods')).sort()).toEqual([
        'get',
        'head',
        'post',
      ])
      expect(words(response.headers.get('Access-Control-Allow-Headers'))).toEqual(
        expect.arrayContaining(['authorization', 'if-none-match']),
      )
    },
  )
})

describe('the management API', () => {
  it('offers no CORS, and shows secrets with no-store', async () => {
    const listed = await call('/manage/v1/sites', { key: operatorToken, headers: ORIGIN })
    expect(listed.headers.get('Access-Control-Allow-Origin')).toBeNull()
    for (const [method, below, body] of [
      ['POST', '/keys', { name: 'second' }],
      ['PUT', '/webhook', { url: 'https://cms.example.com/in' }],
    ] as const) {
      const made = await call(`/manage/v1${site.path}${below}`, { method, body, key: operatorToken })
      expect([made.status, made.headers.get('Cache-Control')]).toEqual([201, 'no-store'])
    }
  })
})
