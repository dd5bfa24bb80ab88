import { describe, expect } from 'vitest'
import { putGuide } from '../../support/content.ts'
import { type Listed, listed, type Page, publish, put, rename, steps } from '../../support/redirects.ts'
import { it, makeSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

describe('a redirect', () => {
  it('leads to a post, a guide, a path or a URL, and is available in each format', async ({ site }) => {
    await publish(site, 'größe', { language: 'de' })
    await putGuide(site, 'chains')
    expect(
      await put(
        site,
        { from: '/2020/05/größe/', resource: 'post', slug: 'größe' },
        { from: 'https://SITE.example.com/howto.php', resource: 'guide', slug: 'chains' },
        { from: '/caf%C3%A9//menu', to: '/shop/$5' },
        { from: '/away', to: 'https://other.example/a?b=1#c' },
      ),
    ).toEqual({ created: 4, updated: 0, unchanged: 0 })
    const path = { resource: null, slug: null, oldSlug: null, language: null }
    const size = { resource: 'post', slug: 'größe', oldSlug: null, language: 'de' }
    const chains = { resource: 'guide', slug: 'chains', oldSlug: null, language: null }
    expect((await site.json<Page>('/redirects')).items.sort((a, b) => (a.from < b.from ? -1 : 1))).toEqual([
      { ...size, from: '/2020/05/gr%C3%B6%C3%9Fe', to: '/de/blog/gr%C3%B6%C3%9Fe' },
      { ...path, from: '/away', to: 'https://other.example/a?b=1#c' },
      { ...path, from: '/caf%C3%A9/menu', to: '/shop/$5' },
      { ...chains, from: '/howto.php', to: '/guides/chains' },
    ])
    const lines = async (format: string) =>
      (await (await site.get(`/redirects?format=${format}`)).text()).split('\n')
    expect(await lines('cloudflare')).toContain('/away/ https://other.example/a?b=1#c 301')
    const [nginx, end] = [await lines('nginx'), '$is_args$args"; }']
    expect(nginx).toContain(`location = "/café/menu" { absolute_redirect off; return 301 "/shop/%245${end}`)
    // A target with a query of its own keeps it.
    const away = 'location = "/away" { absolute_redirect off; return 301 "https://other.example/a?b=1#c"; }'
    expect(nginx).toContain(away)
  })

  it('follows the renames of its article, is inactive for a draft, and is deleted with the article', async () => {
    const site = await makeSite()
    await site.put('a')
    await putGuide(site, 'a')
    await put(
      site,
      { from: '/post', resource: 'post', slug: 'a' },
      { from: '/guide', resource: 'guide', slug: 'a' },
    )
    expect(await steps(site)).toEqual(['/guide /guides/a'])
    expect(await listed(site)).toEqual(['/guide /guides/a', '/post /blog/a not served'])
    await site.manage('PUT', '/posts/a/publication')
    await rename(site, 'a', 'b')
    await site.manage('PUT', '/guides/a/slug', { slug: 'c' })
    expect(await steps(site)).toEqual([
      '/blog/a /blog/b',
      '/guide /guides/c',
      '/guides/a /guides/c',
      '/post /blog/b',
    ])
    await site.manage('DELETE', '/posts/b')
    expect(await listed(site)).toEqual(['/guide /guides/c', '/guides/a /guides/c'])
  })

  it('is not served while a post or guide is at its path', async () => {
    const site = await makeSite({ postPath: '/{slug}.html', guidePath: '/how/{slug}/' })
    await publish(site, 'new', { language: 'de' })
    const froms = ['/old.html', '/de/old.html', '/how/old', '/de/how/old', '/old', '/de/old.htm']
    await put(site, ...froms.map((from) => ({ from, to: '/elsewhere' })))
    expect(await steps(site)).toHaveLength(6)
    await publish(site, 'old')
    expect(await steps(site)).not.toContain('/old.html /elsewhere')
    expect(await steps(site)).toHaveLength(5)
    await publish(site, 'old', { language: 'de' })
    await putGuide(site, 'old')
    expect(await steps(site)).toEqual([
      '/de/how/old /elsewhere',
      '/de/old.htm /elsewhere',
      '/old /elsewhere',
      '/old.html /elsewhere',
    ])
    await site.manage('DELETE', '/posts/old/publication')
    expect(await steps(site)).toContain('/de/old.html /elsewhere')
  })

  it('of a path replaces the one of an old slug there, and both are removed together', async ({ site }) => {
    await publish(site, 'a')
    await rename(site, 'a', 'b')
    await put(site, { from: '/blog/a/', to: '/promotion' })
    expect(await steps(site)).toEqual(['/blog/a /promotion'])
    expect(await listed(site)).toEqual(['/blog/a /blog/b', '/blog/a /promotion'])
    await site.manage('DELETE', '/redirects?from=/blog/a')
    expect(await listed(site)).toEqual([])
    expect((await site.tryManage('DELETE', '/redirects?from=/blog/a')).body).toEqual({
      error: 'Redirect not found',
    })
    expect((await site.tryManage('DELETE', '/redirects')).body!.error).toMatch(
      /^Invalid query parameter: from is required$/,
    )
  })
})

describe('putting the same pair again', () => {
  it('changes neither the version nor the audit log', async ({ site }) => {
    await publish(site, 'a')
    const pairs = [
      { from: '/x', to: '/y' },
      { from: '/y', to: '/z' },
      { from: '/old/', resource: 'post', slug: 'a' },
    ]
    await put(site, ...pairs)
    const tag = (await site.get('/redirects')).headers.get('ETag')!
    const logged = () =>
      runSql("select subject from audit_log where site_id = $1 and action like 'redirect.%'", [site.id])
    const before = await logged()
    expect(await put(site, ...pairs)).toEqual({ created: 0, updated: 0, unchanged: 3 })
    expect(await put(site, { from: '/old', to: '/blog/a' })).toEqual({ created: 0, updated: 0, unchanged: 1 })
    expect((await site.get('/redirects', { headers: { 'If-None-Match': tag } })).status).toBe(304)
    expect(await logged()).toEqual(before)
    expect(await put(site, { from: '/old', to: '/elsewhere' })).toEqual({
      created: 0,
      updated: 1,
      unchanged: 0,
    })
    expect((await site.get('/redirects', { headers: { 'If-None-Match': tag } })).status).toBe(200)
  })
})

describe('the list', () => {
  it('has pages, newest first, and includes old slugs', async ({ site }) => {
    await publish(site, 'a')
    await put(site, { from: '/1', to: '/x' }, { from: '/2 %25:_', to: '/x' }, { from: '/3', to: '/x' })
    await rename(site, 'a', 'b')
    await put(site, { from: '/4', to: '/x' })
    const items: Listed[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''
      const page: Page = await site.manage('GET', `/redirects?limit=2${query}`)
      items.push(...page.items)
      cursor = page.next
    }
    expect(items.map(({ from }) => from)).toEqual(['/4', '/blog/a', '/3', '/2%20%25:_', '/1'])
    expect(items[1]).toMatchObject({ oldSlug: 'a', to: '/blog/b', served: true })
    expect((await site.tryManage('GET', '/redirects?cursor=1_page_a')).status).toBe(400)
  })
})

it('each write is in the audit log, except for those that follow from an article', async ({ site }) => {
  const { id } = await publish(site, 'a')
  await put(site, { from: '/x', to: 'https://other.example/?token=secret' })
  await put(site, { from: '/x', resource: 'post', slug: 'a' })
  await put(site, { from: '/y', to: '/z' })
  await rename(site, 'a', 'b')
  await site.manage('DELETE', '/redirects?from=/y')
  await site.manage('DELETE', '/posts/b')
  const { items } = await site.manage('GET', '/audit-log?action=redirect')
  const logged = items.map(({ action, subject, resourceId, before, after }) => ({
    ...{ entry: `${action} ${subject}`, resourceId, before, after },
  }))
  const address = { target: 'https://other.example/' }
  const article = { targetResource: 'post', resourceId: id }
  expect(logged).toEqual([
    { entry: 'redirect.deleted /y', resourceId: null, before: { target: '/z' }, after: null },
    { entry: 'redirect.created /y', resourceId: null, before: null, after: { target: '/z' } },
    { entry: 'redirect.updated /x', resourceId: id, before: address, after: article },
    { entry: 'redirect.created /x', resourceId: null, before: null, after: address },
  ])
})
