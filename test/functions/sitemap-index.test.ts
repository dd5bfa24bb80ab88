import { describe, expect } from 'vitest'
import { putAll, putGuide } from '../support/content.ts'
import { call, it, makeSite, ORIGIN, type TestSite } from '../support/site.ts'
import { readSitemap } from '../support/sitemap.ts'
import { runSql } from '../support/sql.ts'

/** Content that is too large to be put, in short statements. */
async function insertPublished(site: TestSite, table: 'posts' | 'guides', count: number) {
  for (let from = 1; from <= count; from += 1_000) {
    await runSql(
      `insert into ${table} (site_id, slug, title, content_html, status)
       select $1::uuid, 'p' || n, 'T', '', 'published' from generate_series($2::integer, $3::integer) n`,
      [site.id, from, Math.min(count, from + 999)],
    )
  }
}

/** Posts with long slugs in every language, each with all its translations. */
async function insertTranslated(site: TestSite, sources: number) {
  for (let from = 0; from < sources; from += 20) {
    await runSql(
      `insert into posts (id, site_id, slug, title, content_html, status, language, source_post_id)
       select md5($1 || n || '/' || at)::uuid, $1::uuid, $5 || n || language, 'T', '', 'published', language,
         case when at > 1 then md5($1 || n || '/1')::uuid end
       from generate_series($2::integer, $3::integer) n, unnest($4::text[]) with ordinality l (language, at)
       order by n, at`,
      [site.id, from, Math.min(sources, from + 20) - 1, `{${LANGUAGES}}`, LONG],
    )
  }
}

/** A published index refers to files where it is: in its folder, or at a proxy on the site's domain. */
async function expectPublishedFiles(site: TestSite, index: string) {
  const { url, proxiedUrl } = await site.manage('PUT', '/sitemap')
  const read = async (each: string) => (await call(each.replace(ORIGIN, ''))).text()
  expect(await read(proxiedUrl)).toBe(index)
  const files = filesOf(await read(url))
  expect(files).toEqual(
    filesOf(index).map(({ loc, lastmod }) => ({ loc: url + new URL(loc).search, lastmod })),
  )
  expect(await read(files[1]!.loc)).toContain('<urlset')
  expect(await read(`${url}?page=2`)).toBe(await read(`${proxiedUrl}?page=2`))
}

/** The first chunk of an answer, without waiting for the rest. */
async function beginningOf(site: TestSite, below: string): Promise<string> {
  const reader = (await getInTime(site, below)).body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

async function textOf(site: TestSite, below: string): Promise<string> {
  const response = await getInTime(site, below)
  expect(response.status).toBe(200)
  return response.text()
}

/** Repeats the request if the database exceeds the Worker's time limit, as it may on a busy machine. */
async function getInTime(site: TestSite, below: string): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await site.get(below)
    if (response.status !== 500 || attempt === 10) return response
  }
}

const filesOf = (index: string) =>
  [...index.matchAll(/<sitemap><loc>(.*?)<\/loc><lastmod>(.*?)<\/lastmod><\/sitemap>/g)].map(
    ([, loc, lastmod]) => ({ loc: loc!, lastmod }),
  )

const newestOf = (urls: { lastmod?: string | undefined }[]) =>
  urls.reduce((newest, { lastmod = '' }) => (lastmod > newest ? lastmod : newest), '')

const LANGUAGES = 'en da de es fr it ja ko nl pl pt ru sv tr uk vi zh'.split(' ')

/** The limit of an encoded slug. */
const LONG = '字'.repeat(130)

describe('index', () => {
  it('lists the files for more than 50,000 URLs, which contain each URL once', async () => {
    const site = await makeSite()
    await insertPublished(site, 'posts', 15_000)
    await insertPublished(site, 'guides', 34_999)
    await putGuide(site, 'g1')
    expect(await beginningOf(site, '/sitemap.xml')).toContain('<urlset')
    await putGuide(site, 'g2')
    const index = await textOf(site, '/sitemap.xml')
    expect(index).toMatch(
      /^<\?xml [^>]*>\n<sitemapindex xmlns="http:\/\/www\.sitemaps\.org\/schemas\/sitemap\/0\.9">/,
    )
    expect(index).not.toContain('<url>')
    expect(index.length).toBeLessThan(5_000)
    const locs: string[] = []
    const sizes: number[] = []
    for (const { loc, lastmod } of filesOf(index)) {
      const urls = readSitemap(await textOf(site, `/sitemap.xml${new URL(loc).search}`))
      sizes.push(urls.length)
      locs.push(...urls.map((url) => url.loc))
      expect(lastmod! >= newestOf(urls)).toBe(true)
    }
    expect(sizes).toEqual([...Array(10).fill(5_000), 1])
    expect(filesOf(index).map(({ loc }) => loc)).toEqual(
      sizes.map((_, at) => `https://site.example.com/sitemap.xml?page=${at + 1}`),
    )
    expect(locs.slice(-2)).toEqual(['g1', 'g2'].map((slug) => `https://site.example.com/guides/${slug}`))
    expect(new Set(locs).size).toBe(50_001)
    expect((await site.get('/sitemap.xml?page=12')).status).toBe(404)
    await expectPublishedFiles(site, index)
    // With these, a file of 5,000 could exceed 50 MB. The earlier pages are still there.
    await insertTranslated(site, 1)
    await putGuide(site, 'g2', { title: 'Edited' })
    const files = filesOf(await textOf(site, '/sitemap.xml'))
    const pages = files.map(({ loc }) => Number(new URL(loc).searchParams.get('page')))
    for (let page = 1; page <= 11; page++) expect(pages).toContain(page)
    const found: string[] = []
    for (const page of pages) {
      const urls = readSitemap(await textOf(site, `/sitemap.xml?page=${page}`))
      found.push(...urls.map(({ loc }) => loc))
    }
    expect(found).toHaveLength(50_001 + LANGUAGES.length)
    expect(new Set(found).size).toBe(found.length)
    expect(pages).not.toContain(32)
    expect((await site.get('/sitemap.xml?page=32')).status).toBe(404)
  })

  it('is not used while the URLs fit in one file, however long the longest one and its alternates', async () => {
    const site = await makeSite()
    await putAll(
      site,
      LANGUAGES.map((language) => ({
        slug: `${LONG}${language}`,
        language,
        status: 'published',
        ...(language !== 'en' && { sourceSlug: `${LONG}en` }),
      })),
    )
    await insertPublished(site, 'posts', 3_000)
    const xml = await textOf(site, '/sitemap.xml')
    expect(xml.length).toBeLessThan(5_000_000)
    expect(readSitemap(xml)).toHaveLength(3_017)
    expect((await site.get('/sitemap.xml?page=2')).status).toBe(404)
  })

  it('fills files up to 50 MB when long URLs have many alternates', async () => {
    const site = await makeSite()
    await insertTranslated(site, 140)
    const files = filesOf(await textOf(site, '/sitemap.xml'))
    expect(files).toHaveLength(2)
    const locs: string[] = []
    for (const [at, { loc, lastmod }] of files.entries()) {
      const xml = await textOf(site, `/sitemap.xml${new URL(loc).search}`)
      expect(xml.length).toBeLessThanOrEqual(50 * 1024 * 1024)
      if (at === 0) expect(xml.length).toBeGreaterThan(45 * 1024 * 1024)
      const urls = [...xml.matchAll(/<loc>(.*?)<\/loc><lastmod>(.*?)<\/lastmod>/g)].map((url) => ({
        loc: url[1]!,
        lastmod: url[2],
      }))
      expect(lastmod! >= newestOf(urls)).toBe(true)
      locs.push(...urls.map((url) => url.loc))
    }
    expect(locs).toHaveLength(140 * LANGUAGES.length)
    expect(new Set(locs).size).toBe(140 * LANGUAGES.length)
    // A file of its own, which disappears with its last guide.
    const pages = async () => filesOf(await textOf(site, '/sitemap.xml')).map(({ loc }) => loc)
    await putGuide(site, 'g')
    const more = await pages()
    expect(more.slice(0, 2)).toEqual(files.map(({ loc }) => loc))
    const own = `/sitemap.xml${new URL(more[2]!).search}`
    expect(readSitemap(await textOf(site, own))).toHaveLength(1)
    await site.manage('DELETE', '/guides/g')
    expect(await pages()).toEqual(more.slice(0, 2))
    expect((await site.get(own)).status).toBe(404)
  })

  it('has a lastmod for each file that is never older than a change in the file', async () => {
    const site = await makeSite()
    await insertTranslated(site, 300)
    await putAll(site, [{ slug: 'draft' }, { slug: 'last', status: 'published' }])
    const lastmod = async () => filesOf(await textOf(site, '/sitemap.xml'))[0]!.lastmod!
    const rises = async (write: () => Promise<unknown>) => {
      const before = await lastmod()
      await write()
      return (await lastmod()) > before
    }
    const linksOfFirst = async () => {
      const urls = readSitemap(await textOf(site, '/sitemap.xml?page=1'))
      return urls.find(({ loc }) => loc.endsWith(`${encodeURIComponent(LONG)}0en`))!.links
    }
    const translation = { status: 'published', language: 'cs', sourceSlug: `${LONG}0en` }
    expect(await rises(() => site.put('cs', translation)), 'a translation in another file').toBe(true)
    expect((await linksOfFirst()).cs).toMatch(/cs$/)
    expect(await rises(() => site.manage('PUT', '/posts/cs/slug', { slug: 'cs-new' })), 'its slug').toBe(true)
    expect((await linksOfFirst()).cs).toMatch(/cs-new$/)
    expect(await rises(() => site.manage('DELETE', '/posts/cs-new/publication')), 'a draft again').toBe(true)
    expect(await linksOfFirst()).not.toHaveProperty('cs')
    expect(await rises(() => site.manage('DELETE', '/posts/last'))).toBe(true)
    expect(await rises(() => site.manage('PATCH', '', { postPath: '/new/{slug}' }))).toBe(true)
    expect(await rises(() => site.put('draft', { title: 'Edited' }))).toBe(false)
  })
})
