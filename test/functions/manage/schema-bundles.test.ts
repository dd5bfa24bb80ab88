import { describe, expect } from 'vitest'
import { countOutdatedBundles } from '../../../src/content/posts/schema-bundles.ts'
import { testContext } from '../../support/context.ts'
import { it, makeSite, post, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

type Bundle = {
  article: Record<string, unknown>
  breadcrumb: { itemListElement: { name: string; item: string }[] }
}
type Post = { updatedAt: string; schemaBundle: Bundle }

const MOVED = { domain: 'new.example.com', postPath: '/p/{slug}.html', defaultLanguage: 'de' }

const rebuild = (site: TestSite) => site.manage('POST', '/schema-bundles/rebuilds')
const outdatedOf = async (site: TestSite) => (await countOutdatedBundles(testContext(), site)).count
const read = (site: TestSite, slug: string) => site.json<Post>(`/posts/${encodeURIComponent(slug)}`)

/** `count` posts in SQL, which is quicker, with the same columns as a put. */
const copyPost = (site: TestSite, slug: string, count: number) =>
  runSql(
    `insert into posts (site_id, slug, title, content_html, schema_bundle, schema_bundle_derived, url_template)
     select site_id, slug || '-' || n, title, content_html, schema_bundle, true, url_template
     from posts, generate_series(1, $3) n where site_id = $1 and slug = $2`,
    [site.id, slug, count],
  )

describe('rebuilding schema bundles', () => {
  it('gives each post the URL that a put would give it, which reaches pollers and readers with an older ETag', async () => {
    const site = await makeSite()
    const languages = { a: null, b: 'de', c: 'DE', d: 'pt-BR', 'e-é': 'en' }
    const paths = ['/p/a.html', '/p/b.html', '/p/c.html', '/pt-BR/p/d.html', '/en/p/e-%C3%A9.html']
    const posts = Object.entries(languages).map(([slug, language]) =>
      post({ slug, language, status: 'published' }),
    )
    const before = (await site.manage('PUT', '/posts', { posts })).items
    const etag = (await site.get('/posts/a')).headers.get('ETag')!
    await site.manage('PATCH', '', MOVED)
    expect(await outdatedOf(site)).toBe(5)
    expect(await rebuild(site)).toEqual({ rebuilt: 5, outdated: 0 })
    for (const [at, slug] of Object.keys(languages).entries()) {
      const { schemaBundle, updatedAt } = await read(site, slug)
      const url = `https://new.example.com${paths[at]}`
      const article = { url, mainEntityOfPage: { '@id': url }, dateModified: updatedAt }
      expect(schemaBundle.article, slug).toMatchObject(article)
      expect(schemaBundle.breadcrumb.itemListElement).toMatchObject([
        { name: 'new.example.com', item: 'https://new.example.com/' },
        { name: 'A title', item: url },
      ])
    }
    expect((await site.get('/posts/a', { headers: { 'If-None-Match': etag } })).status).toBe(200)
    expect(await site.json(`/posts?updatedAfter=${before.at(-1)!.updatedAt}`)).toMatchObject({ total: 5 })
    const again = await site.manage('PUT', '/posts', { posts })
    expect(new Set(again.items.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']))
  })

  it('keeps bundles from the caller, and posts that have the right URL', async ({ site }) => {
    const whole = { article: { url: 'https://a.example/old' }, breadcrumb: {}, faq: null }
    await site.put('whole', { schemaBundle: whole })
    await site.put('part', {
      schemaBundle: { article: { mainEntityOfPage: 'https://a.example/old', author: 'A' } },
    })
    await site.manage('PATCH', '', { domain: 'new.example.com' })
    const { updatedAt } = await site.put('fresh')
    expect(await rebuild(site)).toEqual({ rebuilt: 1, outdated: 0 })
    expect((await read(site, 'whole')).schemaBundle).toEqual(whole)
    expect((await read(site, 'part')).schemaBundle.article).toMatchObject({
      url: 'https://new.example.com/blog/part',
      mainEntityOfPage: 'https://a.example/old',
      author: 'A',
    })
    expect((await read(site, 'fresh')).updatedAt).toBe(updatedAt)
    expect(await rebuild(site)).toEqual({ rebuilt: 0, outdated: 0 })
  })

  it('processes 500 posts a call, and continues where the last one stopped', async ({ site }) => {
    await site.put('a')
    await copyPost(site, 'a', 550)
    await site.manage('PATCH', '', { domain: 'new.example.com' })
    expect(await rebuild(site)).toEqual({ rebuilt: 500, outdated: 51 })
    expect(await rebuild(site)).toEqual({ rebuilt: 51, outdated: 0 })
    const [{ left }] = (await runSql(
      `select count(*)::integer as left from posts
       where site_id = $1 and schema_bundle -> 'article' ->> 'url' not like 'https://new.example.com/blog/%'`,
      [site.id],
    )) as [{ left: number }]
    expect(left).toBe(0)
  })
})

describe('the count of outdated posts', () => {
  it('is 0 again when the old domain is restored', async ({ site }) => {
    await site.put('a')
    await site.manage('PATCH', '', { domain: 'new.example.com' })
    expect(await outdatedOf(site)).toBe(1)
    await site.manage('PATCH', '', { domain: 'site.example.com', guidePath: '/g/{slug}' })
    expect(await outdatedOf(site)).toBe(0)
  })

  it('has only the posts whose path changes after a new default language', async ({ site }) => {
    for (const language of ['en', 'de', 'fr', null]) await site.put(`in-${language}`, { language })
    await site.manage('PATCH', '', { defaultLanguage: 'de' })
    expect(await outdatedOf(site)).toBe(2)
  })

  it('decreases when a post is put again, renamed or deleted', async ({ site }) => {
    for (const slug of ['a', 'b', 'c', 'd']) await site.put(slug)
    await site.manage('PATCH', '', { domain: 'new.example.com' })
    await site.put('a')
    await site.manage('PUT', '/posts/b/slug', { slug: 'b2' })
    await site.manage('DELETE', '/posts/c')
    expect(await outdatedOf(site)).toBe(1)
    const { breadcrumb } = (await read(site, 'b2')).schemaBundle
    expect(breadcrumb.itemListElement.map(({ item }) => item)).toEqual([
      'https://new.example.com/',
      'https://new.example.com/blog/b2',
    ])
  })

  it('includes a post whose old bundle was read and put back', async ({ site }) => {
    await site.put('a')
    await site.manage('PATCH', '', { domain: 'new.example.com' })
    const { schemaBundle } = await read(site, 'a')
    expect(await site.put('a', { schemaBundle })).toMatchObject({ outcome: 'unchanged' })
    expect(await outdatedOf(site)).toBe(1)
    expect(await rebuild(site)).toEqual({ rebuilt: 1, outdated: 0 })
  })

  it('stops at 10,000', async ({ site }) => {
    await runSql(
      `insert into posts (site_id, slug, title, content_html, url_template)
       select $1, 'x-' || n, '', '', 'https://old.example.com/{slug}' from generate_series(1, 10001) n`,
      [site.id],
    )
    expect(await countOutdatedBundles(testContext(), site)).toEqual({ count: 10_000, isMore: true })
  })
})
