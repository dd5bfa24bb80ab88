import { describe, expect } from 'vitest'
import { putAll, slugsOf } from '../support/content.ts'
import { errorOf, it, makeSite, type Page } from '../support/site.ts'

const q = encodeURIComponent

describe('search', () => {
  it('finds a substring of the title alone, whatever its case and diacritics, with %, _ and \\ as they are', async () => {
    const site = await makeSite()
    await putAll(site, [
      { slug: 'english', title: 'Hello World' },
      { slug: 'cyrillic', title: 'Привет Мир' },
      { slug: 'german', title: 'Große Straße' },
      { slug: 'greek', title: 'Ὀδυσσεύς ΟΔΟΣ' },
      { slug: 'turkish', title: 'İstanbul' },
      { slug: 'french', title: 'Cafe\u0301 crème' },
      { slug: 'japanese', title: '東京の天気' },
      ...['100% true', 'snake_case', 'C:\\temp', `it's "so"`].map((title) => ({
        slug: title.replace(/\W/g, ''),
        title,
      })),
      { slug: 'word-in-slug', title: 'T', contentHtml: '<p>needle</p>', excerpt: 'needle' },
    ])
    const found = {
      'LO wO': ['english'],
      'привет мир': ['cyrillic'],
      ПРИВЕТ: ['cyrillic'],
      STRASSE: ['german'],
      straße: ['german'],
      οδος: ['greek'],
      ΟΔΥΣΣ: ['greek'],
      'cafe creme': ['french'],
      istanbul: ['turkish'],
      'CAFÉ CRÈME': ['french'],
      の天: ['japanese'],
      ...{
        'world hello': [],
        needle: [],
        '%': ['100true'],
        _: ['snake_case'],
        '\\': ['Ctemp'],
        '\\t': ['Ctemp'],
      },
      ...{ e_c: ['snake_case'], '1%0': [], '\\%': [], '\'s "': ['itsso'] },
    }
    for (const [search, slugs] of Object.entries(found)) {
      expect(await slugsOf(site, `/posts?search=${q(search)}`), search).toEqual(slugs)
    }
    for (const blank of ['', '%20', '+', '%20%09%0A'])
      expect(await site.json(`/posts?search=${blank}`), blank).toMatchObject({ total: 12 })
  })

  it('accepts 200 characters, counting an emoji as one, and refuses 201', async ({ site }) => {
    await site.put('long', { title: 'x'.repeat(200) })
    await site.put('emoji', { title: '🙂'.repeat(200) })
    expect(await slugsOf(site, `/posts?search=${'X'.repeat(200)}`)).toEqual(['long'])
    expect(await slugsOf(site, `/posts?search=${q('🙂'.repeat(200))}`)).toEqual(['emoji'])
    for (const search of ['x'.repeat(201), '🙂'.repeat(201)]) {
      expect(await errorOf(await site.get(`/posts?search=${q(search)}`), 400)).toBe(
        'Invalid query parameter: search must be at most 200 characters',
      )
    }
  })
})

describe('language', () => {
  it("matches a prefix of the post's language, ignoring case", async ({ site }) => {
    const languages = ['en', 'en-US', 'EN-gb', 'eng', 'de', null]
    await putAll(
      site,
      languages.map((language, n) => ({ slug: `${n}-${language}`, language })),
    )
    const found = {
      en: ['3-eng', '2-EN-gb', '1-en-US', '0-en'],
      EN: ['3-eng', '2-EN-gb', '1-en-US', '0-en'],
      'en-': ['2-EN-gb', '1-en-US'],
      'EN-us': ['1-en-US'],
      d: ['4-de'],
      fr: [],
    }
    for (const [language, slugs] of Object.entries(found)) {
      expect(await slugsOf(site, `/posts?language=${language}`), language).toEqual(slugs)
    }
  })
})

describe('status', () => {
  it('returns drafts, published posts or both, and combines with the other filters', async ({ site }) => {
    await putAll(site, [
      { slug: 'a', title: 'Blue', language: 'de', status: 'published' },
      { slug: 'b', title: 'Blue', language: 'en', status: 'published' },
      { slug: 'c', title: 'Blue', language: 'de' },
      { slug: 'd', title: 'Red', language: 'de', status: 'published' },
    ])
    expect(await slugsOf(site, '/posts?status=draft')).toEqual(['c'])
    expect(await slugsOf(site, '/posts?status=published')).toEqual(['d', 'b', 'a'])
    expect(await slugsOf(site, '/posts?status=all')).toEqual(['d', 'c', 'b', 'a'])
    expect(await site.json('/posts?status=draft')).toMatchObject({ total: 1, totalPages: 1 })
    expect(await slugsOf(site, '/posts?search=blue&language=de&status=published')).toEqual(['a'])
  })
})

describe('sort=publishedAt', () => {
  const at = (year: number) => `${year}-01-01T00:00:00.000Z`

  it('has the last published first and those without publishedAt last, with ties by id', async ({ site }) => {
    await putAll(site, [
      { slug: 'old', status: 'published', publishedAt: at(2001), language: 'de' },
      { slug: 'never-1' },
      { slug: 'new', status: 'published', publishedAt: at(2020), language: 'en' },
      { slug: 'never-2', language: 'de' },
      ...['tie-1', 'tie-2', 'tie-3'].map((slug) => ({ slug, status: 'published', publishedAt: at(2010) })),
      { slug: 'unpublished', publishedAt: at(2015), language: 'de' },
    ])
    const page = await site.json<Page>('/posts?sort=publishedAt')
    const idsOf = (name: string) =>
      page.items.filter(({ slug }) => String(slug).startsWith(name)).map(({ id }) => id as string)
    expect(page.items.map(({ slug }) => String(slug).replace(/-\d/, ''))).toEqual([
      ...['new', 'unpublished', 'tie', 'tie', 'tie', 'old', 'never', 'never'],
    ])
    for (const ids of [idsOf('tie'), idsOf('never')]) expect(ids).toEqual(ids.toSorted())
    expect(page).toMatchObject({ total: 8, totalPages: 1 })
    await site.put('old', { status: 'published', publishedAt: at(2021) })
    expect((await slugsOf(site, '/posts?sort=publishedAt'))[0]).toBe('old')
  })

  it('works with every filter and page, and loses or repeats nothing between pages', async ({ site }) => {
    const years = [2003, 2001, null, 2005, 2002, 2004, null, 2006]
    await putAll(
      site,
      years.map((year, n) => ({
        slug: `p${year}-${n}`,
        title: n % 2 ? 'Odd' : 'Even',
        language: n % 3 ? 'de' : 'en',
        ...(year && { status: 'published', publishedAt: at(year) }),
      })),
    )
    const all = await slugsOf(site, '/posts?sort=publishedAt')
    expect(all.slice(0, 6)).toEqual(['p2006-7', 'p2005-3', 'p2004-5', 'p2003-0', 'p2002-4', 'p2001-1'])
    const paged: unknown[] = []
    for (const page of [1, 2, 3, 4]) {
      paged.push(...(await slugsOf(site, `/posts?sort=publishedAt&pageSize=3&page=${page}`)))
    }
    expect(paged).toEqual(all)
    const chosen: Record<string, (n: number) => boolean> = {
      'status=draft': (n) => years[n] === null,
      'status=published': (n) => years[n] !== null,
      'language=d': (n) => n % 3 > 0,
      'search=odd': (n) => n % 2 === 1,
      'search=odd&language=de&status=published': (n) => n % 2 === 1 && n % 3 > 0 && years[n] !== null,
    }
    for (const [query, isChosen] of Object.entries(chosen)) {
      const expected = all.filter((slug) => isChosen(Number(String(slug).split('-')[1])))
      expect(await slugsOf(site, `/posts?sort=publishedAt&${query}`), query).toEqual(expected)
      expect(await slugsOf(site, `/posts?sort=publishedAt&pageSize=1&page=2&${query}`), query).toEqual(
        expected.slice(1, 2),
      )
    }
  })

  it('is refused with updatedAfter, which has its own order', async ({ site }) => {
    const since = 'updatedAfter=1970-01-01T00:00:00Z'
    expect(await errorOf(await site.get(`/posts?sort=publishedAt&${since}`), 400)).toBe(
      'Invalid query parameter: sort must not be publishedAt with updatedAfter, which sorts by updatedAt',
    )
    expect((await site.get(`/posts?sort=publishedAt&${since}`, { key: null })).status).toBe(401)
    expect(await slugsOf(site, `/posts?sort=updatedAt&${since}`)).toEqual([])
  })
})

describe('updatedAfter', () => {
  it('returns the oldest update first, with every filter and on every page', async ({ site }) => {
    const slugs = ['a', 'b', 'c', 'd', 'e', 'f']
    const fields = { language: 'de', status: 'published' }
    await putAll(
      site,
      slugs.map((slug) => ({ slug, title: `Chain ${slug}`, ...fields })),
    )
    const since = 'updatedAfter=1970-01-01T00:00:00Z'
    for (const filter of [
      '',
      '&status=published',
      '&language=d',
      '&search=CHAIN',
      '&search=chain&language=de',
    ]) {
      expect(await slugsOf(site, `/posts?${since}${filter}`), filter).toEqual(slugs)
      expect(await slugsOf(site, `/posts?${since}${filter}&pageSize=2&page=2`), filter).toEqual(['c', 'd'])
    }
    expect(await slugsOf(site, '/posts?status=published')).toEqual(slugs.toReversed())
  })

  it('returns posts updated strictly after the instant, however it is written', async ({ site }) => {
    const { updatedAt: first } = await site.put('first')
    const { updatedAt: second } = await site.put('second')
    const at = Date.parse(first)
    const east = new Date(at + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30')
    const west = new Date(at - 8 * 3_600_000).toISOString().replace('Z', '-08:00')
    const same = [first, first.replace('Z', 'z').replace('T', 't'), east, west, first.replace('Z', '+00:00')]
    const finer = first.replace('Z', '999Z')
    for (const written of [...same, finer]) {
      expect(await slugsOf(site, `/posts?updatedAfter=${q(written)}`), written).toEqual(['second'])
    }
    expect(await slugsOf(site, `/posts?updatedAfter=${east}`), 'a + as a space').toEqual(['second'])
    expect(await slugsOf(site, `/posts?updatedAfter=${new Date(at - 1).toISOString()}`)).toHaveLength(2)
    expect(await slugsOf(site, `/posts?updatedAfter=${second}`)).toEqual([])
  })

  it('accepts seconds without a fraction, a leap second, and the first and last possible year', async () => {
    const site = await makeSite()
    await site.put('a')
    for (const early of ['2016-12-31T23:59:60Z', '2020-02-29T00:00:00Z', '0001-01-01T00:00:00Z']) {
      expect(await slugsOf(site, `/posts?updatedAfter=${early}`), early).toEqual(['a'])
    }
    expect(await slugsOf(site, '/posts?updatedAfter=9999-12-31T23:59:59.999Z')).toEqual([])
  })
})
