import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { editArticle, readStored } from '../../src/content/articles/edit.ts'
import { deleteArticle, setArticleStatus } from '../../src/content/articles/transitions.ts'
import { encodedUrl } from '../../src/content/feeds/absolute-html.ts'
import { deriveAgain } from '../../src/content/posts/derive.ts'
import { POST, type PostInput } from '../../src/content/posts/post.ts'
import { putPosts } from '../../src/content/posts/put.ts'

import { purgesKey } from '../../src/freshness/purges.ts'
import { getSiteScope } from '../../src/sites/sites.ts'
import cachedWorker from '../support/cached-worker.ts'
import { askCanonical } from '../support/canonical.ts'
import { putAll, putGuide, rateOf, UNCOUNTED } from '../support/content.ts'
import { bindings, patientRedis, testContext } from '../support/context.ts'
import { htmlFaults, jsonFeedFaults, rssFaults, rssItems } from '../support/feeds.ts'
import { IN_TIME } from '../support/in-time.ts'
import { call, errorOf, makeSite, ORIGIN, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

type Item = Record<string, unknown> & { id: string; url: string; title: string }
type JsonFeed = Record<string, unknown> & { items: Item[] }

const CACHED = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=86400'
const FULL = { feedContent: 'full' }
const pathOf = (url: string) => url.replace(ORIGIN, '')

async function siteWithFeeds(fields: Record<string, unknown> = {}) {
  const site = await makeSite({ name: 'Räder & <mehr>', ...fields })
  return { site, ...(await site.manage('PUT', '/sitemap')) }
}

const ask = (url: string, options?: Parameters<typeof askCanonical>[1]) => askCanonical(pathOf(url), options)

const readRss = async (url: string) => rssItems(await (await ask(url)).text())
const readJson = async (url: string) => (await ask(url)).json<JsonFeed>()

/** The queue's message, whatever the time of the last purge. */
async function purgeOfTheQueue() {
  await patientRedis().del(`${purgesKey(testContext())}:turn`)
  const execution = createExecutionContext()
  const batch = createMessageBatch('webhook-events', [
    { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body: { kind: 'purge' } },
  ])
  await cachedWorker.queue(batch, bindings, execution)
  await waitOnExecutionContext(execution)
}

const HOSTILE = {
  title: 'A <b>bold</b> & "quoted" ]]> title \u0001\u0008 \ufffe',
  excerpt: 'Less < more & </description> ]]> \u000b',
  contentHtml:
    '<p onclick="x()">]]> &lt; \u0002 <a href="/a?b=1&amp;c=2#d">a</a> <a href="javascript:alert(1)">b</a>' +
    ' <img src=boat.png srcset="s.png 1x, /l.png 2x" alt="&quot;"> <a href=" JAVA\nSCRIPT:x">c</a>' +
    '<script>document.write("<a href=/x>")</script><style>p{}</style><base href="//evil.example/">' +
    '<iframe srcdoc="<script>1</script>" src="//video.example/1"></iframe> <a href="#note">n</a></p>',
  authors: [{ name: 'Ada & Co <a>', url: '/ada' }, { name: 'Bob \u0003' }],
  image: { url: 'pictures/a b.png' },
  categories: ['News & <views>'],
  tags: ['sea', 'News & <views>'],
}

describe('the feeds', () => {
  it.each(['excerpt', 'full'])(
    'of no posts and of hostile ones are valid, with feedContent %s',
    async (content) => {
      const { site, rssUrl, jsonFeedUrl } = await siteWithFeeds({ feedContent: content })
      expect((await readJson(jsonFeedUrl)).items).toEqual([])
      expect(rssFaults(await (await ask(rssUrl)).text(), rssUrl)).toEqual([])
      await site.put('hostile', { status: 'published', language: 'pt-BR', ...HOSTILE })
      await site.put('字-ünï', { status: 'published', title: '字', contentHtml: '' })
      await site.put('plain', { status: 'published', publishedAt: '0100-01-01T00:00:00Z' })
      const [rss, json] = await Promise.all([ask(rssUrl), ask(jsonFeedUrl)])
      expect(rssFaults(await rss.text(), rssUrl)).toEqual([])
      expect(jsonFeedFaults(await json.text(), jsonFeedUrl)).toEqual([])
    },
  )

  it('have every field of a post, and all its text', async () => {
    const { site, rssUrl, jsonFeedUrl } = await siteWithFeeds(FULL)
    const publishedAt = '2026-04-18T07:30:00.000Z'
    const { id } = await site.put('hostile', {
      status: 'published',
      language: 'pt-BR',
      publishedAt,
      ...HOSTILE,
    })
    const [item] = await readRss(rssUrl)
    const url = 'https://site.example.com/pt-BR/blog/hostile'
    expect(item).toMatchObject({
      guid: `urn:uuid:${id}`,
      title: 'A <b>bold</b> & "quoted" ]]> title  ',
      link: url,
      pubDate: 'Sat, 18 Apr 2026 07:30:00 GMT',
      description: 'Less &lt; more &amp; &lt;/description&gt; ]]&gt; ',
      creators: ['Ada & Co <a>', 'Bob '],
      categories: ['News & <views>', 'sea'],
      language: 'pt-BR',
      image: 'https://site.example.com/pictures/a%20b.png',
    })
    expect(item!.content).toContain('<p >]]> &lt;  <a href="https://site.example.com/a?b=1&amp;c=2#d">a</a>')
    const feed = await readJson(jsonFeedUrl)
    expect(feed).toMatchObject({
      title: 'Räder & <mehr>',
      home_page_url: 'https://site.example.com/',
      language: 'en',
    })
    expect(feed.items).toEqual([
      {
        id: `urn:uuid:${id}`,
        url,
        title: HOSTILE.title,
        content_html: expect.stringContaining(' src="https://site.example.com/pt-BR/blog/boat.png"'),
        summary: HOSTILE.excerpt,
        image: 'https://site.example.com/pictures/a%20b.png',
        date_published: publishedAt,
        date_modified: expect.stringMatching(/^20.*Z$/),
        authors: [{ name: 'Ada & Co <a>', url: 'https://site.example.com/ada' }, { name: 'Bob \u0003' }],
        tags: ['News & <views>', 'sea'],
        language: 'pt-BR',
      },
    ])
    expect(htmlFaults(HOSTILE.contentHtml).length).toBeGreaterThan(5)
  })

  it('have excerpts until the site switches to the full text, which takes effect on the next request', async () => {
    const { site, rssUrl, jsonFeedUrl } = await siteWithFeeds()
    await site.put('a', { status: 'published', contentHtml: '<p>Whole <b>text</b></p>', excerpt: 'Short' })
    const before = await ask(rssUrl)
    expect(rssItems(await before.text())).toMatchObject([{ description: 'Short', content: null }])
    expect((await readJson(jsonFeedUrl)).items).toMatchObject([{ content_text: 'Short', summary: 'Short' }])
    await site.manage('PATCH', '', FULL)
    const after = await ask(rssUrl, { headers: { 'If-None-Match': before.headers.get('ETag')! } })
    expect(after.status).toBe(200)
    expect(rssItems(await after.text())).toMatchObject([
      { description: 'Short', content: '<p>Whole <b>text</b></p>' },
    ])
    const [item] = (await readJson(jsonFeedUrl)).items
    expect(item).toMatchObject({ content_html: '<p>Whole <b>text</b></p>', summary: 'Short' })
    expect(item).not.toHaveProperty('content_text')
  })

  it('have the 50 latest published posts, newest first, and no drafts or guides', async () => {
    const { site, rssUrl, jsonFeedUrl } = await siteWithFeeds()
    const day = (at: number) => new Date(Date.UTC(2020, 0, at)).toISOString()
    const many = Array.from({ length: 60 }, (_, at) => ({
      slug: `p-${at}`,
      status: 'published',
      publishedAt: day(60 - at),
      ...(at % 2 && { language: 'de' }),
    }))
    await putAll(site, many)
    await site.put('draft', { publishedAt: '2030-01-01T00:00:00Z' })
    await putGuide(site, 'guide')
    const wanted = many.slice(0, 50).map(({ slug }) => slug)
    const slugs = (urls: string[]) => urls.map((url) => url.split('/').at(-1))
    expect(slugs((await readRss(rssUrl)).map(({ link }) => link))).toEqual(wanted)
    expect(slugs((await readJson(jsonFeedUrl)).items.map(({ url }) => url))).toEqual(wanted)
  })

  it('keep the id of a renamed post, and show its new URL', async () => {
    const { site, jsonFeedUrl } = await siteWithFeeds()
    await site.put('old', { status: 'published' })
    const [before] = (await readJson(jsonFeedUrl)).items
    await site.manage('PUT', '/posts/old/slug', { slug: 'new' })
    const [after] = (await readJson(jsonFeedUrl)).items
    expect(after!.id).toBe(before!.id)
    expect(after!.url).toBe('https://site.example.com/blog/new')
  })

  it('use the excerpt of a post that is too large, and stay below 10 MiB', async () => {
    const { site, rssUrl, jsonFeedUrl } = await siteWithFeeds(FULL)
    const insert = (slug: string, text: string, length: number, at: number) =>
      runSql(
        `insert into posts (site_id, slug, title, excerpt, content_html, status, published_at)
         values ($1, $2, 'T', 'Short', repeat($3, $4), 'published', make_date(2000 + $5, 1, 1))`,
        [site.id, slug, text, length, at],
      )
    await insert('huge', 'x', 9_000_000, 9)
    await insert('small', 'x', 1_000, 8)
    // Five times as long in XML.
    await insert('escaped', '&', 800_000, 7)
    for (let at = 1; at < 7; at++) await insert(`large-${at}`, '字', 300_000, at)
    const [rss, json] = await Promise.all([ask(rssUrl), ask(jsonFeedUrl)])
    const [xml, text] = [await rss.text(), await json.text()]
    for (const each of [xml, text])
      expect(new TextEncoder().encode(each).length).toBeLessThan(10 * 1024 * 1024)
    const inRss = rssItems(xml).map(({ content }) => content?.length ?? 0)
    expect(inRss).toEqual([0, 1_000, 0, 300_000, 300_000, 0, 0, 0, 0])
    const inJson = (JSON.parse(text) as JsonFeed).items.map((item) => String(item.content_html ?? '').length)
    expect(inJson).toEqual([0, 1_000, 800_000, 300_000, 300_000, 0, 0, 0, 0])
  })
})

describe.each(['rssUrl', 'jsonFeedUrl'] as const)('%s', (name) => {
  const TYPES = { rssUrl: 'application/rss+xml', jsonFeedUrl: 'application/feed+json' }

  it('answers GET and HEAD like the sitemap: 200, cacheable, with a tag and without a quota', async () => {
    const urls = await siteWithFeeds()
    const [get, head] = [await ask(urls[name]), await ask(urls[name], { method: 'HEAD' })]
    const sitemap = await ask(urls.url)
    expect([get.status, head.status, await head.text()]).toEqual([200, 200, ''])
    for (const { headers } of [get, head]) {
      expect(headers.get('Content-Type')).toBe(`${TYPES[name]}; charset=utf-8`)
      expect(headers.get('Cache-Control')).toBe(CACHED)
      expect(headers.get('Cache-Tag')).toBe(sitemap.headers.get('Cache-Tag'))
      expect(headers.get('Vary')).toBe(sitemap.headers.get('Vary'))
      expect(headers.get('ETag')).toMatch(/^W\/"/)
      expect(headers.get('X-Request-Id')).toBeNull()
    }
    expect(rateOf(get)).toEqual(UNCOUNTED)
    expect(await errorOf(await ask(urls[name], { method: 'POST' }), 405)).toBe('Method not allowed')
  })

  it('answers 304 to its tag until the next write', async () => {
    const { site, ...urls } = await siteWithFeeds()
    const etag = (await ask(urls[name])).headers.get('ETag')!
    const response = await ask(urls[name], { headers: { 'If-None-Match': etag } })
    expect([response.status, await response.text()]).toEqual([304, ''])
    expect(response.headers.get('Cache-Control')).toBe(CACHED)
    await site.put('a', { status: 'published' })
    const after = await ask(urls[name], { headers: { 'If-None-Match': etag } })
    expect(after.status).toBe(200)
    expect(await after.text()).toContain('/blog/a')
  })

  it('disappears with the sitemap when it is renewed or stopped, or the site is deleted', async () => {
    const { site, ...urls } = await siteWithFeeds()
    const renewed = await site.manage('POST', '/sitemap/renewals')
    expect(await errorOf(await ask(urls[name]), 404)).toBe('Not found')
    expect((await ask(renewed[name])).status).toBe(200)
    await site.manage('DELETE', '/sitemap')
    expect((await ask(renewed[name])).status).toBe(404)
    const again = await site.manage('PUT', '/sitemap')
    expect((await ask(again[name])).status).toBe(200)
    await site.manage('DELETE', '?confirm=R%C3%A4der%20%26%20%3Cmehr%3E')
    expect((await ask(again[name])).status).toBe(404)
  })

  it('is purged from the cache in front of the Worker when a post is published or updated', async () => {
    const { site, ...urls } = await siteWithFeeds()
    await site.put('a', { status: 'published' })
    await site.put('draft')
    const read = async () => (await call(pathOf(urls[name]))).text()
    const first = await read()
    await site.manage('PUT', '/posts/draft/publication')
    await site.put('a', { title: 'Updated' })
    expect(await read()).toBe(first)
    // A message of an earlier test may take the turn, and purge a little later.
    await vi.waitFor(async () => {
      await purgeOfTheQueue()
      const purged = await read()
      expect([/blog\/draft/.test(purged), /Updated/.test(purged)]).toEqual([true, true])
    }, IN_TIME)
  })
})

describe('a post that is no longer public', () => {
  const takings: Record<string, (site: TestSite) => Promise<unknown>> = {
    unpublished: (site) => site.manage('DELETE', '/posts/unpublished/publication'),
    deleted: (site) => site.manage('DELETE', '/posts/deleted'),
    renamed: (site) => site.manage('PUT', '/posts/renamed/slug', { slug: 'other' }),
    draft: (site) => site.put('draft', { status: 'draft' }),
    bulk: (site) => putAll(site, [{ slug: 'bulk', status: 'draft' }]),
  }

  it('is missing from every cached file from the next request after it is hidden in any way', async () => {
    const { site, ...urls } = await siteWithFeeds()
    const files = [urls.url, urls.rssUrl, urls.jsonFeedUrl]
    const read = () => Promise.all(files.map(async (url) => (await call(pathOf(url))).text()))
    for (const slug of Object.keys(takings)) await site.put(slug, { status: 'published' })
    for (const [slug, take] of Object.entries(takings)) {
      for (const text of await read()) expect(text).toContain(`/blog/${slug}`)
      await take(site)
      for (const text of await read()) expect(text, slug).not.toMatch(new RegExp(`/blog/${slug}["<]`))
    }
  })

  it('needs no purge if it was a draft, and a refused purge is reported as a delay in the answer', async () => {
    const { site } = await siteWithFeeds()
    await site.put('draft')
    await site.put('a', { status: 'published' })
    const purges: string[][] = []
    const later: number[] = []
    const ctx = testContext({
      purgeCache: (tags) => {
        purges.push(tags)
        return Promise.reject(new Error('five a minute'))
      },
      takesEffectLater: (withinMs) => void later.push(withinMs),
    })
    const scope = await getSiteScope(ctx, site.id)
    await deleteArticle(ctx, POST, scope, 'draft')
    await setArticleStatus(ctx, POST, scope, 'a', 'published')
    expect([purges, later]).toEqual([[], []])
    const editing = { kind: POST, deriveAgain, put: putPosts }
    const stored = await readStored<PostInput>(ctx, POST, scope, 'a')
    await editArticle(ctx, editing, scope, stored, { slug: 'renamed' })
    expect([purges, later]).toEqual([[[`sitemap-${site.id}`]], [60_000]])
    await setArticleStatus(ctx, POST, scope, 'renamed', 'draft')
    expect([purges, later]).toEqual([Array(2).fill([`sitemap-${site.id}`]), [60_000, 60_000]])
  })
})

describe("a feed on the site's own domain", () => {
  it('names its URL on that domain, whatever the host of the request', async () => {
    const { site, ...urls } = await siteWithFeeds()
    await site.put('a', { status: 'published' })
    const { proxiedRssUrl, proxiedJsonFeedUrl } = urls as unknown as Record<string, string>
    const rss = await (await call(pathOf(proxiedRssUrl!))).text()
    expect(rssFaults(rss, 'https://site.example.com/feed.xml')).toEqual([])
    const json = await (await call(`${pathOf(proxiedJsonFeedUrl!)}?x`)).text()
    expect(jsonFeedFaults(json, 'https://site.example.com/feed.json')).toEqual([])
    await site.manage('PATCH', '', { domain: 'other.example.com' })
    expect(await (await ask(proxiedRssUrl!)).text()).toContain('href="https://other.example.com/feed.xml"')
    expect((await ask(urls.rssUrl)).status).toBe(200)
  })
})

describe('addresses of pictures', () => {
  const IMG = 'https://img.example.com'

  it.each([
    [`${IMG}/steckrüben püree.jpg?x=1&y=2`, `${IMG}/steckr%C3%BCben%20p%C3%BCree.jpg?x=1&y=2`],
    [`${IMG}/a%20b%C3%BC.jpg`, `${IMG}/a%20b%C3%BC.jpg`],
    [`${IMG}/100%.jpg`, `${IMG}/100%25.jpg`],
    [`${IMG}/a|b[1]^\`{x}.jpg?q=[ü|]`, `${IMG}/a%7Cb%5B1%5D%5E%60%7Bx%7D.jpg?q=%5B%C3%BC%7C%5D`],
    [`${IMG}/it's(1)*.jpg#ä`, `${IMG}/it's(1)*.jpg#%C3%A4`],
    ['https://bücher.example/x.jpg', 'https://xn--bcher-kva.example/x.jpg'],
    ['/bilder/süß 1.png', 'https://site.example.com/bilder/s%C3%BC%C3%9F%201.png'],
    [`${IMG}/日本 🦊.png`, `${IMG}/%E6%97%A5%E6%9C%AC%20%F0%9F%A6%8A.png`],
  ])('%s are encoded as %s', (url, encoded) => {
    expect(encodedUrl(url, 'https://site.example.com/blog/a')).toBe(encoded)
  })

  it('are encoded in both feeds', async () => {
    const { site, rssUrl, jsonFeedUrl } = await siteWithFeeds()
    const [url, encoded] = [`${IMG}/it's ü.jpg?x=1&y=2`, `${IMG}/it's%20%C3%BC.jpg?x=1&y=2`]
    await site.put('a', { status: 'published', image: { url }, authors: [{ name: 'A', url }] })
    expect((await readRss(rssUrl))[0]!.image).toBe(encoded)
    const [item] = (await readJson(jsonFeedUrl)).items
    expect(item).toMatchObject({ image: encoded, authors: [{ url: encoded }] })
    const escaped = encoded.replaceAll('&', '&amp;').replaceAll("'", '&apos;')
    expect(await (await ask(rssUrl)).text()).toContain(`url="${escaped}"`)
  })
})
