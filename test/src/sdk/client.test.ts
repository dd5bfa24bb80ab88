import { describe, expect, it } from 'vitest'
import { ContentApiError, createClient } from '../../../src/sdk/client.ts'
import { putAll, putGuide } from '../../support/content.ts'
import { connect } from '../../support/sdk.ts'
import { makeSite, ORIGIN, type TestSite } from '../../support/site.ts'
import { setWebhook } from '../../support/webhook.ts'

const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('It should have failed'),
    (error: ContentApiError) => error,
  )

describe('the client has a method for each operation', () => {
  it('with the answers of the service', async () => {
    const site = await makeSite({ trainingOptIn: true })
    await site.put('a', { status: 'published', provenance: { sources: [] } })
    await putGuide(site, 'g')
    await site.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] })
    await setWebhook(site, 'ok')
    // A URL may end like this, and a slug may be of any script.
    const { client } = connect(site, { url: `${ORIGIN}/api/v1/` })
    await site.put('ünï~cödé.1', { title: 'Found' })
    expect((await client.getPost('ünï~cödé.1')).title).toBe('Found')
    const published = { pageSize: 5, status: 'published' } as const
    expect(await client.listPosts(published)).toEqual(await site.json('/posts?pageSize=5&status=published'))
    expect(await client.getPost('a')).toEqual(await site.json('/posts/a'))
    expect((await client.getPost('a', { include: 'provenance' })).provenance).toEqual({ sources: [] })
    expect(await client.getGuide('g')).toEqual(await site.json('/guides/g'))
    expect(await client.listGuides()).toEqual(await site.json('/guides'))
    for await (const page of client.guidePages({ pageSize: 1 })) {
      expect(page).toEqual(await site.json('/guides?pageSize=1'))
    }
    expect(await client.getSitemap()).toBe(await (await site.get('/sitemap.xml')).text())
    await site.manage('PUT', '/guides/g/slug', { slug: 'h' })
    const { items } = await client.listRedirects()
    expect(items.map(({ from, to }) => `${from} ${to}`)).toEqual(['/guides/g /guides/h'])
    expect(await client.listRedirects({ format: 'cloudflare' })).toBe(
      '/guides/g /guides/h 301\n/guides/g/ /guides/h 301\n',
    )
    expect(await client.listChanges({ include: 'content' })).toEqual(
      await site.json('/changes?include=content'),
    )
    const { rows, next } = await client.exportTraining()
    expect([rows[0]?.prompt, rows.length, next]).toEqual(['P', 1, null])
    expect(await client.testWebhook()).toEqual({ ok: true, status: 200, delivered: true })
  })
})

describe('a client without a required option', () => {
  it.each(['url', 'site', 'key'])('is refused with the name of the option: %s', (name) => {
    const options = { url: 'https://content.example.com', site: 'id', key: 'k', [name]: undefined }
    expect(() => createClient(options as never)).toThrow(new TypeError(`The client needs ${name}`))
  })
})

describe('ETags', () => {
  it('are sent again, and a 304 is answered from the cache', async () => {
    const site = await makeSite()
    await site.put('a', { title: 'First' })
    const { client, exchanges, statuses } = connect(site)
    const first = await client.getPost('a')
    expect(await client.getPost('a')).toEqual(first)
    expect(exchanges.map(({ tag }) => tag)).toEqual([null, expect.stringMatching(/^W\//)])
    expect(statuses()).toEqual([200, 304])
    await site.put('a', { title: 'Second' })
    expect((await client.getPost('a')).title).toBe('Second')
    expect((await client.getPost('a')).title).toBe('Second')
    expect(statuses()).toEqual([200, 304])
  })

  it('and their answers have a limited size: the least recently used goes first', async () => {
    const site = await makeSite()
    for (const slug of ['a', 'b', 'c']) await site.put(slug)
    const { length } = await (await site.get('/posts/a')).text()
    const { client, statuses } = connect(site, { cacheSize: 2.5 * length })
    for (const slug of ['a', 'b', 'a', 'c', 'a', 'b']) await client.getPost(slug)
    expect(statuses()).toEqual([200, 200, 304, 200, 304, 200])
    const none = connect(site, { cacheSize: 0 })
    for (const slug of ['a', 'a']) await none.client.getPost(slug)
    expect(none.statuses()).toEqual([200, 200])
  })
})

describe('errors are of one class', () => {
  it('with the status, the stable text and the id of the request', async () => {
    const site = await makeSite()
    const { client } = connect(site)
    const missing = await failure(client.getPost('missing'))
    expect(missing).toBeInstanceOf(ContentApiError)
    expect(missing).toMatchObject({ status: 404, message: 'Post not found', retryAfterMs: null })
    expect(missing.requestId).toMatch(/./)
    expect(await failure(client.listPosts({ pageSize: 51 }))).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^Invalid query parameter: pageSize/),
    })
    const stranger = connect(site, { key: 'hca_0' }).client
    expect(await failure(stranger.listPosts())).toMatchObject({
      status: 401,
      message: 'Missing or invalid API key',
    })
  })

  it('also when another server answers, or none', async () => {
    const site = await makeSite()
    const proxy = connect(site, {
      between: async () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
    })
    expect(await failure(proxy.client.getPost('a'))).toMatchObject({ status: 502, message: 'HTTP 502' })
    const cause = new TypeError('fetch failed')
    const nobody = connect(site, { between: () => Promise.reject(cause) })
    expect(await failure(nobody.client.getPost('a'))).toMatchObject({
      status: 0,
      message: 'No answer',
      cause,
    })
  })
})

/** Refuses the first requests with these headers, then passes on. */
function refusing(status: number, refusals: (string | null)[]) {
  const left = [...refusals]
  return async (_: Request, pass: () => Promise<Response>) => {
    if (left.length === 0) return pass()
    const after = left.shift()
    return new Response('{"error":"Later"}', { status, headers: after ? { 'Retry-After': after } : {} })
  }
}

describe.concurrent('Retry-After', () => {
  async function siteWithPost(): Promise<TestSite> {
    const site = await makeSite()
    await site.put('a', { title: 'Here' })
    return site
  }

  it.each([
    [429, '1'],
    [503, new Date(Date.now() + 1_000).toUTCString()],
  ])('is respected on %i, in seconds or as a date', async (status, after) => {
    const site = await siteWithPost()
    const { client, statuses } = connect(site, { between: refusing(status, [after]) })
    const begun = Date.now()
    expect((await client.getPost('a')).title).toBe('Here')
    expect(Date.now() - begun).toBeGreaterThanOrEqual(status === 429 ? 990 : 0)
    expect(statuses()).toEqual([status, 200])
    const none = connect(site, { between: refusing(status, [null]) })
    expect(await failure(none.client.getPost('a'))).toMatchObject({ status, message: 'Later' })
    expect(none.statuses()).toEqual([status])
  })

  it('that exceeds maxWaitMs in total is an error that says so', async () => {
    const site = await siteWithPost()
    const { client, statuses } = connect(site, { between: refusing(503, ['9']), maxWaitMs: 8_500 })
    expect(await failure(client.getPost('a'))).toMatchObject({ status: 503, retryAfterMs: 9_000 })
    expect(statuses()).toEqual([503])
  })

  it('of a used-up quota is until midnight', async () => {
    const site = await makeSite({ dailyQuota: 1 })
    const { client, statuses } = connect(site)
    await client.listPosts()
    const { status, retryAfterMs } = await failure(client.listPosts({ page: 2 }))
    expect(status).toBe(429)
    const day = 86_400_000
    expect(Math.abs((Date.now() % day) + retryAfterMs! - day)).toBeLessThan(2_000)
    expect(statuses()).toEqual([200, 429])
  })

  it('of a POST that may have succeeded is left to the caller', async () => {
    const site = await siteWithPost()
    const { client, statuses } = connect(site, { between: refusing(503, ['1']) })
    expect(await failure(client.testWebhook())).toMatchObject({ status: 503, retryAfterMs: 1_000 })
    expect(statuses()).toEqual([503])
  })
})

describe('a signal', () => {
  it('ends a wait at once, with its reason', async () => {
    const site = await makeSite()
    const { client } = connect(site, { between: refusing(503, ['50']) })
    const reason = new Error('enough')
    const aborted = new AbortController()
    setTimeout(() => aborted.abort(reason), 50)
    const begun = Date.now()
    expect(await failure(client.getPost('a', {}, { signal: aborted.signal }))).toBe(reason)
    expect(Date.now() - begun).toBeLessThan(40_000)
  })
})

async function all<Page, Part>(pages: AsyncIterable<Page>, take: (page: Page) => Part[]): Promise<Part[]> {
  const parts: Part[] = []
  for await (const page of pages) parts.push(...take(page))
  return parts
}

describe('pages are async iterators', () => {
  const slugs = Array.from({ length: 7 }, (_, i) => `p${i}`)

  it('of posts after a time, with none missed while posts are written', async () => {
    const site = await makeSite()
    await putAll(
      site,
      slugs.map((slug) => ({ slug })),
    )
    const { client } = connect(site)
    const found: string[] = []
    for await (const { items } of client.postPages({ pageSize: 2, updatedAfter: '1970-01-01T00:00:00Z' })) {
      if (found.length === 0) await site.manage('DELETE', '/posts/p0')
      if (found.length === 2) await site.put('p1', { title: 'Moved to the end' })
      found.push(...items.map(({ slug }) => slug))
    }
    expect(found).toEqual([...slugs, 'p1'])
  })

  it('of changes, to the end of the feed', async () => {
    const site = await makeSite()
    await putAll(
      site,
      slugs.map((slug) => ({ slug })),
    )
    const { client } = connect(site)
    const pages = await all(client.changePages({ limit: 3 }), (page) => [page])
    expect(pages.map(({ items }) => items.length)).toEqual([3, 3, 1])
    await site.manage('DELETE', '/posts/p0')
    const after = client.changePages({ cursor: pages.at(-1)!.cursor })
    expect(await all(after, ({ items }) => items.map(({ type }) => type))).toEqual(['delete'])
  })

  it('of the training export, beyond the size of one answer', async () => {
    const site = await makeSite({ trainingOptIn: true })
    const rows = Array.from({ length: 501 }, (_, i) => ({ prompt: `P${i}`, completion: 'C' }))
    await site.manage('POST', '/training-rows', { rows: rows.slice(0, 300) })
    await site.manage('POST', '/training-rows', { rows: rows.slice(300) })
    const pages = await all(connect(site).client.trainingPages(), (page) => [page.rows])
    expect(pages.map(({ length }) => length)).toEqual([500, 1])
    expect(pages.flat().map(({ prompt }) => prompt)).toEqual(rows.map(({ prompt }) => prompt))
  })
})
