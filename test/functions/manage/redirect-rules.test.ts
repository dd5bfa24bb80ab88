/** Shortened chains of redirects, and refused ones. */
import { describe, expect } from 'vitest'
import { putGuide } from '../../support/content.ts'
import { listed, type Pair, publish, put, rename, steps, tryPut } from '../../support/redirects.ts'
import { it, makeSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

describe('a redirect chain', () => {
  it('is shortened, in one body and over several, in either order', async ({ site }) => {
    await publish(site, 'post')
    await put(site, { from: '/b', to: '/c' })
    await put(site, { from: '/a', to: '/b/' }, { from: '/c', to: '/d' }, { from: '/x', to: '/a' })
    expect(await steps(site)).toEqual(['/a /d', '/b /d', '/c /d', '/x /d'])
    await put(site, { from: '/d', resource: 'post', slug: 'post' })
    const all = ['/a', '/b', '/c', '/d', '/x']
    expect(await steps(site)).toEqual(all.map((from) => `${from} /blog/post`))
    await rename(site, 'post', 'moved')
    expect(await steps(site)).toEqual([...all, '/blog/post'].sort().map((from) => `${from} /blog/moved`))
  })

  it('keeps its target when a path in between is removed or leads elsewhere', async ({ site }) => {
    await put(site, { from: '/a', to: '/b' }, { from: '/b', to: '/c' })
    await site.manage('DELETE', '/redirects?from=/b')
    expect(await steps(site)).toEqual(['/a /c'])
    await put(site, { from: '/b', to: '/elsewhere' })
    expect(await steps(site)).toEqual(['/a /c', '/b /elsewhere'])
  })

  it('with onlyNew, counts only what was put', async ({ site }) => {
    await put(site, { from: '/a', to: '/b' })
    const redirects = [
      { from: '/a', to: '/x' },
      { from: '/b', to: '/c' },
    ]
    expect(await site.manage('PUT', '/redirects', { redirects, onlyNew: true })).toEqual({
      created: 1,
      updated: 0,
      unchanged: 1,
    })
    expect(await steps(site)).toEqual(['/a /c', '/b /c'])
  })

  it('ends at a post or guide that is given by its current or an old path', async ({ site }) => {
    await publish(site, 'a', { language: 'de' })
    await putGuide(site, 'g')
    await rename(site, 'a', 'b')
    await site.manage('PUT', '/guides/g/slug', { slug: 'h' })
    await put(
      site,
      { from: '/1', to: '/de/blog/a' },
      { from: '/2', to: 'https://site.example.com/de/blog/b/' },
      { from: '/3', to: '/guides/g' },
      { from: '/4', to: '/blog/b' },
    )
    await rename(site, 'b', 'c')
    const given = (await steps(site)).filter((step) => /^\/\d/.test(step))
    expect(given).toEqual(['/1 /de/blog/c', '/2 /de/blog/c', '/3 /guides/h', '/4 /blog/b'])
  })

  it.each<[string, Record<string, string>, number]>([
    ['to itself', { '/a': '/a/' }, 0],
    ['to itself with a fragment', { '/a': '/a#b' }, 0],
    ['in one body', { '/x': '/a', '/a': '/b#x', '/b': '/a?y' }, 1],
    ['over several bodies', { '/end': '/start' }, 0],
    ['to itself, where a post is', { '/blog/chains': '/blog/chains/' }, 0],
  ])('that forms a loop is refused by name: %s', async (_, pairs, index) => {
    const site = await makeSite()
    await site.put('chains', { status: 'published' })
    await put(site, { from: '/start', to: '/middle' }, { from: '/middle', to: '/end' })
    const before = await listed(site)
    expect(await tryPut(site, ...Object.entries(pairs).map(([from, to]) => ({ from, to })))).toBe(
      `400 Invalid body: redirects[${index}].to must not lead back to the address itself`,
    )
    expect(await listed(site)).toEqual(before)
  })
})

describe('a target with a query and a fragment', () => {
  it('keeps both, encoded as in a URL', async ({ site }) => {
    await publish(site, 'new')
    await put(
      site,
      { from: '/a', to: '/x/#part' },
      { from: '/b', to: '/x?q=1&r=ä#Ünit "1"\\' },
      { from: '/c', to: 'https://site.example.com/#top' },
      { from: '/d', to: 'https://other.example/y#z' },
      { from: '/e', to: '/blog/new/#part' },
      { from: '/f', resource: 'post', slug: 'new', suffix: '?x=1#y' },
      { from: '/g', to: '/x?#' },
      { from: '/h', to: '/100%25%23/#a' },
    )
    const all = [
      '/a /x#part',
      '/b /x?q=1&r=%C3%A4#%C3%9Cnit%20%221%22%5C',
      '/c /#top',
      '/d https://other.example/y#z',
      '/e /blog/new#part',
      '/f /blog/new?x=1#y',
      '/g /x',
      '/h /100%25%23#a',
    ]
    expect(await listed(site)).toEqual(all)
    await rename(site, 'new', 'newer')
    expect(await steps(site)).toEqual([
      ...all.slice(0, 2),
      '/blog/new /blog/newer',
      ...all.slice(2, 4),
      '/e /blog/newer#part',
      '/f /blog/newer?x=1#y',
      ...all.slice(6),
    ])
  })

  it('changes when only the query or fragment changes', async ({ site }) => {
    await put(site, { from: '/a', to: '/x#one' })
    expect(await put(site, { from: '/a', to: '/x#one' })).toMatchObject({ unchanged: 1 })
    expect(await put(site, { from: '/a', to: '/x#two' })).toMatchObject({ updated: 1 })
    expect(await put(site, { from: '/a', to: '/x' })).toMatchObject({ updated: 1 })
    expect(await listed(site)).toEqual(['/a /x'])
  })

  it('keeps them in a chain, where the last link with a query or fragment wins', async ({ site }) => {
    await put(site, { from: '/b', to: '/c' }, { from: '/d', to: '/e#own' })
    await put(site, { from: '/a', to: '/b#part' }, { from: '/z', to: '/d#part' })
    await put(site, { from: '/c', to: '/end' })
    expect(await listed(site)).toEqual(['/a /end#part', '/b /end', '/c /end', '/d /e#own', '/z /e#own'])
  })
})

describe('an error names the entry', () => {
  const NO_PATH = 'must be a path that begins with one "/", or a URL of site.example.com'
  const NO_TARGET = 'must be a path that begins with one "/", or an http or https URL'
  const OF_SITE: [from: string, rule: string][] = [
    ...['old', '//other.example/a', 'https://other.example/a', '//'].map((from): [string, string] => [
      from,
      NO_PATH,
    ]),
    ...['/?p=12', '/a#b'].map((from): [string, string] => [from, 'must have neither a query nor a fragment']),
    ['/%ff', 'must be percent-encoded UTF-8'],
    ['/a%22b', 'must not contain control characters, quotes or backslashes'],
    ['/a%2F..%2Fb', 'must have no "." or ".." between slashes'],
    [`/${'é'.repeat(250)}`, 'must be at most 1500 characters when percent-encoded'],
    ['https://site.example.com', 'must not be the home page'],
    ['/ok/', 'must not be given twice'],
  ]
  const OF_TARGET: [fields: Partial<Pair>, rule: string][] = [
    [{ to: '/b', suffix: '#c' }, 'suffix must not be combined with to, which can include it'],
    [{ resource: 'post', slug: 'x', suffix: 'c' }, 'suffix must begin with "?" or "#"'],
    ...['/b#', 'https://other.example/'].map((start): [Partial<Pair>, string] => [
      { to: start + 'x'.repeat(2_000) },
      'to must be at most 2000 characters when percent-encoded',
    ]),
    [{ to: '/b/../%2E%2E%2Fc#x' }, 'to must have no "." or ".." between slashes'],
    [{}, 'to is required, unless resource and slug are given'],
    [{ to: '/b', resource: 'post', slug: 'x' }, 'to must not be combined with resource and slug'],
    [{ to: 'javascript:alert(1)' }, `to ${NO_TARGET}`],
    [{ to: '//other.example' }, `to ${NO_TARGET}`],
    [{ to: 'https://u:p@other.example/' }, 'to must not contain a user name or password'],
    [{ resource: 'post', slug: 'none' }, 'slug must name a post of this site'],
  ]

  it('and the rule that it breaks, and nothing is written', async ({ site }) => {
    const pairs: [Pair, string][] = [
      ...OF_SITE.map(([from, rule]): [Pair, string] => [{ from, to: '/a' }, `from ${rule}`]),
      ...OF_TARGET.map(([fields, rule]): [Pair, string] => [{ from: '/a', ...fields }, rule]),
    ]
    for (const [pair, rule] of pairs) {
      const answer = await tryPut(site, { from: '/ok', to: '/fine' }, pair)
      expect(answer, JSON.stringify(pair)).toBe(`400 Invalid body: redirects[1].${rule}`)
    }
    expect(await listed(site)).toEqual([])
  })

  it('for more than 500 at once, and for more than a site may have', async ({ site }) => {
    const many = Array.from({ length: 501 }, (_, at) => ({ from: `/${at}`, to: '/new' }))
    expect(await tryPut(site, ...many)).toMatch(/^400 Invalid body: redirects must be at most 500 items/)
    expect(await put(site, ...many.slice(1))).toEqual({ created: 500, updated: 0, unchanged: 0 })
    await runSql(
      `insert into redirects (site_id, resource, slug, target)
       select $1, 'address', '/n' || n, '/new' from generate_series(501, 49999) n`,
      [site.id],
    )
    expect(await put(site, { from: '/last', to: '/new' }, { from: '/1', to: '/newer' })).toEqual({
      created: 1,
      updated: 1,
      unchanged: 0,
    })
    expect(await tryPut(site, { from: '/0', to: '/new' })).toBe(
      '400 Invalid body: redirects would exceed the limit of 50,000 for a site',
    )
  })
})
