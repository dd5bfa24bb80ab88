import { describe, expect, it } from 'vitest'
import { errorBeside, filledIn, signIn, visit, wordsOf } from '../../support/console.ts'
import { putAll, putGuide } from '../../support/content.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { callsOf, runSql, statementsOf } from '../../support/sql.ts'

const listOf = async (site: TestSite, below = '') =>
  visit(`/console/sites/${site.id}/content${below}`, { cookie: await signIn() })

/** The titles of a list, in order. */
const titlesOf = ({ text }: { text: string }) =>
  [
    ...text.matchAll(
      /<th scope="row" role="rowheader" dir="auto">(?:<input[^>]+>)?<a href="[^"]+"[^>]*>([^<]*)</g,
    ),
  ].map(([, title]) => title)

const rowOf = ({ text }: { text: string }, title: string) =>
  wordsOf({ text: text.split(/<\/?tr>/).find((row) => row.includes(`>${title}<`)) ?? '' })

const CHOSEN = ['sort']
const SORT_RULE =
  'Sort must be updated, updated-oldest, published, published-oldest, title or title-reversed.'

describe('the list of posts', () => {
  it('shows title, slug, status, band, language, translations and update', async () => {
    const site = await makeSite()
    await site.put('source', { title: 'Original', status: 'published', trustScore: 90, language: 'en' })
    for (const language of ['de', 'fr']) {
      await site.put(`quelle-${language}`, { title: `In ${language}`, language, sourceSlug: 'source' })
    }
    await site.put('ready', { title: 'Finished', trustScore: 40 })
    await site.manage('PUT', '/posts/ready/readiness')
    const page = await listOf(site)
    expect(page.status).toBe(200)
    expect(titlesOf(page)).toEqual(['Finished', 'In fr', 'In de', 'Original'])
    expect(rowOf(page, 'Original')).toMatch(/^Original source Published Premium en 2 \d.* UTC$/)
    expect(rowOf(page, 'In de')).toMatch(/^In de quelle-de Draft Not checked de Source \d.* UTC$/)
    expect(rowOf(page, 'Finished')).toMatch(
      /^Finished ready Draft Ready Review en \(default\) None \d.* UTC$/,
    )
    expect(wordsOf(await listOf(site, '?search=finished'))).not.toContain('Translations')
    expect(page.text).toContain(`href="/console/sites/${site.id}/content/posts/source" title="source"`)
    expect(wordsOf(page)).toContain('4 posts')
  })

  it('finds by title, status, language and update', async () => {
    const site = await makeSite()
    await site.put('one', { title: 'STRASSE 100%', status: 'published', language: 'de-AT' })
    const { updatedAt } = await site.put('two', { title: 'Second', language: 'en' })
    await site.put('three', { title: 'Third', language: 'en-GB' })
    const found = async (query: string) => titlesOf(await listOf(site, `?${query}`))
    expect(await found('search=stra%C3%9Fe')).toEqual(['STRASSE 100%'])
    expect(await found('search=0%25')).toEqual(['STRASSE 100%'])
    expect(await found('status=draft')).toEqual(['Third', 'Second'])
    expect(await found('status=published&language=DE')).toEqual(['STRASSE 100%'])
    expect(await found(`updatedAfter=${updatedAt}`)).toEqual(['Third'])
    expect(await found(`updatedAfter=${updatedAt.slice(0, 23)}`)).toEqual(['Third'])
    expect(await found('search=&status=&language=&updatedAfter=')).toHaveLength(3)
  })

  it('keeps the filters in the form and across pages', async () => {
    const site = await makeSite()
    await putAll(
      site,
      Array.from({ length: 103 }, (_, i) => ({ slug: `p-${i}`, title: `P ${i}`, language: 'en' })),
    )
    const query = 'search=P+&language=en&updatedAfter=2020-01-31T10%3A00'
    const page = await listOf(site, `?${query}&page=2`)
    expect(wordsOf(page)).toContain('51 to 100 of 103 posts')
    expect(titlesOf(page)).toHaveLength(50)
    expect(filledIn('search', page)).toBe('P ')
    expect(filledIn('updatedAfter', page)).toBe('2020-01-31T10:00')
    const links = [...page.text.matchAll(/href="([^"]*\/content\?[^"]*)"/g)].map(([, href]) =>
      href!.replaceAll('&amp;', '&'),
    )
    const list = `/console/sites/${site.id}/content?${query}`
    const paged = links.filter((href) => !/status|band|select/.test(href))
    // Two tabs, then the pager.
    expect(paged).toEqual([list, list, list, list, `${list}&page=2`, `${list}&page=3`, `${list}&page=3`])
    const last = await visit(links.at(-1)!, { cookie: await signIn() })
    expect(titlesOf(last)).toEqual(['P 2', 'P 1', 'P 0'])
    expect(last.text).toContain('aria-current="page"><span class="visually-hidden">Page </span>3</a>')
  })

  it.each([
    ['search', 'x'.repeat(201), 'Search must be at most 200 characters.'],
    ['language', 'e_n', 'Language must consist of letters, digits and "-".'],
    ['sort', 'size', SORT_RULE],
    ['publishedFrom', '2026-02-30', 'Published from must be a date such as 2026-01-31.'],
    ['publishedTo', 'today', 'Published to must be a date such as 2026-01-31.'],
    ['updatedAfter', 'yesterday', 'Updated after must be an RFC 3339 date-time with offset.'],
    ['updatedAfter', '2026-02-30T10:00', 'Updated after must be an RFC 3339 date-time with offset.'],
  ])('refuses %s=%s with an error at the field, and keeps it', async (field, value, words) => {
    const site = await makeSite()
    await site.put('one')
    const page = await listOf(site, `?${new URLSearchParams({ [field]: value })}`)
    expect(page.status).toBe(400)
    expect(errorBeside(field, page)).toBe(words)
    if (!CHOSEN.includes(field)) expect(filledIn(field, page)).toBe(value)
  })

  it.each([
    ['status=gone', 'Status must be all, draft, ready, scheduled, changes or published.'],
    ['band=gold', 'Quality must be premium, standard, review or none.'],
  ])('refuses ?%s, which is a tab, above the list', async (query, words) => {
    const page = await listOf(await makeSite(), `?${query}`)
    expect([page.status, wordsOf(page)]).toEqual([400, expect.stringContaining(words)])
  })

  it.each(['', '/guides'])('explains the error on a page%s', async (list) => {
    const page = await listOf(await makeSite(), `${list}?page=abc`)
    expect(page.status).toBe(400)
    expect(wordsOf(page)).toContain('The page must be an integer of at least 1.')
    expect(wordsOf(page)).not.toContain('Nothing was')
  })

  it.each(['page=0', 'page=x', 'page=1&page=2', 'search=%00', 'status=draft&status=all'])(
    'refuses ?%s with 400',
    async (query) => {
      const site = await makeSite()
      expect((await listOf(site, `?${query}`)).status).toBe(400)
    },
  )

  it('when empty explains how to fill it, and for which site', async () => {
    const site = await makeSite()
    const page = await listOf(site)
    expect(wordsOf(page)).toContain('No posts yet')
    for (const page of ['/docs/moving', '/docs/quick-start'])
      expect((await listOf(site)).text).toContain(page)
    expect(wordsOf(page)).toMatch(
      new RegExp(`HCA_URL=https://api.test \\\\ npm run -s admin -- import markdown ${site.id}`),
    )
    const local = await visit(`/console/sites/${site.id}/content`, {
      origin: 'http://127.0.0.1:8787',
      cookie: await signIn(),
    })
    expect(wordsOf(local)).toContain(`npm run -s admin -- import markdown ${site.id} path/to/folder`)
  })

  it('says when nothing matches, or the page does not exist', async () => {
    const site = await makeSite()
    await site.put('one')
    expect(wordsOf(await listOf(site, '?search=unicycle'))).toContain('No posts match')
    for (const page of ['2', '999999999999']) {
      expect(wordsOf(await listOf(site, `?page=${page}`))).toContain('The list ends before page')
    }
  })

  it('takes one query in addition to the two of the layout, and loads no bodies', async () => {
    const site = await makeSite()
    await site.put('one')
    const cookie = await signIn()
    const path = `/console/sites/${site.id}/content?search=a`
    const statements = await statementsOf(() => visit(path, { cookie }))
    expect(statements).toHaveLength(3)
    expect(statements.at(-1)).not.toMatch(/content_html|schema_bundle|faq_json_ld|provenance|\*,/)
    expect(await callsOf(() => visit(path, { cookie }))).toBe(3)
  })

  it('stays fast and small with 50 posts of 300 KB each', async () => {
    const site = await makeSite()
    await runSql(
      `insert into posts (site_id, slug, title, content_html)
       select $1, 'heavy-' || n, 'Heavy ' || n, repeat('<p>words </p>', 25000) from generate_series(1, 50) n`,
      [site.id],
    )
    const page = await listOf(site)
    expect(titlesOf(page)).toHaveLength(50)
    expect(page.text.length).toBeLessThan(60_000)
  })
})

describe('the list of guides', () => {
  it('shows drafts too, searches and filters', async () => {
    const site = await makeSite()
    await putGuide(site, 'shown', { title: 'Über 100%' })
    await putGuide(site, 'hidden', { title: 'A draft', status: 'draft' })
    const found = async (query = '') => titlesOf(await listOf(site, `/guides${query}`))
    expect(await found()).toEqual(['A draft', 'Über 100%'])
    expect(await found('?status=published')).toEqual(['Über 100%'])
    expect(await found('?search=100%25')).toEqual(['Über 100%'])
    expect(await found('?search=DRAFT')).toEqual(['A draft'])
    expect(await found('?search=_')).toEqual([])
    expect(await found('?updatedAfter=2099-01-01T00:00:00Z')).toEqual([])
    expect(rowOf(await listOf(site, '/guides'), 'A draft')).toMatch(/^A draft hidden Draft \d.* UTC$/)
    const statements = await statementsOf(() => listOf(site, '/guides'))
    expect(statements.at(-1)).not.toContain('content_html')
  })

  it('when empty explains how to fill it', async () => {
    expect(wordsOf(await listOf(await makeSite(), '/guides'))).toMatch(/No guides yet .* --as guides/)
  })
})
