/** The text of an article on its page, and the links to its neighbours in the list. */
import { Fragment, jsx } from 'hono/jsx'
import { describe, expect, it } from 'vitest'
import { parseArticleHtml } from '../../../functions/console/content/reading.tsx'
import { browse, decode, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { makeSite, type TestSite } from '../../support/site.ts'

const open = async (site: TestSite, below: string) => (await browse(site, '/content')).open(`/${below}`)

function render(contentHtml: string): string {
  const { content } = parseArticleHtml(contentHtml, 'https://site.example.com/blog/one')!
  return String(jsx(Fragment, {}, content as never))
}

describe('the text of an article', () => {
  it('has headings below the page’s own, links and images from the site, and scrolling tables', () => {
    const html =
      '<main><h1>Top</h1><p>A <b>bold</b> &amp; <a href="/x">link</a><br>next</p><ol start="3"><li>c</li></ol>' +
      '<img src="../a.png" alt="A boat"></main><table><tr><td colspan="2">cell</td></tr></table><x-y>kept</x-y>'
    expect(render(html)).toBe(
      '<div><h2>Top</h2><p>A <b>bold</b> &amp; ' +
        '<a href="https://site.example.com/x" rel="noreferrer noopener" target="_blank">link</a><br/>next</p>' +
        '<ol start="3"><li>c</li></ol>' +
        '<img src="https://site.example.com/a.png" alt="A boat" loading="lazy" referrerpolicy="no-referrer"/></div>' +
        '<div role="group" class="table-scroll" tabindex="0" aria-label="Table"><table><tr><td colspan="2">cell</td></tr></table></div>kept',
    )
  })

  it.each([
    ['a script', '<script>alert(1)</script><p>x</p>', '<p>x</p>'],
    ['an event handler', '<p onclick="alert(1)" style="x" class="notice" id="main">x</p>', '<p>x</p>'],
    ['a URL that runs', '<a href="java&#10;script:alert(1)">x</a>', '<a>x</a>'],
    ['a data URL', '<a href="data:text/html,x">x</a>', '<a>x</a>'],
    ['an image of this host', '<img src="http://api.test/console/sign-out">', ''],
    ['a form', '<form action="/console/sign-out" method="post"><button>x</button></form>', ''],
    ['a form without its parent', '<button formaction="/console/sign-out" form="f">x</button>', 'x'],
    ['an image that fails', '<img src=x onerror=alert(1)>', null],
    ['a tag that closes the page', '</div></section></main></body><p>x</p>', '<p>x</p>'],
    ['an unclosed tag', '<b><a href="/x"><table><tr><td>x', null],
    ['markup in an attribute', `<img src="/a" alt='"><script>alert(1)</script>'>`, null],
    ['SVG', '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>y', 'y'],
    ['a refresh', '<meta http-equiv="refresh" content="0;url=https://evil.example"><base href="/y">x', 'x'],
    ['text like tags', '&lt;script&gt;alert(1)&lt;/script&gt;', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ])('has nothing from %s', (_, html, expected) => {
    const rendered = render(html)
    if (expected !== null) expect(rendered).toBe(expected)
    expect(rendered).not.toMatch(
      /<(script|form|button|input|style|meta|base|svg|iframe)|\son\w+=|(href|src)="(?!https:)/i,
    )
    expect(rendered.match(/<div/g)?.length).toBe(rendered.match(/<\/div/g)?.length)
  })

  it('takes no longer for tags that are nested as deeply as possible', () => {
    expect(render('<i>a'.repeat(15_000)).match(/<i>/g)!.length).toBeLessThan(101)
    expect(parseArticleHtml('<x>a'.repeat(50_000), 'https://site.example.com/')).toBeNull()
  })

  it('is on the page of its post, which lists everything that it leaves out and allows its images', async () => {
    const site = await makeSite()
    await site.put('one', {
      contentHtml: '<p onclick="x()">Kept</p><iframe src="https://video.example"></iframe><video></video>',
    })
    const page = await open(site, 'posts/one')
    expect(/<div class="reading"[^>]*>([\s\S]*?)<\/div><\/section><aside/.exec(page.text)![1]).toBe(
      '<p>Kept</p>',
    )
    expect(wordsOf(page)).toContain('Not shown here: iframe, video.')
    expect(page.headers.get('Content-Security-Policy')).toMatch(
      /script-src 'self';.*img-src 'self' data: https:;/,
    )
    await site.put('one', { contentHtml: '<x>a'.repeat(50_000) })
    expect(await open(site, 'posts/one')).toMatchObject({ status: 200 })
  })
})

const wayOf = (page: { text: string }) => {
  const links = [
    ...page.text.matchAll(
      /<a class="button" href="([^"]+)" title="([^"]+)"><svg.*?<span[^>]*>(Previous|Next):/g,
    ),
  ]
  return Object.fromEntries(links.map(([, href, title, way]) => [way, { href: decode(href!), title }]))
}

describe('previous and next', () => {
  const SORTS = 'updated updated-oldest published published-oldest title title-reversed'.split(' ')

  it('follow the list that the post was opened from, in each of its orders', async () => {
    const site = await makeSite()
    const posts = [
      ['Beta', { status: 'published', publishedAt: '2026-01-02T00:00:00Z', qualityBand: 'premium' }],
      ['alpha', { status: 'published', publishedAt: '2026-01-02T00:00:00Z', qualityBand: 'premium' }],
      ['Gamma 1', { qualityBand: 'premium' }],
      ['Gamma 2', { qualityBand: 'review' }],
      ['beta', { publishedAt: '2026-01-01T00:00:00Z', qualityBand: 'premium' }],
    ] as const
    for (const [at, [title, fields]] of posts.entries()) await site.put(`s-${at}`, { title, ...fields })
    const pages = await browse(site)
    const slugOf = (href = '') => /posts\/(s-\d)/.exec(href)?.[1]
    const follow = async (query: string) => {
      const list = await pages.open(`/content?${query}`)
      const hrefs = [
        ...list.text.matchAll(
          /<th scope="row"[^>]*>(?:<label class="select"><input[^>]+><\/label>)?<a href="([^"]+)"/g,
        ),
      ]
      const slugs = hrefs.map(([, href]) => slugOf(href))
      expect(slugs.length).toBeGreaterThan(1)
      const walked: unknown[] = []
      for (let href: string | undefined = decode(hrefs[0]![1]!); href; ) {
        const { Previous, Next }: ReturnType<typeof wayOf> = wayOf(await pages.open(href))
        expect(slugOf(Previous?.href)).toBe(walked.at(-1))
        walked.push(slugOf(href))
        href = Next?.href
      }
      expect({ query, walked }).toEqual({ query, walked: slugs })
    }
    const queries = ['band=premium&page=1', 'search=gamma&sort=title', ...SORTS.map((sort) => `sort=${sort}`)]
    await Promise.all(queries.map(follow))
  })

  it('continue from a post that has left the list, and stay within the site', async () => {
    const site = await makeSite()
    await (await makeSite()).put('other', { title: 'Of another site' })
    for (const slug of ['one', 'two', 'three']) await site.put(slug, { title: `Title ${slug}` })
    await site.manage('PUT', '/posts/two/publication')
    const wayFrom = async (list: string) =>
      wayOf(await open(site, `posts/two?list=${encodeURIComponent(list)}`))
    expect(await wayFrom('/content?status=draft')).toEqual({
      Next: { href: expect.stringContaining('/posts/three?list='), title: 'Title three' },
    })
    expect(await wayFrom('/content?sort=nonsense')).toMatchObject({ Next: { title: 'Title three' } })
  })

  it('go from guide to guide', async () => {
    const site = await makeSite()
    for (const slug of ['one', 'two']) await putGuide(site, slug)
    expect(Object.keys(wayOf(await open(site, 'guides/two')))).toEqual(['Next'])
    expect(Object.keys(wayOf(await open(site, 'guides/one')))).toEqual(['Previous'])
  })
})

it('the head of a post has its title, state and actions, and a menu with the rare ones', async () => {
  const site = await makeSite()
  await site.put('one', { status: 'published' })
  const { text } = await open(site, 'posts/one')
  const order = [
    '<h1',
    'class="row states"',
    'class="actions"',
    '>Edit<',
    '>Unpublish<',
    '>More<',
    '>Delete…<',
  ]
  const places = order.map((part) => text.indexOf(part))
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(text).not.toMatch(/class="button (danger|takes)"/)
})
