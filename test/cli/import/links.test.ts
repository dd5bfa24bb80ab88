import { describe, expect, it } from 'vitest'
import { importMarkdown } from '../support/admin.ts'
import { jpeg, png } from '../support/pictures.ts'

const post = (body: string, fields = '') => `---\ntitle: T\n${fields}\n---\n${body}`

async function imported(files: Record<string, string | Uint8Array>, ...flags: string[]) {
  const run = await importMarkdown(files, ...flags, '--json')
  const html = Object.fromEntries(
    Object.entries(run.articles).map(([slug, { contentHtml }]) => [slug, contentHtml as string]),
  )
  return { ...run, html }
}

const hrefs = (html = '') =>
  [...html.matchAll(/(?:href|src|srcset|poster)="([^"]*)"/g)].map(([, value]) => value)

describe('a link between files', () => {
  it('leads to the URL of the article', async () => {
    const links = `[a](b.md#x) [b](./sub/c.md?q=1) [c](sub/c/) [d](/blog/sub/c) [e](/blog/b.html)
[f](https://n.example/blog/b) [g](/en/blog/b/) [h](/old/place/) [i](http://elsewhere.example/y#z) [j](/blog/other)`
    const { html, json } = await imported({
      'a.md': post(links),
      'b.md': post('x', 'aliases: [/old/place]\ncanonical: http://elsewhere.example/y'),
      'sub/c.md': post('[up](../b.md) [across](/blog/b)', 'slug: other'),
    })
    expect(hrefs(html.a)).toEqual([
      'https://n.example/blog/b#x',
      'https://n.example/blog/other?q=1',
      'https://n.example/blog/other',
      'https://n.example/blog/other',
      ...Array.from({ length: 4 }, () => 'https://n.example/blog/b'),
      'https://n.example/blog/b#z',
      'https://n.example/blog/other',
    ])
    expect(hrefs(html.other)).toEqual(['https://n.example/blog/b', 'https://n.example/blog/b'])
    expect(json.notTakenOver).toEqual([
      {
        file: 'b.md',
        field: 'canonical',
        reason:
          'its canonical address is on another domain, but the sitemap will list it once published: http://elsewhere.example/y',
      },
    ])
  })

  it('that is a canonical URL leads to the article’s URL here, and is left out where that is its own', async () => {
    const { articles, json } = await imported(
      {
        'a.md': post('x', 'canonical: https://old.example/b/'),
        'b.md': post('x', 'canonical: https://old.example/b/\nauthor: Ann'),
        'c.md': post('x', 'canonical: https://old.example/c/'),
        'd.md': post('x', 'canonical: https://old.example/gone'),
        'e.md': post('x', 'canonical: https://elsewhere.example/e'),
      },
      ...['--old-url', 'https://old.example'],
    )
    const at = Object.values(articles).map(({ slug, canonicalUrl }) => [slug, canonicalUrl])
    expect(at.sort()).toEqual([
      ['a', 'https://n.example/blog/b'],
      ['b', undefined],
      ['c', undefined],
      ['d', 'https://old.example/gone'],
      ['e', 'https://elsewhere.example/e'],
    ])
    expect(articles.b.authors).toEqual([{ name: 'Ann' }])
    expect(json.notTakenOver.map(({ reason }: { reason: string }) => reason)).toEqual([
      'a link leads to no post or guide of this import: https://old.example/gone',
      'its canonical address is on another domain, but the sitemap will list it once published: https://elsewhere.example/e',
    ])
  })

  it('has the language of a translation, the path template and --base-url', async () => {
    const files = {
      'fr/a.md': post('[x](../en/a.md) [y](b.md)'),
      'en/a.md': post('[x](/fr/a)'),
      'fr/b.md': post('x'),
    }
    const { html } = await imported(files, '--base-url', 'https://cdn.example/x/')
    expect(hrefs(html['a-fr'])).toEqual([
      'https://cdn.example/x/blog/a',
      'https://cdn.example/x/fr/blog/b-fr',
    ])
    expect(hrefs(html.a)).toEqual(['https://cdn.example/x/fr/blog/a-fr'])
  })

  it('is resolved below the path where the folder was served', async () => {
    const files = {
      'a.md': post('[x](/en/news/b/) [y](https://old.example/en/news/b) [z](/b)'),
      'b.md': post('x'),
    }
    const { html } = await imported(files, '--old-url', 'https://old.example/en/news')
    expect(new Set(hrefs(html.a))).toEqual(new Set(['https://n.example/blog/b']))
  })

  it('that leads nowhere is named and kept, and other links are unchanged', async () => {
    const body =
      '[x](gone.md) [y](/about) [z](#part) [m](mailto:a@b.example) [h](https://other.example/blog/a)'
    const { html, json } = await imported({ 'a.md': post(body) })
    expect(hrefs(html.a)).toEqual([
      'gone.md',
      '/about',
      '#part',
      'mailto:a@b.example',
      'https://other.example/blog/a',
    ])
    expect(json.notTakenOver).toEqual(
      ['gone.md', '/about'].map((address) => ({
        file: 'a.md',
        field: 'contentHtml',
        reason: `a link leads to no post or guide of this import: ${address}`,
      })),
    )
  })

  it("may be Obsidian's, or a reference of Hugo or Jekyll, in any folder", async () => {
    const references =
      '[x]({{< ref "c.md#y" >}}) [y]({{% relref "sub/c.md" %}}) [z]({% post_url 2020-01-02-b %})'
    const { html, json } = await imported({
      'a.md': post(`[[My note]], [[sub/c|x]] and [[gone]] ${references}`),
      'sub/My note.md': post('x'),
      'sub/c.md': post('x'),
      '_posts/2020-01-02-b.md': post('x'),
    })
    expect(html.a).toContain('and [[gone]]')
    expect(hrefs(html.a)).toEqual(
      ['My-note', 'c', 'c#y', 'c', 'b'].map((slug) => `https://n.example/blog/${slug}`),
    )
    expect(json.notTakenOver).toMatchObject([{ file: 'a.md', reason: 'kept as text: [[gone]]' }])
  })
})

describe('images', () => {
  const body = `![a](./i.png) ![b](/static/j.jpg?v=1) ![c](https://cdn.example/k.gif) [pdf](s.pdf)

<img src="data:image/png;base64,AA=="> <video src="v.mp4" poster="i.png"></video> <img srcset="i.png 1x, l.png 2x" alt="">`
  const files = { 'p/a.md': post(body, 'image: ./i.png') }
  const sources = [
    './i.png',
    '/static/j.jpg?v=1',
    'https://cdn.example/k.gif',
    's.pdf',
    'v.mp4',
    'i.png',
    'l.png',
  ]

  it('are listed, and keep their URLs', async () => {
    const { json, articles } = await imported(files)
    expect(json.images).toEqual(sources.map((src) => ({ file: 'p/a.md', src, to: null })))
    expect(articles.a.contentHtml).toContain('"./i.png"')
    expect(articles.a.image).toEqual({ url: './i.png' })
  })

  it('get URLs below --media URL, those of other hosts below their host', async () => {
    const { json, html, articles } = await imported(files, '--media', 'https://m.example/blog/')
    const base = 'https://m.example/blog'
    const moved = [
      'p/i.png',
      'static/j.jpg?v=1',
      'cdn.example/k.gif',
      'p/s.pdf',
      'p/v.mp4',
      'p/i.png',
      'p/l.png',
    ].map((path) => `${base}/${path}`)
    expect(json.images).toEqual(sources.map((src, i) => ({ file: 'p/a.md', src, to: moved[i] })))
    expect(hrefs(html.a)).toEqual([
      ...moved.slice(0, 4),
      'data:image/png;base64,AA==',
      moved[4],
      moved[5],
      `${moved[5]} 1x, ${moved[6]} 2x`,
    ])
    expect(articles.a.image).toEqual({ url: moved[0] })
  })

  it('get the size of the file in --media DIR, and missing files are named', async () => {
    const { json, html } = await imported(
      {
        'p/a.md': post(
          '![a](i.png) <img src="j.jpg" width="9"> <img src="https://cdn.example/k.jpg"> ![m](m.png)',
        ),
        'p/i.png': png(30, 20),
        'p/j.jpg': jpeg(3, 2),
        'cdn.example/k.jpg': jpeg(40, 50),
      },
      ...['--media', 'DIR', '--media', 'https://m.example'],
    )
    expect(html.a).toBe(
      '<p><img src="https://m.example/p/i.png" width="30" height="20" alt="a"> <img src="https://m.example/p/j.jpg" width="9"> <img src="https://m.example/cdn.example/k.jpg" width="40" height="50"> <img src="https://m.example/p/m.png" alt="m"></p>',
    )
    const reason = 'a file is not in --media: m.png as p/m.png'
    expect(json.notTakenOver).toEqual([{ file: 'p/a.md', field: 'contentHtml', reason }])
  })

  it('with only --media DIR are served by the site, and those of other hosts only if they are there', async () => {
    const { html, json } = await imported(
      {
        'a.md': post('![a](i.png) ![b](https://cdn.example/k.png) ![c](../../../etc/hostname)'),
        'i.png': png(1, 2),
      },
      ...['--media', 'DIR'],
    )
    expect(hrefs(html.a)).toEqual([
      'https://n.example/i.png',
      'https://cdn.example/k.png',
      'https://n.example/etc/hostname',
    ])
    expect(json.notTakenOver).toMatchObject([
      { reason: 'a file is not in --media: ../../../etc/hostname as etc/hostname' },
    ])
  })

  it('are called images in the report, and other files files', async () => {
    const { stdout } = await importMarkdown({ 'a.md': post('![i](i.png) [p](s.pdf)') }, '--media', 'DIR')
    expect(stdout).toContain('a file is not in --media: i.png as i.png, s.pdf as s.pdf')
    expect(stdout).toContain('File in a.md: s.pdf is now https://n.example/s.pdf')
    expect(stdout).toContain('Image in a.md: i.png is now https://n.example/i.png')
  })

  it.each([
    [['--media', 'nowhere'], '--media nowhere is neither an http or https URL nor a folder'],
    [['--media', 'http://a', '--media', 'http://b'], '--media takes one URL and one folder'],
    [['--base-url', 'n.example'], '--base-url n.example is not an http or https URL'],
  ])('%j is refused in one line', async (flags, error) => {
    expect((await imported(files, ...flags)).json).toEqual({ error })
  })
})
