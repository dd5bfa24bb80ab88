import { describe, expect, it } from 'vitest'
import { putAll, putGuide } from '../support/content.ts'
import { makeSite, type TestSite } from '../support/site.ts'
import { readSitemap } from '../support/sitemap.ts'
import { runSql } from '../support/sql.ts'

/** Content that is too much to put, in statements none of which holds the database for long. */
async function insertPublished(site: TestSite, table: 'posts' | 'guides', count: number) {
  for (let from = 1; from <= count; from += 1_000) {
    await runSql(
      `insert into ${table} (site_id, slug, title, content_html, status)
       select $1::uuid, 'p' || n, 'T', '', 'published' from generate_series($2::integer, $3::integer) n`,
      [site.id, from, Math.min(count, from + 999)],
    )
  }
}

/** The first piece of an answer, whose rest nobody waits for. */
async function beginningOf(site: TestSite, below: string): Promise<string> {
  const reader = (await site.get(below)).body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

async function textOf(site: TestSite, below: string): Promise<string> {
  const response = await site.get(below)
  expect(response.status).toBe(200)
  return response.text()
}

const filesOf = (index: string) =>
  [...index.matchAll(/<sitemap><loc>(.*?)<\/loc><\/sitemap>/g)].map(([, loc]) => loc)

describe('index', () => {
  it('names the files of more than 50,000 URLs, which hold each URL once', { timeout: 90_000 }, async () => {
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
    expect(filesOf(index)).toEqual([
      'https://site.example.com/sitemap.xml?page=1',
      'https://site.example.com/sitemap.xml?page=2',
    ])
    const first = readSitemap(await textOf(site, '/sitemap.xml?page=1'))
    const second = readSitemap(await textOf(site, '/sitemap.xml?page=2'))
    expect(first).toHaveLength(50_000)
    expect(second.map(({ loc }) => loc)).toEqual(['https://site.example.com/guides/g2'])
    expect(first.at(-1)!.loc).toBe('https://site.example.com/guides/g1')
    expect(new Set(first.map(({ loc }) => loc)).size).toBe(50_000)
    expect((await site.get('/sitemap.xml?page=3')).status).toBe(404)
  })

  it('keeps a file below 50 MB where long URLs have many alternates', async () => {
    const site = await makeSite()
    const long = '字'.repeat(130)
    const languages = [
      'de',
      'es',
      'fr',
      'it',
      'ja',
      'ko',
      'nl',
      'pl',
      'pt',
      'ru',
      'sv',
      'tr',
      'uk',
      'vi',
      'zh',
      'da',
    ]
    await putAll(site, [
      { slug: long, language: 'en', status: 'published' },
      ...languages.map((language) => ({
        slug: `${long}${language}`,
        language,
        sourceSlug: long,
        status: 'published',
      })),
    ])
    await insertPublished(site, 'posts', 2_000)
    const files = filesOf(await textOf(site, '/sitemap.xml')).map((loc) => new URL(loc!).search)
    expect(files.length).toBeGreaterThan(1)
    const locs: string[] = []
    for (const search of files) {
      const xml = await textOf(site, `/sitemap.xml${search}`)
      expect(xml.length).toBeLessThan(50_000_000)
      locs.push(...readSitemap(xml).map(({ loc }) => loc))
    }
    expect(locs).toHaveLength(2_017)
    expect(new Set(locs).size).toBe(2_017)
  })
})
