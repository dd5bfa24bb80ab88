import { describe, expect, it } from 'vitest'
import { putGuide } from '../support/content.ts'
import { call, makeSite, operatorToken, type TestSite } from '../support/site.ts'
import { BROKEN_DATABASE, callIn } from '../support/world.ts'

const READS = ['/posts', '/posts/a', '/guides', '/guides/a', '/sitemap.xml', '/redirects', '/training/export']

async function siteWithContent() {
  const site = await makeSite({ trainingOptIn: true })
  await site.put('a', { status: 'published' })
  await putGuide(site, 'a')
  return site
}

const failed = (site: TestSite, headers?: Record<string, string>) =>
  callIn(BROKEN_DATABASE, `/api/v1${site.path}/posts?pageSize=7`, { key: site.key, headers })

const words = (list: string | null) => (list ?? '').split(',').map((word) => word.trim().toLowerCase())

describe('X-Request-Id', () => {
  it('is on every answer, and different each time', async () => {
    const site = await siteWithContent()
    const tag = (await site.get('/posts')).headers.get('ETag')!
    const answers = [
      ...(await Promise.all(READS.map((below) => site.get(below)))),
      await site.get('/posts', { headers: { 'If-None-Match': tag } }),
      await site.get('/posts?page=0'),
      await site.get('/posts', { key: null }),
      await (await makeSite()).get('/training/export'),
      await site.get('/posts/missing'),
      await site.get('/posts', { method: 'DELETE' }),
      await site.get('/posts', { method: 'HEAD' }),
      await site.get('/posts', { method: 'OPTIONS' }),
      await failed(site),
      await call('/'),
      await call('/api/v1/openapi.json'),
      await call('/manage/v1/sites', { key: operatorToken }),
      await call('/manage/v1/sites'),
    ]
    expect(answers.slice(READS.length, READS.length + 9).map(({ status }) => status)).toEqual([
      304, 400, 401, 403, 404, 405, 200, 204, 500,
    ])
    const ids = answers.map(({ headers }) => headers.get('X-Request-Id'))
    for (const id of ids) expect(id).toMatch(/^[\w-]{8,}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe("a client's own X-Request-Id", () => {
  it('is used, unless it could be a key or a token', async () => {
    const site = await makeSite()
    const idOf = async (given: string) =>
      (await call('/', { headers: { 'X-Request-Id': given } })).headers.get('X-Request-Id')
    for (const id of ['1', crypto.randomUUID(), '4bf92f3577b34da6a3ce929d0e0e4736']) {
      expect(await idOf(id)).toBe(id)
    }
    for (const secret of [site.key, operatorToken]) expect(await idOf(secret)).toHaveLength(36)
  })
})

describe('CORS', () => {
  it('lets any origin read every answer, without credentials, and see its headers', async () => {
    const site = await siteWithContent()
    const headers = { Origin: 'https://reader.example' }
    const answers = [
      ...(await Promise.all(READS.map((below) => site.get(below, { headers })))),
      await site.get('/posts?page=0', { headers }),
      await site.get('/posts', { headers, key: null }),
      await site.get('/posts/missing', { headers }),
      await site.get('/posts', { headers, method: 'DELETE' }),
      await site.get('/posts', { headers: { ...headers, 'If-None-Match': '*' } }),
      await failed(site, headers),
      await call('/api/v1/webhooks/test', { method: 'POST', key: site.key, headers }),
    ]
    for (const answer of answers) {
      expect(answer.headers.get('Access-Control-Allow-Origin'), answer.url).toBe('*')
      expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull()
      const rate = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
      expect(words(answer.headers.get('Access-Control-Expose-Headers'))).toEqual(
        expect.arrayContaining(['etag', ...rate, 'retry-after', 'link', 'x-request-id']),
      )
    }
  })

  it.each([
    ...READS.map((below) => ['GET', `/sites/x${below}`]),
    ['HEAD', '/sites/x/posts'],
    ['POST', '/webhooks/test'],
  ])('allows %s %s in a preflight, which needs no key', async (method, path) => {
    const response = await call(`/api/v1${path}`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://reader.example',
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,if-none-match',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(words(response.headers.get('Access-Control-Allow-Methods')).sort()).toEqual([
      'get',
      'head',
      'post',
    ])
    expect(words(response.headers.get('Access-Control-Allow-Headers'))).toEqual(
      expect.arrayContaining(['authorization', 'if-none-match']),
    )
  })

  it('is not offered by the management API', async () => {
    const headers = { Origin: 'https://reader.example' }
    const response = await call('/manage/v1/sites', { key: operatorToken, headers })
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })
})

describe('Cache-Control', () => {
  it.each([
    ['/posts', 'private, no-cache'],
    ['/posts/a', 'private, no-cache'],
    ['/guides', 'private, no-cache'],
    ['/redirects', 'private, no-cache'],
    ['/guides/a', 'private, no-cache'],
    ['/sitemap.xml', 'private, max-age=300'],
    ['/training/export', 'no-store'],
    ['/posts?page=0', 'no-store'],
    ['/posts/missing', 'no-store'],
    ['/guides/missing', 'no-store'],
    ['/sitemap.xml?page=2', 'no-store'],
    ['/unknown', 'no-store'],
  ])('of %s is %s', async (below, cacheControl) => {
    const site = await siteWithContent()
    expect((await site.get(below)).headers.get('Cache-Control')).toBe(cacheControl)
  })

  it('is no-store on 401, 403, 405, 429 and 500', async () => {
    const site = await makeSite({ dailyQuota: 1 })
    const answers = [
      await site.get('/posts', { key: null }),
      await site.get('/training/export'),
      await site.get('/posts', { method: 'PUT' }),
      [await site.get('/posts'), await site.get('/posts')][1]!,
      await failed(await makeSite()),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 403, 405, 429, 500])
    for (const answer of answers) expect(answer.headers.get('Cache-Control')).toBe('no-store')
  })

  it('is no-store when a secret is shown', async () => {
    const site = await makeSite()
    const body = { name: 'second' }
    const made = await call(`/manage/v1${site.path}/keys`, { method: 'POST', body, key: operatorToken })
    expect(made.status).toBe(201)
    expect(made.headers.get('Cache-Control')).toBe('no-store')
    const webhook = { method: 'PUT', body: { url: 'https://cms.example.com/in' }, key: operatorToken }
    const set = await call(`/manage/v1${site.path}/webhook`, webhook)
    expect(set.status).toBe(201)
    expect(set.headers.get('Cache-Control')).toBe('no-store')
  })
})

describe('Vary', () => {
  it('has Authorization wherever the key matters, and Accept-Encoding, since answers are compressed', async () => {
    const site = await siteWithContent()
    for (const below of [...READS, '/posts/missing', '/posts?page=0']) {
      for (const key of [site.key, null]) {
        const { headers } = await site.get(below, { key })
        expect(words(headers.get('Vary')), below).toEqual(['authorization', 'accept-encoding'])
      }
    }
    expect((await call('/api/v1/openapi.json')).headers.get('Vary')).toBe('Accept-Encoding')
  })
})
