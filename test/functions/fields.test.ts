import { describe, expect, expectTypeOf } from 'vitest'
import { apiNames } from '../../src/content/articles/field-table.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'
import { FULL_POST, HEAVY_HTML, putAll, putGuide, putHeavy, WIRE_TIME } from '../support/content.ts'
import { bodyFaults, readDocument, withFields } from '../support/openapi.ts'
import { connect } from '../support/sdk.ts'
import { errorOf, it, makeSite, type Page, type TestSite } from '../support/site.ts'
import { runSql, statementsOf } from '../support/sql.ts'
import { setWebhook } from '../support/webhook.ts'

type Json = Record<string, unknown>

const ALWAYS = ['id', 'slug', 'updatedAt']
async function siteWithFullPost() {
  const site = await makeSite()
  const { sourceSlug: _, ...full } = FULL_POST
  await site.put('full', full)
  return site
}

const pick = (object: Json, names: string[]) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)))

const listed = async (site: TestSite, query: string) => (await site.json<Page>(`/posts?${query}`)).items[0]!

const NAMES = apiNames(POST_FIELDS).all

describe('fields', () => {
  it('returns each requested field unchanged, and always the required ones', async () => {
    const site = await siteWithFullPost()
    const whole = await site.json('/posts/full')
    for (const name of Object.keys(whole)) {
      const expected = pick(whole, [...ALWAYS, name])
      expect(await site.json(`/posts/full?fields=${name}`), name).toEqual(expected)
    }
    expect(await listed(site, 'fields=title,seo')).toEqual(pick(whole, [...ALWAYS, 'title', 'seo']))
    const all = Object.keys(whole).join()
    expect(await site.json(`/posts/full?fields=${all}`)).toEqual(whole)
    expect(await site.json('/posts/full?fields=seo,%20title')).toEqual(
      pick(whole, [...ALWAYS, 'seo', 'title']),
    )
  })

  it('returns provenance if it is included too', async () => {
    const site = await siteWithFullPost()
    const names = async (query: string) => Object.keys(await site.json(`/posts/full?${query}`)).sort()
    expect(await names('fields=provenance&include=provenance')).toEqual([...ALWAYS, 'provenance'].sort())
    expect(await names('fields=provenance')).toEqual([...ALWAYS].sort())
    expect(await names('fields=slug&include=provenance')).toEqual([...ALWAYS].sort())
  })

  it('works with every filter, order and page', async ({ site }) => {
    await putAll(
      site,
      ['a', 'b', 'c'].map((slug) => ({ slug, language: 'de', status: 'published' })),
    )
    for (const query of ['search=title', 'language=d', 'status=published', 'sort=publishedAt', 'page=1']) {
      const page = await site.json<Page>(`/posts?fields=status&pageSize=2&${query}`)
      expect(page.total, query).toBe(3)
      for (const item of page.items) expect(Object.keys(item).sort()).toEqual([...ALWAYS, 'status'].sort())
    }
    for (const fields of ['slug', 'seo', 'contentHtml']) {
      expect((await site.json<Page>(`/posts?page=2&fields=${fields}`)).items, fields).toEqual([])
    }
    const since = await site.json<Page>('/posts?fields=slug&updatedAfter=1970-01-01T00:00:00Z')
    expect(since.items.map(({ slug }) => slug)).toEqual(['a', 'b', 'c'])
  })

  it('applies to the posts and guides included in the change feed', async () => {
    const site = await siteWithFullPost()
    await putGuide(site, 'g')
    const feed = (query: string) => site.json<{ items: Json[] }>(`/changes?${query}`)
    const { items } = await feed('include=content&fields=title,seo')
    expect(items[0]!.post).toEqual(pick(await site.json('/posts/full'), [...ALWAYS, 'title', 'seo']))
    expect(items[1]!.guide).toEqual(pick(await site.json('/guides/g'), [...ALWAYS, 'title']))
    expect((await feed('fields=title')).items).toEqual((await feed('')).items)
  })
})

describe('include', () => {
  /** Where an answer has the post, and the post there. */
  const PLACES: Record<string, (answer: Json) => Json | undefined> = {
    '/posts/full?': (answer) => answer,
    '/posts?status=draft&': ({ items }) => (items as Json[])[0],
    '/changes?include=content': ({ items }) => (items as { post?: Json }[])[0]?.post,
  }
  const { authors, image, categories, tags, canonicalUrl, modifiedAt } = FULL_POST
  const METADATA = { authors, image, categories, tags, canonicalUrl, modifiedAt }
  const NOTHING = {
    ...{ authors: [], image: null, categories: [], tags: [] },
    ...{ canonicalUrl: null, modifiedAt: null },
  }

  it('adds metadata and readiness to one post, a list and the feed', async () => {
    const site = await siteWithFullPost()
    const { paths, components } = await readDocument('/api/v1')
    await setWebhook(site, 'ok')
    const { eventId } = await site.manage('PUT', '/posts/full/readiness')
    await putGuide(site, 'g')
    const whole = await site.json('/posts/full')
    for (const [place, postIn] of Object.entries(PLACES)) {
      const asked = async (names: string, query = '') => {
        const isFeed = place.startsWith('/changes')
        const below = isFeed ? `${place}${names && `,${names}`}${query}` : `${place}include=${names}${query}`
        const response = await site.get(below)
        const path = `/sites/{siteId}${place.split('?')[0]!.replace('full', '{slug}')}`
        const answer = paths[path]!.get!.responses[200]!
        const described = below.includes('fields=') ? withFields(answer) : answer
        expect(await bodyFaults(response.clone(), described, components), below).toEqual([])
        return { post: postIn(await response.json()), tag: response.headers.get('ETag') }
      }
      const plain = await asked('')
      expect(plain.post, place).toEqual(whole)
      const both = await asked('readiness,metadata')
      const { metadata, readiness, ...rest } = both.post!
      expect(rest, place).toEqual(whole)
      expect(metadata, place).toEqual(METADATA)
      expect(readiness, place).toEqual({ readyAt: expect.stringMatching(WIRE_TIME), eventId })
      expect(Object.keys(both.post!), place).toEqual([...Object.keys(whole), 'metadata', 'readiness'])
      expect((await asked('metadata,%20readiness,unknown')).tag, place).toBe(both.tag)
      const [one] = [await asked('metadata')]
      expect(Object.keys(one.post!), place).not.toContain('readiness')
      expect(new Set([plain.tag, both.tag, one.tag]).size, place).toBe(3)
      expect((await asked('metadata', '&fields=metadata,title')).post, place).toEqual({
        ...pick(whole, [...ALWAYS, 'title']),
        metadata: METADATA,
      })
      expect((await asked('metadata', '&fields=title')).post, place).not.toHaveProperty('metadata')
    }
  })

  it('returns empty metadata for a post without any, and readiness false for a draft that is edited or published', async () => {
    const site = await makeSite()
    const readiness = async () =>
      (await site.json<Json>('/posts/a?include=readiness&fields=readiness')).readiness
    await site.put('a', { qualityBand: 'standard', ...NOTHING })
    expect(await site.put('a', { qualityBand: 'standard' })).toMatchObject({ outcome: 'unchanged' })
    const { metadata, seo } = await site.json('/posts/a?include=metadata')
    expect([metadata, await readiness()]).toEqual([NOTHING, null])
    expect(Object.keys(seo as Json)).toEqual(['metaDescription'])
    await site.manage('PUT', '/posts/a/readiness')
    expect(await readiness()).toEqual({ readyAt: expect.any(String), eventId: null })
    await site.manage('PUT', '/posts/a/publication')
    expect(await readiness()).toBeNull()
    await site.manage('DELETE', '/posts/a/publication')
    await site.put('a', { qualityBand: 'standard', authors: [{ name: 'Ada' }] })
    expect(await readiness()).toBeNull()
    const { post } = await site.manage('GET', '/posts/a')
    expect(post.authors).toEqual([{ name: 'Ada', url: null }])
  })

  it('counts towards the size of a feed, which gets split when it is too large', async ({ site }) => {
    await runSql(
      `insert into posts (site_id, slug, title, content_html, tags)
       select $1, 'p' || n, 'T', '', jsonb_build_array(repeat('x', 30000)) from generate_series(1, 400) n`,
      [site.id],
    )
    const feed = '/changes?include=content,metadata&fields=metadata&limit=500'
    const first = await site.json<{ items: Json[]; cursor: string; hasMore: boolean }>(feed)
    expect(first.hasMore).toBe(true)
    const rest = await site.json<typeof first>(`${feed}&cursor=${first.cursor}`)
    expect(first.items.length + rest.items.length).toBe(400)
  })
})

describe('a field that is left out', () => {
  it('is not read from Postgres', async () => {
    const site = await siteWithFullPost()
    await putGuide(site, 'g')
    await site.get('/posts/missing')
    const heavy = /content_html|"seo"|faq_json_ld|schema_bundle|provenance|excerpt/
    for (const below of ['/posts?', '/posts/full?', '/changes?include=content&']) {
      const whole = await statementsOf(() => site.get(`${below}page=1`))
      const light = await statementsOf(() => site.get(`${below}fields=title`))
      expect(whole.join(), below).toMatch(heavy)
      expect(light, below).toHaveLength(whole.length)
      expect(light.join(), below).not.toMatch(heavy)
    }
  })

  it('costs no statement: a page and a feed without bodies are one, whatever the bodies weigh', async () => {
    const site = await makeSite()
    await putHeavy(site)
    await site.get('/posts/missing')
    const answered = async (below: string) => {
      let page = {} as Page & { hasMore: boolean }
      const sent = await statementsOf(async () => {
        page = await site.json(below)
      })
      return { page, statements: sent.length }
    }
    const light = await answered('/posts?fields=title,seo,schemaBundle')
    expect([light.statements, light.page.items.length]).toEqual([1, 3])
    const feed = await answered('/changes?include=content&fields=title,seo')
    expect([feed.statements, feed.page.items.length, feed.page.hasMore]).toEqual([2, 3, false])

    const heavy = await answered('/posts?fields=contentHtml')
    expect(heavy.statements).toBe(2)
    expect(heavy.page.items.map(({ slug }) => slug)).toEqual(['light', 'heavy-2', 'heavy-1'])
    for (const item of heavy.page.items.slice(1)) {
      expect(Object.keys(item).sort()).toEqual([...ALWAYS, 'contentHtml'].sort())
      expect(item.contentHtml === HEAVY_HTML).toBe(true)
    }
    expect((await answered('/changes?include=content&fields=contentHtml')).page.hasMore).toBe(true)
  })
})

describe('the tag', () => {
  it('differs by the fields, but not by their order or spelling, so that none gets the body of others', async () => {
    const site = await siteWithFullPost()
    const tag = async (below: string) => (await site.get(below)).headers.get('ETag')
    for (const below of ['/posts?', '/posts/full?', '/changes?include=content&']) {
      const same = ['fields=title,excerpt', 'fields=excerpt,title', 'fields=%20excerpt%20,title,slug']
      const tags = await Promise.all(same.map((query) => tag(below + query)))
      expect(new Set(tags).size, below).toBe(1)
      const others = ['', 'fields=title', 'fields=excerpt', 'fields=slug']
      tags.push(...(await Promise.all(others.map((query) => tag(below + query)))))
      expect(new Set(tags).size, below).toBe(5)
    }
    const headers = { 'If-None-Match': (await tag('/posts?fields=title'))! }
    const statuses = ['?fields=title', '', '?fields=excerpt'].map(
      async (query) => (await site.get(`/posts${query}`, { headers })).status,
    )
    expect(await Promise.all(statuses)).toEqual([304, 200, 200])
  })
})

describe('400', () => {
  it('names the field that is unknown or repeated, and the rule', async () => {
    const site = await siteWithFullPost()
    const rule = (wrong: string) =>
      `Invalid query parameter: fields must be ${NAMES.slice(0, -1).join(', ')} or ${NAMES.at(-1)}, each once and separated by commas, and not "${wrong}"`
    const broken = {
      ...{ 'title,titel': 'titel', 'title,title': 'title', 'slug,slug': 'slug', Title: 'Title' },
      ...{ trustScore: 'trustScore', '': '', 'title,': '', constructor: 'constructor', '*': '*' },
      ['x'.repeat(5_000)]: 'x'.repeat(40),
    }
    for (const [value, wrong] of Object.entries(broken)) {
      const response = await site.get(`/posts?fields=${value}`)
      expect(await errorOf(response, 400), value).toBe(rule(wrong))
    }
    for (const below of ['/posts/full', '/changes'])
      expect(await errorOf(await site.get(`${below}?fields=x`), 400)).toBe(rule('x'))
  })
})

describe('an answer to a request with fields', () => {
  it('matches its description, and the client’s types say which fields may be missing', async () => {
    const site = await siteWithFullPost()
    await putGuide(site, 'guide')
    const { paths, components } = await readDocument('/api/v1')
    for (const [path, below] of [
      ['posts', '/posts?fields=title'],
      ['posts/{slug}', '/posts/full?fields=title'],
      ['changes', '/changes?include=content&fields=title'],
    ]) {
      const described = paths[`/sites/{siteId}/${path}`]!.get!.responses[200]!
      const response = await site.get(below!)
      expect(await bodyFaults(response.clone(), withFields(described), components), below).toEqual([])
      expect(await bodyFaults(response, described, components), below).not.toEqual([])
    }
    const { client } = connect(site)
    expectTypeOf((await client.getPost('full')).title).toEqualTypeOf<string>()
    expectTypeOf((await client.listPosts({ status: 'all' })).items[0]!.title).toEqualTypeOf<string>()
    const { title, slug } = await client.getPost('full', { fields: 'title' })
    expectTypeOf(title).toEqualTypeOf<string | undefined>()
    expectTypeOf(slug).toEqualTypeOf<string>()
    for await (const { items } of client.postPages({ fields: 'title' }))
      expectTypeOf(items[0]!.excerpt).toEqualTypeOf<string | null | undefined>()
  })
})
