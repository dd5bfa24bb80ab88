/** The lists of posts and guides. */
import { beforeAll, describe, expect, it } from 'vitest'
import { browse, decode, errorBeside, filledIn, wordsOf } from '../../support/console.ts'
import { putAll, putGuide } from '../../support/content.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { runSql, statementsOf } from '../../support/sql.ts'

const listOf = async (site: TestSite, query: string | Record<string, string> = '', list = '') =>
  (await browse(site, `/content${list}`)).open(`?${new URLSearchParams(query)}`)

/** The slugs in a list, in its order. */
const slugsIn = ({ text }: { text: string }) =>
  [...text.matchAll(/<a href="[^"]*\/content\/(?:posts|guides)\/([^"?]*)[^"]*" title="[^"]* \(/g)].map(
    ([, slug]) => decodeURIComponent(slug!),
  )

const rowOf = ({ text }: { text: string }, title: string) =>
  wordsOf({ text: text.split(/<\/?tr>/).find((row) => row.includes(`>${title}<`)) ?? '' })

describe('the list of posts', () => {
  it('shows title, slug, status, band, language, translations and update', async () => {
    const site = await makeSite()
    const image = { url: '/a.png' }
    await site.put('source', {
      title: 'Original',
      status: 'published',
      trustScore: 90,
      language: 'en',
      image,
    })
    for (const language of ['de', 'fr'])
      await site.put(`quelle-${language}`, { title: `In ${language}`, language, sourceSlug: 'source' })
    await site.put('ready', {
      title: 'Finished',
      trustScore: 40,
      image: { url: 'http://a.example/insecure.png' },
    })
    await site.manage('PUT', '/posts/ready/readiness')
    const page = await listOf(site)
    expect(slugsIn(page)).toEqual(['ready', 'quelle-fr', 'quelle-de', 'source'])
    expect(rowOf(page, 'Original')).toMatch(/^Original Published Premium en 2 \d.* UTC$/)
    expect(rowOf(page, 'In de')).toMatch(/^In de Draft Not checked de Source \d.* UTC$/)
    expect(rowOf(page, 'Finished')).toMatch(/^Finished Ready Review en \d.* UTC$/)
    expect(wordsOf(await listOf(site, 'search=finished'))).not.toContain('Translations')
    expect(page.text).toContain('<img class="thumbnail" src="https://site.example.com/a.png" alt=""')
    expect(page.text).not.toContain('insecure.png')
    expect(page.text).toContain(`href="/console/sites/${site.id}/content/posts/source" title="source"`)
    expect(wordsOf(page)).toContain('4 posts')
  })

  it('keeps the filters in the form, and filter and order across pages', async () => {
    const site = await makeSite()
    const number = (i: number) => String(i).padStart(3, '0')
    await putAll(
      site,
      Array.from({ length: 103 }, (_, i) => ({ slug: `p-${i}`, title: `P ${number(i)}`, language: 'en' })),
    )
    const query = 'search=P+&language=en&updatedAfter=2020-01-31T10%3A00&sort=title-reversed'
    const page = await listOf(site, `${query}&page=2`)
    expect(wordsOf(page)).toContain('51 to 100 of 103 posts')
    expect(slugsIn(page)).toHaveLength(50)
    expect(filledIn('search', page)).toBe('P ')
    expect(filledIn('updatedAfter', page)).toBe('2020-01-31T10:00')
    const links = [...page.text.matchAll(/href="([^"]*\/content\?[^"]*)"/g)].map(([, href]) => decode(href!))
    const list = `/console/sites/${site.id}/content?${query}`
    const paged = links.filter((href) => href.startsWith(list) && !/status|select/.test(href))
    // A tab, then the pager.
    expect(paged).toEqual([list, list, `${list}&page=3`])
    // The folded filters are removed one by one.
    for (const removed of ['&language=en', '&updatedAfter=2020-01-31T10%3A00'])
      expect(links).toContain(list.replace(removed, ''))
    const last = await listOf(site, `${query}&page=3`)
    expect(slugsIn(last)).toEqual(['p-2', 'p-1', 'p-0'])
    expect(wordsOf(last)).toContain('101 to 103 of 103 posts')
  })

  it('refuses a wrong value with an error at its field, which keeps it', async () => {
    const site = await makeSite()
    for (const [field, value, words] of [
      ['search', 'x'.repeat(201), 'Search must be at most 200 characters.'],
      ['language', 'e_n', 'Language must consist of letters, digits and “-”.'],
      ['publishedFrom', '2026-02-30', 'Published from must be a date such as 2026-01-31.'],
      ['updatedAfter', '2026-02-30T10:00', 'Updated after must be a date and time.'],
    ] as const) {
      const page = await listOf(site, { [field]: value })
      expect([page.status, errorBeside(field, page), filledIn(field, page)]).toEqual([400, words, value])
    }
  })

  it('refuses values that no field has, with an explanation', async () => {
    const site = await makeSite()
    const sorts = 'updated, updated-oldest, published, published-oldest, title or title-reversed'
    for (const [query, words] of [
      ['sort=size', `Sort must be ${sorts}.`],
      ['status=gone', 'Status must be all, published, draft, ready, scheduled or changes.'],
      ['band=gold', 'Quality must be premium, standard, review or none.'],
      ['page=0', 'The page must be an integer of at least 1.'],
      ['page=1&page=2', 'The page must be'],
      ['search=%00', 'must not contain NUL'],
      ['status=draft&status=all', 'Status must be'],
    ] as const) {
      const page = await listOf(site, query)
      expect([query, page.status, wordsOf(page)]).toEqual([query, 400, expect.stringContaining(words)])
      expect(wordsOf(page)).not.toContain('Nothing was')
      expect(wordsOf(page)).toMatch(/ All Published Drafts .* Any /)
    }
  })

  it('when empty offers to write and to import, and names what an empty tab misses', async () => {
    const site = await makeSite()
    const { at, open, read } = await browse(site)
    const { text } = await open('/content')
    expect(wordsOf({ text })).toMatch(/No posts yet .* New post Import/)
    for (const path of ['/content/new/posts', '/settings/transfer'])
      expect(text).toContain(`href="${at(path)}"`)
    await site.put('one')
    expect(await read('/content?status=ready')).toContain('No ready posts Show all')
    expect(await read('/content?status=ready&search=x')).toContain('No ready posts match “x” Clear filters')
    expect(await read('/content/guides')).toMatch(/No guides yet .* New guide Import/)
  })

  it('offers to clear filters only if one is set, and keeps the tab', async () => {
    const site = await makeSite()
    await site.put('one')
    expect(wordsOf(await listOf(site, 'status=published'))).not.toContain('Clear filters')
    const { text } = await listOf(site, 'status=published&search=x')
    expect(text).toMatch(/href="[^"]*\/content\?status=published"[^>]*>Clear filters</)
  })

  it('says when nothing matches, or the page does not exist', async () => {
    const site = await makeSite()
    await site.put('one')
    expect(wordsOf(await listOf(site, 'search=unicycle'))).toContain(
      'No posts match “unicycle” Clear filters',
    )
    for (const page of ['2', '999999999999'])
      expect(wordsOf(await listOf(site, { page }))).toContain('The list ends before page')
  })

  it('loads no bodies, and stays small with 50 posts of 300 KB each', async () => {
    const site = await makeSite()
    await runSql(
      `insert into posts (site_id, slug, title, content_html)
       select $1, 'heavy-' || n, 'Heavy ' || n, repeat('<p>words </p>', 25000) from generate_series(1, 50) n`,
      [site.id],
    )
    const page = await listOf(site)
    expect(slugsIn(page)).toHaveLength(50)
    expect(page.text.length).toBeLessThan(60_000)
    for (const list of ['', '/guides']) {
      const statements = await statementsOf(() => listOf(site, 'search=a', list))
      expect(statements).toHaveLength(3)
      expect(statements.at(-1)).not.toMatch(/content_html|schema_bundle|faq_json_ld|provenance|\*,/)
    }
  })
})

it('the search finds posts and guides by words of title and slug, in any order and writing', async () => {
  const site = await makeSite()
  await putAll(site, [
    { slug: 'v18.0.0', title: 'Node v18.0.0 (Current)' },
    { slug: 'node-18-0-0-notes', title: 'What is new' },
    { slug: 'node-v0-18', title: 'An old release' },
    { slug: 'security-openssl', title: 'OpenSSL: a security release' },
    { slug: 'strasse', title: 'Auf der STRASSE, 100% sicher' },
    { slug: 'typographic', title: 'What’s possible' },
    { slug: 'README', title: 'Words' },
  ])
  const longest = Array.from({ length: 100 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join(' ')
  for (const [search, slugs] of [
    ['18.0.0 nOdE', ['node-18-0-0-notes', 'v18.0.0']],
    ['  openssl \t security  ', ['security-openssl']],
    ['straße 100%', ['strasse']],
    ["what's possible", ['typographic']],
    ['_', []],
    [longest, []],
  ] as const)
    expect([search, slugsIn(await listOf(site, { search }))]).toEqual([search, slugs])
  await putGuide(site, 'strasse-1', { title: 'Auf der STRASSE' })
  await putGuide(site, 'other', { title: 'Über 100%', status: 'draft' })
  for (const [search, slugs] of [
    ['1 straße', ['strasse-1']],
    ['100%', ['other']],
  ] as const)
    expect(slugsIn(await listOf(site, { search }, '/guides'))).toEqual(slugs)
})

describe('with posts in all states', () => {
  let site: TestSite
  beforeAll(async () => {
    site = await makeSite({ defaultLanguage: 'de-AT' })
    const [january, february] = ['2026-01-31T23:59:59.5Z', '2026-02-01T00:00:00Z']
    await putAll(site, [
      { slug: 'a', title: 'Cherry', status: 'published', publishedAt: january, trustScore: 90 },
      { slug: 'b', title: 'apple', status: 'published', publishedAt: february, language: 'de' },
      { slug: 'c', title: 'Banana', trustScore: 75, language: 'en' },
      { slug: 'd', title: 'date', trustScore: 10 },
    ])
    await site.manage('PUT', '/posts/c/readiness')
  })

  it('a filter finds its matches, and counts them', async () => {
    for (const [query, slugs] of [
      ['status=ready', ['c']],
      ['band=premium', ['a']],
      ['band=none', ['b']],
      ['band=review&status=draft', ['d']],
      ['publishedFrom=2026-02-01', ['b']],
      ['publishedFrom=2026-01-31&publishedTo=2026-02-01', ['b', 'a']],
      ['language=de-AT', ['d', 'a']],
      ['search=a&band=standard&status=ready&language=en', ['c']],
      ['search=&status=&language=&updatedAfter=', ['c', 'd', 'b', 'a']],
    ] as const) {
      const page = await listOf(site, query)
      expect([query, slugsIn(page)]).toEqual([query, slugs])
      if (slugs.length > 0)
        expect(wordsOf(page)).toContain(slugs.length === 1 ? ' 1 post' : ` ${slugs.length} posts`)
    }
  })

  it('a sort has its order, and the order of publication shows the date', async () => {
    for (const [sort, slugs] of [
      ['updated', ['c', 'd', 'b', 'a']],
      ['updated-oldest', ['a', 'b', 'd', 'c']],
      ['published', ['b', 'a', 'c', 'd']],
      ['published-oldest', ['a', 'b', 'c', 'd']],
      ['title', ['b', 'c', 'a', 'd']],
      ['title-reversed', ['d', 'a', 'c', 'b']],
    ] as const)
      expect([sort, slugsIn(await listOf(site, { sort }))]).toEqual([sort, slugs])
    const words = wordsOf(await listOf(site, 'sort=published'))
    expect(words).toContain('Language Published apple Published Not checked de 1 Feb 2026, 00:00 UTC')
    expect(words).toMatch(/Banana Ready Standard en (?!\d)/)
    const filtered = wordsOf(await listOf(site, 'publishedFrom=2026-02-01'))
    expect(filtered).toContain('Language Updated apple Published Not checked de ')
    expect(filtered).toContain(' Published from 1 Feb 2026 × ')
  })

  it('the tabs have states and bands, with counts unless other filters exclude some posts', async () => {
    const tabs = async (query = '') => {
      const { text } = await listOf(site, query)
      const found = text.matchAll(/<nav class="choices" aria-label="\w+">(.*?)<\/nav>/g)
      return [...found].map(([, tabs]) => wordsOf({ text: tabs!.replaceAll('</a>', '</a>, ') }))
    }
    expect(await tabs()).toEqual([
      'All 4 , Published 2 , Drafts 2 , Ready 1 , Scheduled 0 , Changes requested 0 ,',
    ])
    expect(wordsOf(await listOf(site))).toContain(
      'Quality Any (4) Premium (1) Standard (1) Review (1) Not checked (1)',
    )
    expect(await tabs('status=draft&language=de')).toEqual([
      'All 3 , Published 2 , Drafts 1 , Ready 0 , Scheduled 0 , Changes requested 0 ,',
    ])
    expect(wordsOf(await listOf(site, 'status=draft&language=de'))).toContain(
      'Any (1) Premium (0) Standard (0) Review (1) Not checked (0)',
    )
    expect((await tabs('search=a'))[0]).toBe(
      'All , Published , Drafts , Ready , Scheduled , Changes requested ,',
    )
  })

  it('the tabs keep the other filters, and the form keeps the tab', async () => {
    const { text } = await listOf(site, 'search=a&status=ready&page=1')
    const path = `/console/sites/${site.id}/content?search=a`
    for (const query of ['&amp;status=published', '']) expect(text).toContain(`href="${path}${query}"`)
    expect(text).toContain('<input type="hidden" name="status" value="ready"')
  })
})

it('the list of guides shows drafts too, and filters by status and times', async () => {
  const site = await makeSite()
  await putGuide(site, 'old', { publishedAt: '2020-05-05T12:00:00Z' })
  await putGuide(site, 'new', { publishedAt: '2026-05-05T12:00:00Z' })
  await putGuide(site, 'hidden', { title: 'A draft', status: 'draft' })
  for (const [query, slugs] of [
    ['', ['hidden', 'new', 'old']],
    ['status=draft', ['hidden']],
    ['publishedTo=2020-05-05', ['old']],
    ['sort=published', ['new', 'old', 'hidden']],
  ] as const)
    expect([query, slugsIn(await listOf(site, query, '/guides'))]).toEqual([query, slugs])
  expect(rowOf(await listOf(site, '', '/guides'), 'A draft')).toMatch(/^A draft Draft \d.* UTC$/)
})
