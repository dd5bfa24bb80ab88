import { describe, expect } from 'vitest'
import { putGuide } from '../support/content.ts'
import { it, makeSite, type TestSite } from '../support/site.ts'
import { runSql, statementsOf } from '../support/sql.ts'

type Redirect = {
  resource: string
  from: string
  to: string
  slug: string
  oldSlug: string
  language: string | null
}
type List = { items: Redirect[] }

const rename = (site: TestSite, from: string, to: string, kind = 'posts') =>
  site.manage('PUT', `/${kind}/${encodeURIComponent(from)}/slug`, { slug: to })
const publish = (site: TestSite, slug: string, fields = {}) =>
  site.manage('PUT', `/posts/${encodeURIComponent(slug)}`, {
    title: 'T',
    contentHtml: '',
    status: 'published',
    ...fields,
  })
const steps = async (site: TestSite) =>
  (await site.json<List>('/redirects')).items.map(({ from, to }) => `${from} ${to}`)

describe('redirects', () => {
  it('do not reveal the slugs of articles that were unpublished then', async ({ site }) => {
    await site.put('secret')
    await rename(site, 'secret', 'open')
    await site.manage('PUT', '/guides/secret', { title: 'T', contentHtml: '', status: 'draft' })
    await rename(site, 'secret', 'open', 'guides')
    for (const kind of ['posts', 'guides']) await site.manage('PUT', `/${kind}/open/publication`)
    expect(await steps(site)).toEqual([])
    await rename(site, 'open', 'wide')
    expect(await steps(site)).toEqual(['/blog/open /blog/wide'])
  })

  it("lead from old slugs to current ones, newest first, by the site's paths and languages", async () => {
    const site = await makeSite({
      postPath: '/b/{slug}.html',
      guidePath: '/how/{slug}',
      defaultLanguage: 'en',
    })
    expect(await site.json('/redirects')).toEqual({ items: [] })
    await publish(site, 'old', { language: 'EN' })
    await publish(site, 'alt', { language: 'de-AT' })
    await putGuide(site, 'guide')
    await rename(site, 'old', 'new')
    await rename(site, 'alt', 'größe')
    await rename(site, 'guide', 'how-to', 'guides')
    const guide = { resource: 'guide', slug: 'how-to', oldSlug: 'guide', language: null }
    const alt = { resource: 'post', slug: 'größe', oldSlug: 'alt', language: 'de-AT' }
    const old = { resource: 'post', slug: 'new', oldSlug: 'old', language: 'EN' }
    expect(await site.json('/redirects')).toEqual({
      items: [
        { ...guide, from: '/how/guide', to: '/how/how-to' },
        { ...alt, from: '/de-AT/b/alt.html', to: '/de-AT/b/gr%C3%B6%C3%9Fe.html' },
        { ...old, from: '/b/old.html', to: '/b/new.html' },
      ],
    })
  })

  it('lead straight to the current slug after any number of renames, and never from a slug in use', async () => {
    const site = await makeSite()
    await publish(site, 'a')
    await rename(site, 'a', 'b')
    await rename(site, 'b', 'c')
    expect(await steps(site)).toEqual(['/blog/b /blog/c', '/blog/a /blog/c'])
    await rename(site, 'c', 'a')
    expect(await steps(site)).toEqual(['/blog/c /blog/a', '/blog/b /blog/a'])
    await publish(site, 'b')
    expect(await steps(site)).toEqual(['/blog/c /blog/a'])
    await rename(site, 'b', 'c')
    expect(await steps(site)).toEqual(['/blog/b /blog/c'])
  })

  it('end with their article, and exist for published ones only', async ({ site }) => {
    await publish(site, 'a')
    await rename(site, 'a', 'b')
    expect(await steps(site)).toEqual(['/blog/a /blog/b'])
    await site.manage('DELETE', '/posts/b/publication')
    expect(await steps(site)).toEqual([])
    await site.manage('PUT', '/posts/b/publication')
    await site.manage('DELETE', '/posts/b')
    expect(await steps(site)).toEqual([])
    expect(await runSql('select * from redirects where site_id = $1', [site.id])).toEqual([])
  })

  it('cover renames by SQL, also when articles swap slugs', async ({ site }) => {
    for (const slug of ['a', 'b', 'c']) await publish(site, slug)
    const move = (from: string, to: string) =>
      runSql('update posts set slug = $3 where site_id = $1 and slug = $2', [site.id, from, to])
    await move('a', 'x')
    await move('b', 'a')
    await move('x', 'b')
    const items = (await site.json<List>('/redirects')).items
    expect(items.map(({ oldSlug, slug }) => `${oldSlug} ${slug}`)).toEqual(['x b'])
    await runSql("update posts set slug = slug || '-2' where site_id = $1", [site.id])
    expect((await steps(site)).sort()).toEqual([
      '/blog/a /blog/a-2',
      '/blog/b /blog/b-2',
      '/blog/c /blog/c-2',
      '/blog/x /blog/b-2',
    ])
  })

  it('never hide a page or repeat a path when posts and guides share their paths', async () => {
    const site = await makeSite({ postPath: '/{slug}', guidePath: '/{slug}' })
    await publish(site, 'a')
    await putGuide(site, 'b')
    await rename(site, 'a', 'a-2')
    await rename(site, 'b', 'b-2', 'guides')
    await putGuide(site, 'a')
    expect(await steps(site)).toEqual(['/b /b-2'])
    await rename(site, 'a', 'a-3', 'guides')
    await publish(site, 'b')
    await rename(site, 'b', 'b-3')
    expect(await steps(site)).toEqual(['/b /b-3', '/a /a-3'])
  })

  it('are available in the formats of Cloudflare and nginx', async () => {
    const site = await makeSite({ postPath: "/a:b*/$x;'{slug}" })
    await publish(site, 'é')
    await rename(site, 'é', 'n')
    const texts = ['cloudflare', 'nginx'].map(async (format) => {
      const response = await site.get(`/redirects?format=${format}`)
      expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
      return response.text()
    })
    expect(await Promise.all(texts)).toEqual([
      "/a%3Ab%2A/$x;'%C3%A9 /a:b*/$x;'n 301\n/a%3Ab%2A/$x;'%C3%A9/ /a:b*/$x;'n 301\n",
      `location = "/a:b*/$x;'é" { absolute_redirect off; return 301 "/a:b*/%24x;'n$is_args$args"; }\n` +
        `location = "/a:b*/$x;'é/" { absolute_redirect off; return 301 "/a:b*/%24x;'n$is_args$args"; }\n`,
    ])
  })

  it('have a tag for each format, which a rename changes, and need no query for 304', async ({ site }) => {
    await publish(site, 'a')
    const tags: string[] = []
    for (const format of ['json', 'cloudflare', 'nginx'])
      tags.push((await site.get(`/redirects?format=${format}`)).headers.get('ETag')!)
    expect(new Set(tags).size).toBe(3)
    const known = () => site.get('/redirects', { headers: { 'If-None-Match': tags[0]! } })
    expect(await statementsOf(async () => expect((await known()).status).toBe(304))).toEqual([])
    await rename(site, 'a', 'b')
    expect((await known()).status).toBe(200)
  })

  it('require a key for posts of the site, and refuse an unknown format with 400', async ({ site }) => {
    const { key } = await site.manage('POST', '/keys', { name: 'S', access: 'sitemap' })
    expect((await site.get('/redirects', { key })).status).toBe(401)
    expect((await site.get('/redirects', { key: (await makeSite()).key })).status).toBe(401)
    expect(await (await site.get('/redirects?format=apache')).json()).toEqual({
      error: 'Invalid query parameter: format must be json, cloudflare or nginx',
    })
  })

  it('are complete, over several queries', async ({ site }) => {
    const count = 5_100
    const { id } = await site.put('new', { status: 'published' })
    await runSql(
      `insert into redirects (site_id, resource, slug, resource_id, created_at)
       select $1, 'post', 'old-' || n, $2, now() - (n % 7) * interval '1 second'
       from generate_series(1, ${count}) n`,
      [site.id, id],
    )
    await site.put('another')
    const { items } = await site.json<List>('/redirects')
    const expected = Array.from({ length: count }, (_, at) => `old-${at + 1}`)
    expect(new Set(items.map(({ oldSlug }) => oldSlug))).toEqual(new Set(expected))
    expect(items).toHaveLength(count)
  })
})
