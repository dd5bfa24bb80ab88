import { describe, expect } from 'vitest'
import { createContext } from '../../functions/http/context.ts'
import { matchesEtag } from '../../functions/http/read.ts'
import { storeVersions } from '../../src/freshness/site-versions.ts'
import { callsOf } from '../support/calls.ts'
import { putGuide, rateOf, UNCOUNTED } from '../support/content.ts'
import { bindings, NO_EXECUTION } from '../support/context.ts'
import { it, makeSite, type TestSite } from '../support/site.ts'
import { runSql, statementsOf } from '../support/sql.ts'
import { isolate } from '../support/world.ts'

const TAGGED = ['/posts', '/posts/a', '/guides', '/guides/a', '/sitemap.xml', '/redirects']

async function siteWithContent() {
  const site = await makeSite()
  await site.put('a', { status: 'published', title: 'A' })
  await putGuide(site, 'a')
  return site
}

async function tagOf(site: TestSite, below: string) {
  return (await site.get(below)).headers.get('ETag')!
}

const known = (site: TestSite, below: string, tags: string, method = 'GET') =>
  site.get(below, { method, headers: { 'If-None-Match': tags } })

describe('If-None-Match', () => {
  const own = 'W/"a1b2-C3"'

  it('matches the tag weakly: weak, strong, in a list, or * where there is something', () => {
    for (const tags of [own, '"a1b2-C3"', ` ${own} `, `"x", ${own}`, 'W/"y","a1b2-C3" ,"z"', `"a,b", ${own}`])
      expect(matchesEtag(tags, own, true), tags).toBe(true)
    expect(['*', ' * '].map((tags) => matchesEtag(tags, own, true))).toEqual([true, true])
    expect(matchesEtag('*', own, false)).toBe(false)
  })

  it('matches no other tag', () => {
    const others = ['', '""', '"x"', 'a1b2-C3', '"a1b2-C3x"', '"xa1b2-C3"', '"A1B2-c3"', '**', '"*"']
    for (const tags of [undefined, ...others]) expect(matchesEtag(tags, own, true), tags).toBe(false)
  })
})

describe.each(TAGGED)('304 from %s', (below) => {
  it('has the headers of the 200 and no body, needs no query, and answers HEAD as well', async () => {
    const site = await siteWithContent()
    const fresh = await site.get(below)
    await fresh.text()
    const tag = fresh.headers.get('ETag')!
    expect(tag).toMatch(/^W\/"[^"]+"$/)
    const answers: Response[] = []
    const ask = async () => void answers.push(await known(site, below, tag))
    expect(await statementsOf(ask)).toEqual([])
    const response = answers[0]!
    expect([response.status, await response.text()]).toEqual([304, ''])
    expect(response.headers.get('Content-Type')).toBeNull()
    for (const name of ['ETag', 'Cache-Control', 'Vary', 'Access-Control-Allow-Origin']) {
      expect(response.headers.get(name), name).toBe(fresh.headers.get(name))
      expect(response.headers.get(name), name).not.toBeNull()
    }
    expect(response.headers.get('X-Request-Id')).toMatch(/./)
    expect(rateOf(response)).toEqual(/guides|redirects/.test(below) ? UNCOUNTED : rateOf(fresh))
    for (const tags of ['*', `"x", ${tag}`]) expect((await known(site, below, tags)).status, tags).toBe(304)
    expect((await known(site, below, '"x"')).status).toBe(200)
    const head = await site.get(below, { method: 'HEAD' })
    expect(head.headers.get('ETag')).toBe(tag)
    expect((await known(site, below, tag, 'HEAD')).status).toBe(304)
  })
})

describe('the tag', () => {
  type Change = (site: TestSite) => Promise<unknown>
  const of: Record<string, Change> = {
    'another post is created': (site) => site.put('b', { status: 'published' }),
    'another post is edited': (site) => site.put('a', { title: 'B' }),
    'another post is unpublished': (site) => site.manage('DELETE', '/posts/a/publication'),
    'another post is deleted': (site) => site.manage('DELETE', '/posts/a'),
    'another post is renamed': (site) => site.manage('PUT', '/posts/a/slug', { slug: 'new' }),
    'a guide is edited': (site) => putGuide(site, 'a', { title: 'B' }),
    'a guide is deleted': (site) => site.manage('DELETE', '/guides/a'),
    'a draft is published': (site) => site.manage('PUT', '/posts/draft/publication'),
    'a draft is created': (site) => site.put('b'),
    'a draft is edited': (site) => site.put('draft', { title: 'B' }),
    'a draft is marked ready': (site) => site.manage('PUT', '/posts/draft/readiness'),
    'a draft is deleted': (site) => site.manage('DELETE', '/posts/draft'),
    'a draft is renamed': (site) => site.manage('PUT', '/posts/draft/slug', { slug: 'new' }),
    'a draft gives its slug to another': async (site) => {
      await site.manage('PUT', '/posts/draft/slug', { slug: 'new' })
      await site.manage('PUT', '/posts/a/slug', { slug: 'draft' })
    },
    'the domain changes': (site) => site.manage('PATCH', '', { domain: 'new.example.com' }),
    'the paths change': (site) => site.manage('PATCH', '', { postPath: '/n/{slug}', guidePath: '/g/{slug}' }),
    'the language changes': (site) => site.manage('PATCH', '', { defaultLanguage: 'de' }),
  }
  const DRAFT = ['/posts/draft', '/posts/draft?include=readiness', '/posts/draft?fields=title']

  it.each(Object.entries(of))(
    'of the list, the sitemap and the post changes only when its answer may: %s',
    async (what, change) => {
      const site = await siteWithContent()
      await site.put('draft', { qualityBand: 'premium' })
      const asked = ['/posts', '/sitemap.xml', ...DRAFT]
      const tags = await Promise.all(asked.map((below) => tagOf(site, below)))
      await change(site)
      const changed = []
      for (const [at, below] of asked.entries())
        changed.push((await known(site, below, tags[at]!)).headers.get('ETag') !== tags[at])
      const isOfDraft = /^(a draft (?!is created)|the )/.test(what)
      const isOfSitemap = !/^a draft is (created|edited|marked|deleted|renamed)/.test(what)
      expect(changed).toEqual([true, isOfSitemap, ...DRAFT.map(() => isOfDraft)])
    },
  )

  it('of a translation changes when its source is deleted', async () => {
    const site = await siteWithContent()
    await site.put('source', { language: 'en' })
    await site.put('draft', { language: 'de', sourceSlug: 'source' })
    const tag = await tagOf(site, '/posts/draft')
    await site.manage('DELETE', '/posts/source')
    const { status, headers } = await known(site, '/posts/draft', tag)
    expect([status, headers.get('ETag') === tag]).toEqual([200, false])
  })

  it('of a post stays the same when another changes, and the answer costs no query in any isolate', async () => {
    const site = await siteWithContent()
    await site.put('draft')
    const tag = await tagOf(site, '/posts/draft')
    await site.put('a', { title: 'B' })
    // A sweep of another runtime may store the versions again meanwhile.
    const read = () => statementsOf(async () => (await site.get('/posts/draft')).text())
    await expect.poll(read).toEqual([])
    const ask = () => callsOf(() => known(site, '/posts/draft', tag))
    await expect.poll(ask).toEqual({ status: 304, redis: 1, postgres: 0 })
    const path = `/api/v1${site.path}/posts/draft`
    const elsewhere = await isolate().ask(path, site.key, { headers: { 'If-None-Match': tag } })
    expect(elsewhere.status).toBe(304)
  })

  it('of a post stays the same when guides, redirects and training rows change', async () => {
    const site = await siteWithContent()
    const tag = await tagOf(site, '/posts/a')
    await putGuide(site, 'b')
    await runSql(
      `insert into redirects (site_id, resource, slug, resource_id) select site_id, 'post', 'older', id from posts where site_id = $1`,
      [site.id],
    )
    await runSql(`insert into training_rows (site_id, prompt, completion) values ($1, 'Why?', 'Because.')`, [
      site.id,
    ])
    expect((await known(site, '/posts/a', tag)).status).toBe(304)
  })

  it('stays the same while nothing visible changes', async () => {
    const site = await siteWithContent()
    await site.put('ready', { qualityBand: 'premium' })
    await site.manage('PUT', '/posts/ready/readiness')
    const tags = await Promise.all(TAGGED.map((below) => tagOf(site, below)))
    await site.put('a', { status: 'published', title: 'A' })
    await site.put('a', { title: 'A' })
    await putGuide(site, 'a')
    await site.manage('PUT', '/posts/a/publication')
    await site.manage('PUT', '/guides/a/publication')
    await site.manage('PUT', '/posts/ready/readiness')
    await site.manage('PATCH', '', { dailyQuota: 500, plan: 'growth' })
    await site.tryManage('DELETE', '/posts/missing')
    await site.tryManage('PUT', '/posts/a', { title: 'no body' })
    const other = await makeSite()
    await other.put('a')
    for (const [at, below] of TAGGED.entries()) {
      expect((await known(site, below, tags[at]!)).status, below).toBe(304)
    }
  })

  it('depends on the site and the parameters, but not on their spelling', async () => {
    const site = await siteWithContent()
    const other = await siteWithContent()
    const same = [
      '',
      '?sort=updatedAt',
      '?page=1',
      '?pageSize=12&page=01',
      '?status=all&search=%20',
      '?other=1',
    ]
    const tags = await Promise.all(same.map((query) => tagOf(site, `/posts${query}`)))
    expect(new Set(tags).size).toBe(1)
    const questions = [
      ...['', '?page=2', '?pageSize=13', '?status=draft', '?search=a', '?language=en'],
      ...['?updatedAfter=2020-01-01T00:00:00Z', '/a', '/a?include=provenance'],
      ...['?sort=publishedAt', '?fields=title', '?fields=title,excerpt', '/a?fields=title'],
    ]
    const different = await Promise.all(questions.map((each) => tagOf(site, `/posts${each}`)))
    different.push(await tagOf(site, '/sitemap.xml'), await tagOf(site, '/sitemap.xml?page=1'))
    different.push(await tagOf(site, '/guides'), await tagOf(site, '/guides?page=2'))
    different.push(await tagOf(site, '/guides/a'), await tagOf(other, '/posts'))
    expect(new Set(different).size).toBe(different.length)
  })
})

describe('a 404', () => {
  it('has no tag, and stays a 404 whatever If-None-Match has', async ({ site }) => {
    for (const below of ['/posts/missing', '/guides/missing', '/sitemap.xml?page=2']) {
      const response = await known(site, below, '*')
      expect(response.status, below).toBe(404)
      expect(response.headers.get('ETag'), below).toBeNull()
    }
    expect((await known(site, '/sitemap.xml?page=1', '*')).status).toBe(304)
  })
})

describe('an answer that is too large for an isolate to cache', () => {
  it('has a tag of its own, which is 304 until the site changes', async ({ site }) => {
    await runSql(
      "insert into posts (site_id, slug, title, content_html) values ($1, 'large', 'T', repeat('x', 5000000))",
      [site.id],
    )
    await site.put('a')
    const tags = [await tagOf(site, '/posts'), await tagOf(site, '/posts')]
    expect(tags[0]).not.toBe(tags[1])
    for (const tag of tags) expect((await known(site, '/posts', tag)).status).toBe(304)
    await site.put('b')
    for (const tag of tags) expect((await known(site, '/posts', tag)).status).toBe(200)
  })
})

describe('an answer that was loaded during a write', () => {
  it('is not cached, and does not get the tag of the version that was current when the request came', async () => {
    const site = await makeSite()
    await site.put('a', { title: 'one' })
    // No other test's sweep stores values under these keys.
    const own = isolate({ REDIS_PREFIX: `${bindings.REDIS_PREFIX}:${crypto.randomUUID()}` })
    expect(await storeVersions(createContext(own.env, NO_EXECUTION, { writes: true }), site.id)).toBe(true)
    const ask = (below: string, etag = '') =>
      own.ask(`/api/v1${site.path}${below}`, site.key, { headers: { 'If-None-Match': etag } })
    const tag = (await ask('/posts')).headers.get('ETag')!
    // Redis still returns the version from before this write.
    await runSql(`update posts set title = 'two' where site_id = $1`, [site.id])
    const read = async (below: string, etag = '') => {
      const response = await ask(below, etag)
      const { items } = await response.json<{ items: { title: string }[] }>()
      return { title: items[0]!.title, tag: response.headers.get('ETag')! }
    }
    const late = await read('/posts?pageSize=13')
    expect(late.title).toBe('two')
    expect(late.tag.split('-')[0]).not.toBe(tag.split('-')[0])
    await runSql(`update posts set title = 'three' where site_id = $1`, [site.id])
    expect((await read('/posts?pageSize=13', late.tag)).title).toBe('three')
  })
})
