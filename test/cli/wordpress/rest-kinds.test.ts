/** Sites of other versions and with other plugins than the recorded ones. */
import { describe, expect, it } from 'vitest'
import { wordpressSite } from '../../../src/cli/wordpress/site.ts'
import { PASSWORD, type Recorded, startWordPress, USER } from './support/replay.ts'
import { lossText, type Read, readAll } from './support/wxr.ts'

type Json = Record<string, unknown>
type Given = Json & { id: number; raw?: string; rendered?: string; excerptHtml?: string }
type Limits = {
  maxPage?: number
  /** Pages of this size fail with `status`, after some that succeed. */
  failsFrom?: number
  failsAfter?: number
  status?: number
  more?: Record<string, unknown>
  isSilent?: boolean
}

const LINK = { link: '<{base}/wp-json/>; rel="https://api.w.org/"' }
const NO_DRAFTS = /^status: WordPress shows drafts/

async function read(
  given: Given[],
  { maxPage = 100, failsFrom = 101, failsAfter = 0, status = 500, more = {}, isSilent = false }: Limits = {},
  isSignedIn = false,
): Promise<Read & { asked: string[]; lossTexts: string[] }> {
  const posts = given.map(({ raw, rendered = '<p>Text.</p>', excerptHtml = '', ...fields }) => ({
    ...{
      slug: `post-${fields.id}`,
      status: 'publish',
      date: '2024-05-06T10:00:00',
      link: `{base}/post-${fields.id}/`,
    },
    ...{
      date_gmt: '2024-05-06T10:00:00',
      modified: '2024-05-07T10:00:00',
      modified_gmt: '2024-05-07T10:00:00',
    },
    title: { rendered: `Post ${fields.id}` },
    content: { rendered, protected: false, ...(isSignedIn && { raw: raw ?? rendered }) },
    excerpt: { rendered: excerptHtml, ...(isSignedIn && { raw: '' }) },
    ...fields,
  }))
  const answers: Record<string, unknown> = {
    '/wp-json/': { namespaces: ['wp/v2'], home: '{base}', url: '{base}' },
    '/wp-json/wp/v2/users/me': { id: 1 },
    ...{ '/wp-json/wp/v2/types': {}, '/wp-json/wp/v2/taxonomies': {}, '/wp-json/wp/v2/comments': [] },
    ...more,
  }
  let pages = 0
  await using wordpress = await startWordPress(null, (path): Recorded | undefined => {
    const url = new URL(path, 'http://invalid')
    if (url.pathname === '/') return { headers: LINK }
    if (url.pathname in answers && answers[url.pathname] === null)
      return { status: 401, body: { code: 'rest_cannot_view', message: 'Only for members' } }
    if (url.pathname in answers) return { body: answers[url.pathname], headers: { 'x-wp-total': '0' } }
    if (url.pathname !== '/wp-json/wp/v2/posts') return undefined
    const [size, page] = ['per_page', 'page'].map((name) => Number(url.searchParams.get(name))) as [
      number,
      number,
    ]
    if (size > maxPage) {
      const message = 'Invalid parameter(s): per_page'
      return { status: 400, body: { code: 'rest_invalid_param', message, data: { status: 400 } } }
    }
    if (url.searchParams.has('_embed') && ++pages > failsAfter && size >= failsFrom)
      return { status, body: 'There has been a critical error' }
    const last = Math.ceil(posts.length / size)
    if (page > last && last > 0)
      return { status: 400, body: { code: 'rest_post_invalid_page_number', message: 'Too large' } }
    return {
      body: posts.slice((page - 1) * size, page * size),
      headers: isSilent ? {} : { 'x-wp-total': String(posts.length), 'x-wp-totalpages': String(last) },
    }
  })
  const source = await wordpressSite(wordpress.url, {
    ...{ pages: 'none', defaultLanguage: 'en', wait: async () => {} },
    env: isSignedIn ? { WORDPRESS_USER: USER, WORDPRESS_PASSWORD: PASSWORD } : {},
  })
  const all = await readAll(source)
  const lines = all.losses.map((loss) => `${loss.field}: ${lossText(loss)}`)
  return {
    ...all,
    asked: wordpress.asked,
    lossTexts: lines.filter((line) => !NO_DRAFTS.test(line) && !/^page: /.test(line)),
  }
}

const ids = ({ found }: Read) => found.map(({ article }) => Number(article.slug.slice(5)))
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)
const many = (count: number) => range(1, count).map((id) => ({ id }))

describe('a WordPress with restricted access', () => {
  const post = { id: 1, categories: [2], tags: [3, 4] }
  const categories = [{ id: 2, name: 'News' }]

  it('gives posts without the names of tags, which the report says', async () => {
    const taxonomies = {
      category: { slug: 'category', rest_base: 'categories' },
      post_tag: { slug: 'post_tag', rest_base: 'tags' },
    }
    const more = {
      '/wp-json/wp/v2/taxonomies': taxonomies,
      '/wp-json/wp/v2/categories': categories,
      '/wp-json/wp/v2/tags': null,
    }
    const all = await read([post], { more })
    expect(all.found[0]?.article).toMatchObject({ categories: ['News'] })
    expect(all.lossTexts).toContain('post_tag: WordPress does not show its name: of 2')
  })

  it('that hides its taxonomies gets requests for categories and tags, and none for types', async () => {
    const more = {
      '/wp-json/wp/v2/taxonomies': null,
      '/wp-json/wp/v2/categories': categories,
      '/wp-json/wp/v2/tags': [{ id: 3, name: 'Tide' }],
      '/wp-json/wp/v2/types': null,
    }
    const all = await read([post], { more })
    expect(all.found[0]?.article).toMatchObject({ categories: ['News'], tags: ['Tide'] })
    expect(all.lossTexts).toContain('taxonomies: WordPress shows only categories and tags')
    expect(all.lossTexts).toContain('types: they cannot be counted')
  })

  it('that hides its number of pages is read to the end', async () => {
    const all = await read(many(203), { isSilent: true })
    expect(ids(all)).toEqual(range(1, 203))
    expect(all.skipped).toEqual([])
  })
})

describe('a WordPress that supports only small pages', () => {
  it.each([
    [99, 501],
    [7, 501],
    [1, 501],
    [100, 11],
    [20, 10],
  ])('of %i, and failing from %i, is read completely, each post once', async (maxPage, failsFrom) => {
    const all = await read(many(maxPage === 1 ? 7 : 103), { maxPage, failsFrom })
    expect(ids(all)).toEqual(range(1, maxPage === 1 ? 7 : 103))
    expect(all.skipped).toEqual([])
  })

  it('gets requests for smaller pages after 502, 503 and 504 too', async () => {
    for (const status of [502, 503, 504])
      expect(ids(await read(many(103), { failsFrom: 21, status }))).toEqual(range(1, 103))
  })

  it('loses and repeats nothing when the pages get smaller in the middle', async () => {
    expect(ids(await read(many(250), { failsFrom: 21, failsAfter: 1 }))).toEqual(range(1, 250))
  })

  it('that cannot return one of its posts fails in one line', async () => {
    await expect(read(many(3), { failsFrom: 1 })).rejects.toThrow(/answered 500/)
  })
})

describe('plugin fields', () => {
  it('are languages, translations and SEO', async () => {
    const head = {
      ...{ description: 'D', og_title: 'O', canonical: '{base}/post-2/', robots: { index: 'noindex' } },
      og_image: [{ url: 'https://i.example/o.png' }],
    }
    const [translations, meta] = [
      { de: 1, en: 2 },
      { depth: 4, empty: '' },
    ]
    const { found, losses } = await read([
      { id: 1, lang: 'de', translations },
      { id: 2, lang: 'en', translations, yoast_head_json: head, meta, format: 'aside' },
    ])
    expect(found.map(({ article: { slug, language, sourceSlug } }) => [slug, language, sourceSlug])).toEqual([
      ['post-1', 'de', 'post-2'],
      ['post-2', 'en', undefined],
    ])
    expect(found[1]?.article).toMatchObject({
      seo: { metaDescription: 'D', ogTitle: 'O' },
      image: { url: 'https://i.example/o.png' },
    })
    expect(found[1]?.article.canonicalUrl).toBeUndefined()
    expect(losses.slice(0, 3).map(({ field }) => field)).toEqual(['format', 'meta.depth', 'noindex'])
  })
})

describe('plugin fields in unexpected shapes', () => {
  const SHAPES = [
    { yoast_head_json: null },
    { yoast_head_json: [] },
    { yoast_head_json: 'x' },
    { yoast_head_json: { robots: null, og_image: null, description: 5, canonical: {} } },
    { yoast_head_json: { robots: [], og_image: [null], og_title: null } },
    { yoast_head_json: { og_image: { url: 'x' } } },
    { meta: null },
    { meta: 'x' },
    { meta: [{ a: 1 }] },
    { excerpt: null },
    { excerpt: { rendered: null } },
    { title: { rendered: 5 } },
    { link: null },
    { link: 'not an address' },
    { link: false },
    { lang: false, translations: [] },
    { lang: 5, translations: { de: null, en: '12' } },
    { translations: null },
    { slug: null },
    { status: null },
    { featured_media: null, parent: null, sticky: null, format: null },
    { _embedded: null },
    {
      _embedded: {
        author: [{ code: 'rest_user_invalid_id' }],
        'wp:featuredmedia': [{ code: 'rest_forbidden' }],
      },
    },
    { _embedded: { author: {}, 'wp:featuredmedia': [null] } },
    {
      _embedded: {
        'wp:featuredmedia': [{ source_url: 'https://a.example/a.png', media_details: null, alt_text: null }],
      },
    },
    { date: null, date_gmt: false, modified: 5, modified_gmt: {} },
    { categories: null, tags: 'x' },
    { password: null },
  ]

  it('skip no post', async () => {
    const posts = SHAPES.map((fields, at) => ({ id: 31 + at, ...fields }))
    const { found, skipped } = await read([...posts, { id: 99, yoast_head_json: { description: 'D' } }])
    expect(skipped).toEqual([])
    expect(ids({ found } as Read)).toEqual([...posts.map(({ id }) => id), 99])
    expect(found.at(-1)!.article.seo).toMatchObject({ metaDescription: 'D' })
  })

  it('may be null in lists of posts, taxonomies and types', async () => {
    const more = {
      '/wp-json/wp/v2/taxonomies': { a: null, b: { slug: 5 } },
      '/wp-json/wp/v2/types': { a: null },
    }
    const { found } = await read([{ id: 1 }, { id: 'x' } as never, { id: 2 }], { more })
    expect(found).toHaveLength(2)
  })
})

describe('footnotes', () => {
  const meta = { footnotes: JSON.stringify([{ content: 'The <em>first</em> note', id: 'a1b2' }]) }
  const text = '<p>Some text<sup data-fn="a1b2" class="fn"><a href="#a1b2" id="a1b2-link">1</a></sup>.</p>'
  const raw = `<!-- wp:paragraph -->\n${text}\n<!-- /wp:paragraph -->\n\n<!-- wp:footnotes /-->`
  const rendered = `${text}\n\n<ol class="wp-block-footnotes"><li id="a1b2">The <em>first</em> note <a href="#a1b2-link" aria-label="Jump to footnote reference 1">↩︎</a></li></ol>`

  it.each([false, true])('replace their block, signed in: %s', async (isSignedIn) => {
    const { found, lossTexts } = await read([{ id: 11, meta, raw, rendered }], {}, isSignedIn)
    expect(found[0]!.article.contentHtml.replace(/\n+/, '')).toBe(
      '<p>Some text<sup><a href="#a1b2" id="a1b2-link">1</a></sup>.</p>' +
        '<section data-footnotes="" class="footnotes"><ol><li id="a1b2">The <em>first</em> note <a href="#a1b2-link" aria-label="Jump to footnote reference 1">↩︎</a></li></ol></section>',
    )
    expect(lossTexts).toEqual([])
  })
})

describe('images that enlarge on click', () => {
  const img = (name: string) => `<img src="https://old.example.com/${name}.jpg" alt="${name}">`
  it.each([
    [
      'a trigger, as of 6.5',
      `<figure class="wp-block-image wp-lightbox-container">${img('a')}<button class="lightbox-trigger" type="button" aria-haspopup="dialog" aria-label="Enlarge"><svg width="12"><path fill="#fff" d="M2 0"></path></svg></button><figcaption>Cap</figcaption></figure>`,
    ],
    [
      'an overlay, as in 6.4',
      `<figure class="wp-block-image wp-lightbox-container">${img('a')}<button type="button" aria-label="Enlarge image"></button><figcaption>Cap</figcaption><div class="wp-lightbox-overlay zoom"><button aria-label="Close" class="close-button"><svg><path d="M1 1"></path></svg></button><div class="lightbox-image-container"><figure><img src="" alt="a"><figcaption>Cap</figcaption></figure></div><div class="lightbox-image-container"><figure>${img('a-large')}<figcaption>Cap</figcaption></figure></div><div class="scrim" aria-hidden="true"></div></div></figure>`,
    ],
  ])('with %s appear once', async (_, rendered) => {
    const { found, lossTexts } = await read([{ id: 20, rendered }])
    expect(found[0]!.article.contentHtml).toBe(`<figure>${img('a')}<figcaption>Cap</figcaption></figure>`)
    expect(lossTexts).toEqual([])
  })
})

describe('co-authors', () => {
  const taxonomies = { author: { slug: 'author', rest_base: 'coauthors' } }
  const terms = [
    { id: 5, name: 'ann' },
    { id: 6, name: 'guest-bob' },
  ]
  it('are all authors of the post, by their display names', async () => {
    const more = {
      '/wp-json/wp/v2/taxonomies': taxonomies,
      '/wp-json/wp/v2/coauthors': terms,
      '/wp-json/coauthors/v1/coauthors/ann': { display_name: 'Ann Otter' },
      '/wp-json/coauthors/v1/coauthors/guest-bob': { display_name: 'Bob &amp; Sons' },
    }
    const author = [{ name: 'admin' }]
    const { found, lossTexts } = await read([{ id: 1, coauthors: [6, 5], _embedded: { author } }], { more })
    expect(found[0]!.article.authors).toEqual([{ name: 'Bob & Sons' }, { name: 'Ann Otter' }])
    expect(lossTexts).toEqual([])
  })

  it('are logins where the plugin has no display names, except for a single one, who is the post’s author', async () => {
    const more = { '/wp-json/wp/v2/taxonomies': taxonomies, '/wp-json/wp/v2/coauthors': terms }
    const _embedded = { author: [{ name: 'Ann Otter' }] }
    const { found } = await read(
      [
        { id: 1, coauthors: [5, 6], _embedded },
        { id: 2, coauthors: [5], _embedded },
      ],
      { more },
    )
    expect(found.map(({ article }) => article.authors)).toEqual([
      [{ name: 'ann' }, { name: 'guest-bob' }],
      [{ name: 'Ann Otter' }],
    ])
  })
})

describe('an excerpt', () => {
  const rendered =
    '<p>We sailed out at dawn and came back late with wet feet and a full net of stories.</p><p>Second.</p>'
  const START = 'We sailed out at dawn and came back late'
  const DERIVED = [
    `<p>${START} &hellip; <a href="https://old.example.com/1/" class="more-link">Continue reading <span class="screen-reader-text">My day</span></a></p>`,
    `<p>${START}&#8230; <a class="read-more" href="https://old.example.com/b">Read more »</a></p>`,
    `<p>${START}</p><p class="link-more"><a href="{base}/post-50/#more-50">Weiter</a></p>`,
    `<p>${START} <a href="/elsewhere">Lire la suite</a></p>`,
    `<p>${START} [&hellip;]</p>`,
    `<p>${START} [&hellip;] <a href="/x">Mehr lesen →</a></p>`,
    `<p>${START} … Continue reading My day</p>`,
    `<p>${START} Lire la suite « My day »</p>`,
    '<p>We sailed out at dawn and came ba...</p>',
    `<p>${START}… <span class="more">mehr</span></p>`,
  ]
  const excerptsOf = async (excerpts: string[]) => {
    // The third has the address `post-50`.
    const { found } = await read(excerpts.map((excerptHtml, at) => ({ id: 48 + at, rendered, excerptHtml })))
    return found.map(({ article }) => article.excerpt)
  }

  it('that is derived from the body is left out', async () => {
    expect(await excerptsOf(DERIVED)).toEqual(DERIVED.map(() => undefined))
  })

  it.each([
    ['<p>How we caught stories. <a class="more-link" href="/x">Read more</a></p>', 'How we caught stories.'],
    ['<p>How we caught <a href="https://b.example/">stories</a></p>', 'How we caught stories'],
    ['<p>We sailed… and sank. Read it.</p>', 'We sailed… and sank. Read it.'],
  ])('%s is the author’s', async (excerptHtml, excerpt) => {
    expect(await excerptsOf([excerptHtml])).toEqual([excerpt])
  })
})
