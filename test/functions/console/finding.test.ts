import { describe, expect, it } from 'vitest'
import { signIn, visit, wordsOf } from '../../support/console.ts'
import { putAll, putGuide } from '../../support/content.ts'
import { makeSite, type TestSite } from '../../support/site.ts'

/** The slugs in a list, in its order. */
async function found(site: TestSite, query: Record<string, string>, list = ''): Promise<string[]> {
  const path = `/console/sites/${site.id}/content${list}?${new URLSearchParams(query)}`
  const { text } = await visit(path, { cookie: await signIn() })
  return [...text.matchAll(/<code class="slug" dir="auto">([^<]*)</g)].map(([, slug]) => slug!)
}

async function withReleases(): Promise<TestSite> {
  const site = await makeSite()
  await putAll(site, [
    { slug: 'v18.0.0', title: 'Node v18.0.0 (Current)', status: 'published' },
    { slug: 'node-18-0-0-notes', title: 'What is new', status: 'draft' },
    { slug: 'node-v0-18', title: 'An old release', status: 'draft' },
    { slug: 'security-openssl', title: 'OpenSSL: a security release', status: 'published' },
    { slug: 'strasse', title: 'Auf der STRASSE, 100% sicher', status: 'draft' },
    { slug: 'typographic', title: 'What’s possible', status: 'draft' },
    { slug: 'köln', title: 'Crème brûlée', status: 'draft' },
  ])
  return site
}

describe('the search', () => {
  it.each([
    ['Node 18.0.0', ['node-18-0-0-notes', 'v18.0.0']],
    ['18.0.0 nOdE', ['node-18-0-0-notes', 'v18.0.0']],
    ['v18.0.0', ['v18.0.0']],
    ['  openssl \t security  ', ['security-openssl']],
    ['security openssl unicycle', []],
    ['new notes', ['node-18-0-0-notes']],
    ['straße 100%', ['strasse']],
    ["what's possible", ['typographic']],
    ['what’s', ['typographic']],
    ['koln BRULEE', ['köln']],
    ['%', ['strasse']],
    ['_', []],
    ['\\', []],
  ])('finds %j in titles and slugs', async (search, slugs) => {
    expect(await found(await withReleases(), { search })).toEqual(slugs)
  })

  it('finds a slug in upper case', async () => {
    const site = await makeSite()
    await site.put('README', { title: 'Words' })
    expect(await found(site, { search: 'readme' })).toEqual(['README'])
  })

  it('is still by substring of the title in the API', async () => {
    const site = await withReleases()
    const slugs = async (search: string) => {
      const { items } = await site.json<{ items: { slug: string }[] }>(
        `/posts?search=${encodeURIComponent(search)}`,
      )
      return items.map(({ slug }) => slug)
    }
    expect(await slugs('node v18')).toEqual(['v18.0.0'])
    expect(await slugs('18 node')).toEqual([])
    expect(await slugs('notes')).toEqual([])
  })

  it('accepts 200 characters of single letters', async () => {
    const search = Array.from({ length: 100 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join(' ')
    expect(await found(await withReleases(), { search })).toEqual([])
  })

  it('finds guides too', async () => {
    const site = await makeSite()
    await putGuide(site, 'strasse-1', { title: 'Auf der STRASSE' })
    await putGuide(site, 'other', { title: 'Nothing' })
    expect(await found(site, { search: '1 straße' }, '/guides')).toEqual(['strasse-1'])
    await putGuide(site, 'other', { title: 'Straßen' })
    expect(await found(site, { search: 'strass' }, '/guides')).toEqual(['other', 'strasse-1'])
  })
})

async function withStates(): Promise<TestSite> {
  const site = await makeSite({ defaultLanguage: 'de-AT' })
  await putAll(site, [
    {
      slug: 'a',
      title: 'Cherry',
      status: 'published',
      publishedAt: '2026-01-31T23:59:59.5Z',
      trustScore: 90,
    },
    { slug: 'b', title: 'apple', status: 'published', publishedAt: '2026-02-01T00:00:00Z', language: 'de' },
    { slug: 'c', title: 'Banana', trustScore: 75, language: 'en' },
    { slug: 'd', title: 'date', trustScore: 10 },
  ])
  await site.manage('PUT', '/posts/c/readiness')
  return site
}

describe('a filter', () => {
  it.each([
    [{ status: 'ready' }, ['c']],
    [{ status: 'draft' }, ['c', 'd']],
    [{ band: 'premium' }, ['a']],
    [{ band: 'none' }, ['b']],
    [{ band: 'review', status: 'draft' }, ['d']],
    [{ publishedFrom: '2026-02-01' }, ['b']],
    [{ publishedTo: '2026-01-31' }, ['a']],
    [{ publishedFrom: '2026-01-31', publishedTo: '2026-02-01' }, ['b', 'a']],
    [{ language: 'de' }, ['d', 'b', 'a']],
    [{ language: 'de-AT' }, ['d', 'a']],
    [{ language: 'de-AT (default)' }, ['d', 'a']],
    [{ language: 'EN' }, ['c']],
    [{ search: 'a', band: 'standard', status: 'ready', language: 'en' }, ['c']],
  ])('%j finds %j', async (query, slugs) => {
    expect(await found(await withStates(), query)).toEqual(slugs)
  })

  it('counts its matches', async () => {
    const site = await withStates()
    const words = async (query: string) =>
      wordsOf(await visit(`/console/sites/${site.id}/content?${query}`, { cookie: await signIn() }))
    expect(await words('language=de')).toContain('Filter Clear 3 posts')
    expect(await words('status=ready')).toContain('Filter Clear 1 post')
    expect(await words('band=none&language=de')).toContain('Filter Clear 1 post')
  })

  it('for guides is by status and day of publication', async () => {
    const site = await makeSite()
    await putGuide(site, 'old', { publishedAt: '2020-05-05T12:00:00Z' })
    await putGuide(site, 'new', { publishedAt: '2026-05-05T12:00:00Z' })
    await putGuide(site, 'draft', { status: 'draft' })
    expect(await found(site, { publishedTo: '2020-05-05' }, '/guides')).toEqual(['old'])
    expect(await found(site, { publishedFrom: '2020-05-06' }, '/guides')).toEqual(['new'])
    expect(await found(site, { status: 'draft' }, '/guides')).toEqual(['draft'])
    expect(await found(site, { sort: 'published' }, '/guides')).toEqual(['new', 'old', 'draft'])
  })
})

describe('the order', () => {
  it.each([
    ['updated', ['c', 'd', 'b', 'a']],
    ['updated-oldest', ['a', 'b', 'd', 'c']],
    ['published', ['b', 'a', 'c', 'd']],
    ['published-oldest', ['a', 'b', 'c', 'd']],
    ['title', ['b', 'c', 'a', 'd']],
    ['title-reversed', ['d', 'a', 'c', 'b']],
  ])('by %s is %j', async (sort, slugs) => {
    expect(await found(await withStates(), { sort })).toEqual(slugs)
  })

  it('by publication shows the date', async () => {
    const site = await withStates()
    const path = `/console/sites/${site.id}/content?sort=published`
    const words = wordsOf(await visit(path, { cookie: await signIn() }))
    expect(words).toContain('Language Published apple b Published Not checked de 1 Feb 2026, 00:00 UTC')
    expect(words).toContain('Banana c Draft Ready Standard en Not yet')
  })

  it('continues across pages', async () => {
    const site = await makeSite()
    const slugs = Array.from({ length: 60 }, (_, i) => `p-${String(i).padStart(2, '0')}`)
    await putAll(
      site,
      slugs.toReversed().map((slug) => ({ slug, title: `Title ${slug}` })),
    )
    expect([
      ...(await found(site, { sort: 'title' })),
      ...(await found(site, { sort: 'title', page: '2' })),
    ]).toEqual(slugs)
  })
})

describe('the tabs', () => {
  const tabs = async (site: TestSite, query = '') => {
    const { text } = await visit(`/console/sites/${site.id}/content${query}`, { cookie: await signIn() })
    const found = text.matchAll(/<nav class="choices" aria-label="\w+">(.*?)<\/nav>/g)
    return [...found].map(([, tabs]) => wordsOf({ text: tabs!.replaceAll('</a>', '</a>, ') }))
  }

  it('have states and bands, with their counts', async () => {
    const site = await withStates()
    expect(await tabs(site)).toEqual([
      'All 4 , Drafts 2 , Ready 1 , Scheduled 0 , Changes requested 0 , Published 2 ,',
      'Any quality 4 , Premium 1 , Standard 1 , Review 1 , Not checked 1 ,',
    ])
    expect(await tabs(site, '?status=draft&language=de')).toEqual([
      'All 3 , Drafts 1 , Ready 0 , Scheduled 0 , Changes requested 0 , Published 2 ,',
      'Any quality 1 , Premium 0 , Standard 0 , Review 1 , Not checked 0 ,',
    ])
    expect((await tabs(site, '?band=premium'))[0]).toBe(
      'All 1 , Drafts 0 , Ready 0 , Scheduled 0 , Changes requested 0 , Published 1 ,',
    )
  })

  it('have no counts where other filters exclude some posts', async () => {
    expect((await tabs(await withStates(), '?search=a'))[0]).toBe(
      'All , Drafts , Ready , Scheduled , Changes requested , Published ,',
    )
  })

  it('keep the other filters, and the form keeps the tab', async () => {
    const site = await withStates()
    const path = `/console/sites/${site.id}/content`
    const { text } = await visit(`${path}?search=a&status=ready&page=1`, { cookie: await signIn() })
    expect(text).toContain(`href="${path}?search=a&amp;status=published"`)
    expect(text).toContain(`href="${path}?search=a&amp;status=ready&amp;band=premium"`)
    expect(text).toContain(`href="${path}?search=a"`)
    expect(text).toContain('<input type="hidden" name="status" value="ready"')
  })
})
