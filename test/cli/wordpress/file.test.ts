import { describe, expect, it } from 'vitest'
import { wordpressFile } from '../../../src/cli/wordpress/file.ts'
import { bundleArticle } from '../support/bundle.ts'
import { item, lossText, type Read, readItems, readText, wxr } from './support/wxr.ts'

const article = ({ found }: Read, slug: string) => found.find((one) => one.article.slug === slug)?.article
const only = ({ found }: Read) => found[0]!.article
const reasons = ({ losses }: Read, field: string) =>
  losses.filter((loss) => loss.field === field).map(lossText)

const post = (name: string, date: string, fields: object = {}) =>
  item({ 'wp:post_name': name, link: `https://blog.example/${date}/${name}/`, ...fields })
const page = (name: string, path: string, fields: object = {}) =>
  post(name, '', { 'wp:post_type': 'page', link: `https://blog.example/${path}/`, ...fields })

describe('an export', () => {
  const spring = item({
    fields: {
      ...{ title: 'Spring tide', 'dc:creator': 'ann', 'wp:post_name': 'spring-tide', 'wp:is_sticky': '1' },
      'content:encoded': `<!-- wp:paragraph --><p>The <a href="/2024/03/winter-work/#paint">quay</a>.</p><!-- /wp:paragraph -->`,
      ...{ 'excerpt:encoded': 'How high, &amp; why.', 'wp:post_modified_gmt': '2024-06-01 10:00:00' },
    },
    terms: [
      ['category', 'news', 'News'],
      ['category', 'old-boats', 'Old boats'],
      ['post_tag', 'tides', 'tides'],
    ],
    meta: {
      ...{ _thumbnail_id: '3', depth_of_water: '4', _yoast_wpseo_metadesc: 'Water over the quay.' },
      ...{ _yoast_wpseo_title: '%%title%% %%sep%% %%sitename%%' },
      _yoast_wpseo_canonical: 'https://original.example/spring-tide',
    },
  })
  const boat = item({
    ...{ title: 'Boat', 'wp:post_type': 'attachment', 'wp:status': 'inherit', 'wp:post_id': 3 },
    'wp:attachment_url': 'https://blog.example/boat.png',
  })

  it('becomes posts with all their fields, and has its unsupported data named', async () => {
    const read = await readItems([boat, spring, page('history', 'about/history', { 'wp:post_parent': 9 })])
    expect([read.source.total, read.skipped]).toEqual([2, []])
    expect(article(read, 'spring-tide')).toEqual({
      slug: 'spring-tide',
      title: 'Spring tide',
      contentHtml: '<p>The <a href="/2024/03/winter-work/#paint">quay</a>.</p>',
      excerpt: 'How high, & why.',
      status: 'published',
      publishedAt: '2024-05-06T07:08:09.000Z',
      language: 'en',
      seo: { metaDescription: 'Water over the quay.', ogTitle: 'Spring tide - Test & blog' },
      authors: [{ name: 'Ann Otter' }],
      image: { url: 'https://blog.example/boat.png' },
      categories: ['News', 'Old boats'],
      tags: ['tides'],
      canonicalUrl: 'https://original.example/spring-tide',
      modifiedAt: '2024-06-01T10:00:00.000Z',
      schemaBundle: { article: { url: 'https://original.example/spring-tide' } },
    })
    expect(read.losses.map((loss) => `${loss.file.slice(0, 6)}: ${loss.field}: ${lossText(loss)}`)).toEqual([
      'item 1: attachment: an upload: its file is not moved, and its page is left out',
      'item 2: wp:is_sticky: posts cannot be pinned',
      'item 2: depth_of_water: a custom field',
      'item 2: canonicalUrl: its canonical address is on another domain, but the sitemap will list it once published: https://original.example/spring-tide',
      'item 3: wp:post_parent: guides cannot be nested',
    ])
  })

  it('has its pages named, unless they become guides', async () => {
    const items = [spring, page('about', 'about', { title: 'About' })]
    expect((await readItems(items)).found.map(({ kind }) => kind)).toEqual(['posts', 'guides'])
    const read = await readItems(items, { pages: 'none' })
    expect(read.found.map(({ kind }) => kind)).toEqual(['posts'])
    expect(read.source.total).toBe(1)
    expect(read.losses.filter(({ field }) => field === 'page')).toMatchObject([
      { file: 'item 2 (About)', reason: 'a page: --pages guides imports it' },
    ])
  })

  const ADDRESSES = [
    post('winter-work', '2024/03', { 'wp:post_id': 7 }),
    post('%e6%b8%af', '2024/01', { link: 'https://blog.example/2024/01/%E6%B8%AF/' }),
    post('thrown-away', '2023/06', { 'wp:status': 'trash' }),
    page('history', 'about/history'),
  ]
  const winter = { kind: 'posts', slug: 'winter-work' }

  it.each([
    ['https://blog.example/2024/03/winter-work/#paint', winter],
    ['https://www.blog.example/2024/03/winter-work', winter],
    ['/2024/03/winter-work/2/', winter],
    ['//blog.example/2024/03/winter-work/comment-page-1/#comment-3', winter],
    ['/?p=7', winter],
    ['/2024/01/%E6%B8%AF/', { slug: '港' }],
    ['/about/history/', { kind: 'guides', slug: 'history' }],
    ['/category/news/', null],
    ['https://blog.example/', null],
    ['/?p=999', null],
    ['/2023/06/thrown-away/', null],
    ['https://elsewhere.example/about/', undefined],
    ['mailto:a@b.example', undefined],
    ['#paint', undefined],
    ['', undefined],
    ['http://[', undefined],
  ])('has the address %s lead to %j', async (address, target) => {
    const { source } = await readItems(ADDRESSES)
    if (target) expect(source.target(address, '')).toMatchObject(target)
    else expect(source.target(address, '')).toBe(target)
  })

  it.each([
    ['/wp-content/uploads/2024/03/pier.png?w=30', 'wp-content/uploads/2024/03/pier.png'],
    ['https://blog.example/a%20b.jpg', 'a%20b.jpg'],
    ['/../../etc/passwd.txt', 'etc/passwd.txt'],
    ['https://blog.files.example/2024/05/a.jpg?w=300', '2024/05/a.jpg'],
    ['/about/', null],
    ['/x.php', null],
    ['https://elsewhere.example/a.png', null],
    ['data:image/png;base64,A', null],
  ])('has the file %s at %s', async (address, path) => {
    const onItsHost = item({
      ...{ 'wp:post_type': 'attachment', 'wp:status': 'inherit' },
      'wp:attachment_url': 'https://blog.files.example/2024/05/a.jpg',
    })
    expect((await readItems([onItsHost])).source.mediaPath(address, '')).toBe(path)
  })
})

describe('a gallery', () => {
  it('shows attachments from anywhere in the file, and those uploaded to the post', async () => {
    const picture = (id: number, parent: number) =>
      item({
        fields: {
          'wp:post_type': 'attachment',
          'wp:status': 'inherit',
          'wp:post_id': id,
          'wp:post_parent': parent,
          'wp:attachment_url': `/wp-content/${id}.png`,
          'excerpt:encoded': id === 2 ? 'A <b>cat</b>' : '',
        },
        meta: { _wp_attachment_image_alt: `Picture ${id}` },
      })
    const { found } = await readItems([
      item({ 'wp:post_id': 50, 'content:encoded': '[gallery]' }),
      item({ 'wp:post_id': 51, 'content:encoded': '[gallery ids="2,1"]' }),
      picture(1, 50),
      picture(2, 0),
    ])
    const one = '<figure><img src="https://blog.example/wp-content/1.png" alt="Picture 1"></figure>'
    expect(found[0]?.article.contentHtml).toBe(one)
    expect(found[1]?.article.contentHtml).toContain(`alt="Picture 2"><figcaption>A <b>cat</b></figcaption>`)
    expect(found[1]?.article.contentHtml).toContain(one)
  })
})

describe('a title', () => {
  it.each([
    ['A &amp; B &#8211; <em>C</em><sup>2</sup>', 'A & B – C2'],
    ['&lt;b&gt; is bold', '<b> is bold'],
    ['<script>x()</script>A', 'A'],
    ['  a\n b ', 'a b'],
  ])('%j becomes %j', async (title, expected) => {
    expect(only(await readItems([item({ title })])).title).toBe(expected)
  })

  it('that is missing, or only tags, is the first words of the body, or the slug', async () => {
    const words = 'word '.repeat(40)
    const read = await readItems([
      item({ title: '', 'content:encoded': `<h2>Head</h2>${words}` }),
      item({ title: '<b></b>', 'content:encoded': '', 'wp:post_name': 'the-slug' }),
    ])
    expect(read.found.map((one) => one.article.title)).toEqual([
      'Head word word word word word word word word word word…',
      'the-slug',
    ])
    expect(reasons(read, 'title')).toEqual([
      'it has no title: the first words of its body are used',
      'it has no title: the slug is used',
    ])
  })

  it('that is too long is cut off', async () => {
    const read = await readItems([item({ title: 'x'.repeat(600) })])
    expect(only(read).title).toHaveLength(500)
    expect(reasons(read, 'title')).toEqual(['too long for its field: the rest is cut off: 500 characters'])
  })
})

describe('a status', () => {
  it.each([
    ['publish', undefined, 'published', []],
    ['publish', 'draft', 'draft', []],
    ['publish', 'published', 'published', []],
    ['draft', undefined, 'draft', []],
    ['draft', 'published', 'draft', ['marked as a draft: imported as a draft']],
    ['pending', 'published', 'draft', ['it waits for a review: imported as a draft']],
    ['private', 'published', 'draft', ['it is private: imported as a draft']],
    [
      'future',
      undefined,
      'draft',
      ['it is scheduled: imported as a draft without a schedule: 2024-05-06T07:08:09.000Z'],
    ],
    ['archived', undefined, 'draft', ['it has an unknown status: imported as a draft: archived']],
    ['publish, with a password', 'published', 'draft', ['it has a password: imported as a draft']],
  ] as const)('%s with --status %s is %s', async (written, wanted, expected, lost) => {
    const [status = '', password = ''] = written.split(', ')
    const fields = { 'wp:status': status, 'wp:post_password': password }
    const read = await readItems([item(fields)], wanted && { status: wanted })
    expect(only(read).status).toBe(expected)
    expect(reasons(read, 'status')).toEqual(lost)
  })

  it.each([
    ['draft', {}, 'published'],
    ['pending', {}, 'published'],
    ['future', {}, 'published'],
    ['private', {}, 'draft'],
    ['archived', {}, 'draft'],
    ['draft', { 'wp:post_password': 'x' }, 'draft'],
  ])('%s with %j and --include-drafts is %s', async (status, more, expected) => {
    const drafts = { status: 'published', includeDrafts: true } as const
    const read = await readItems([item({ 'wp:status': status, ...more })], drafts)
    expect(only(read).status).toBe(expected)
    expect(reasons(read, 'status')).toHaveLength(expected === 'draft' ? 1 : 0)
  })

  it('or a type that is not a post’s is left out, and named', async () => {
    const read = await readItems([
      item({ title: 'R', 'wp:post_type': 'revision', 'wp:status': 'inherit' }),
      item({ title: 'M', 'wp:post_type': 'nav_menu_item' }),
      item({ title: 'A', 'wp:status': 'trash' }),
      item({ title: 'B', 'wp:status': 'auto-draft' }),
      item({ title: 'C', 'wp:post_type': 'product' }),
    ])
    expect(
      read.entries.map((entry) =>
        'loss' in entry ? `${entry.loss.file}: ${entry.loss.field}: ${lossText(entry.loss)}` : entry,
      ),
    ).toEqual([
      'item 1 (R): revision: a revision',
      'item 2 (M): nav_menu_item: an entry of a menu',
      'item 3 (A): wp:status: in the trash',
      'item 4 (B): wp:status: an internal status of WordPress: auto-draft',
      'item 5 (C): product: neither a post nor a page',
    ])
    expect(read.source.total).toBe(0)
  })
})

describe('a featured image', () => {
  it('keeps its alternative text', async () => {
    const upload = (id: number, alt: string) =>
      item({
        fields: {
          'wp:post_type': 'attachment',
          'wp:post_id': id,
          'wp:attachment_url': `https://blog.example/${id}.png`,
        },
        meta: { _wp_attachment_image_alt: alt },
      })
    const { found } = await readItems([
      item({ meta: { _thumbnail_id: '1' } }),
      item({ meta: { _thumbnail_id: '2' } }),
      upload(1, 'A red boat'),
      upload(2, ''),
    ])
    expect(found.map(({ article }) => bundleArticle(article).image)).toEqual([
      { '@type': 'ImageObject', url: 'https://blog.example/1.png', caption: 'A red boat' },
      'https://blog.example/2.png',
    ])
  })
})

describe('a slug', () => {
  it('is decoded, or derived from the title', async () => {
    const { found } = await readItems([
      item({ 'wp:post_name': '%ce%b5%cf%80%ce%af' }),
      item({ 'wp:post_name': '', title: 'Ein Über-Titel / zwei', 'wp:status': 'draft' }),
      item({ 'wp:post_name': '', title: '!!!', 'wp:post_id': 77 }),
      item({ 'wp:post_name': '', title: '港'.repeat(300) }),
    ])
    expect(found.map((one) => one.article.slug)).toEqual([
      'επί',
      'ein-über-titel-zwei',
      'post-77',
      '港'.repeat(80),
    ])
  })

  it('claimed by two posts goes to the public one, else to the first; the other gets a distinct one, and is named', async () => {
    const read = await readItems([
      item({ 'wp:post_name': '', title: 'Hello', 'wp:status': 'draft', 'wp:post_id': 5 }),
      item({ 'wp:post_name': 'hello' }),
      page('team', 'a/team'),
      page('team', 'b/team'),
      page('hello', 'hello'),
      item({ fields: { 'wp:post_name': 'hello', 'wp:post_id': 9 }, terms: [['language', 'fr', 'Français']] }),
    ])
    expect(read.found.map(({ kind, article: { slug } }) => `${kind} ${slug}`)).toEqual([
      'posts hello-5',
      'posts hello',
      'guides team',
      'guides b-team',
      'guides hello',
      'posts hello-fr',
    ])
    expect(reasons(read, 'slug')).toEqual([
      'the slug is taken by another post or guide: hello by item 2: it is hello-5',
      'the slug is taken by another post or guide: team by item 3: it is b-team',
      'the slug is taken by another post or guide: hello by item 2: it is hello-fr',
    ])
  })

  it('of a repeated item is that of the first', async () => {
    const { found, skipped } = await readItems([
      item({ 'wp:post_id': 5, 'wp:post_name': 'a' }),
      item({ 'wp:post_id': 5, 'wp:post_name': 'a', title: 'Again' }),
    ])
    expect(found).toHaveLength(1)
    expect(skipped).toEqual([
      { file: 'item 2 (Again)', reason: 'it has the same id as item 1, which is imported' },
    ])
  })
})

describe('SEO fields', () => {
  it('are those of Rank Math', async () => {
    const read = await readItems([
      item({
        fields: { title: 'T' },
        meta: {
          rank_math_title: '%title% %sep% %sitename%',
          rank_math_description: '50% off %',
          rank_math_facebook_description: 'F',
          rank_math_canonical_url: 'https://c.example/',
          rank_math_facebook_image: 'https://c.example/i.png',
          rank_math_robots: 'a:1:{i:0;s:7:"noindex";}',
        },
      }),
    ])
    expect(only(read)).toMatchObject({
      seo: { metaDescription: '50% off %', ogTitle: 'T - Test & blog', ogDescription: 'F' },
      canonicalUrl: 'https://c.example/',
      image: { url: 'https://c.example/i.png' },
      schemaBundle: { article: { url: 'https://c.example/' } },
    })
    expect(reasons(read, 'noindex')).toHaveLength(1)
  })

  it('of Yoast that are unsupported are named', async () => {
    const read = await readItems([
      item({
        meta: {
          _yoast_wpseo_title: 'Other',
          '_yoast_wpseo_opengraph-title': 'Shown',
          _yoast_wpseo_metadesc: '%%excerpt%% by %%name%%',
          '_yoast_wpseo_meta-robots-noindex': '1',
          _yoast_wpseo_focuskw: 'boats',
        },
      }),
    ])
    expect(only(read).seo).toEqual({ ogTitle: 'Shown' })
    expect(read.losses.map(({ field }) => field)).toEqual([
      '_yoast_wpseo_focuskw',
      'SEO title',
      'noindex',
      '_yoast_wpseo_metadesc',
    ])
  })
})

describe('languages', () => {
  it('of Polylang are imported, with links between translations', async () => {
    const post = (slug: string, language: string) =>
      item({
        fields: { 'wp:post_name': slug },
        terms: [
          ['language', language, language],
          ['post_translations', 'pll_1', 'pll_1'],
        ],
      })
    const read = await readItems([
      post('bonjour', 'fr'),
      post('hello', 'en'),
      post('ola', 'pt-br'),
      item({ 'wp:post_name': 'alone' }),
    ])
    expect(
      read.found.map(({ article: { slug, language, sourceSlug } }) => [slug, language, sourceSlug]),
    ).toEqual([
      ['bonjour', 'fr', 'hello'],
      ['hello', 'en', undefined],
      ['ola', 'pt-br', 'hello'],
      ['alone', 'en', undefined],
    ])
    expect(read.losses).toEqual([])
  })

  it('of WPML are imported when its add-on exported them', async () => {
    const post = (slug: string, language: string, source: string) =>
      item({
        fields: { 'wp:post_name': slug },
        meta: {
          _wpml_import_language_code: language,
          _wpml_import_source_language_code: source,
          _wpml_import_translation_group: 'post_7',
        },
      })
    const read = await readItems([post('hello', 'en', 'de'), post('hallo', 'de', '')])
    expect(
      read.found.map(({ article: { slug, language, sourceSlug } }) => [slug, language, sourceSlug]),
    ).toEqual([
      ['hello', 'en', 'hallo'],
      ['hallo', 'de', undefined],
    ])
    expect(read.losses).toEqual([])
  })

  it('default to the option’s, the blog’s, or the site’s where they differ by the region', async () => {
    const language = async (given: object) => only(await readItems([item()], given)).language
    expect(await language({})).toBe('en')
    expect(await language({ defaultLanguage: 'de' })).toBe('en-US')
    expect(await language({ language: 'nl' })).toBe('nl')
  })
})

describe('other losses', () => {
  it('are named: terms of plugins, comments, missing featured images, odd characters', async () => {
    const read = await readItems([
      item({
        fields: { 'content:encoded': 'a\u0000b\u0007' },
        meta: { _thumbnail_id: '999' },
        terms: [
          ['post_format', 'post-format-aside', 'Aside'],
          ['genre', 'jazz', 'Jazz'],
          ['genre', 'folk', 'Folk'],
        ],
        more: '<wp:comment><wp:comment_content>Hi</wp:comment_content></wp:comment>'.repeat(2),
      }),
    ])
    expect(only(read).contentHtml).toBe('<p>ab</p>')
    expect(read.losses.map((loss) => `${loss.field}: ${lossText(loss)}`)).toEqual([
      'content:encoded: it has control characters, which are removed',
      'image: the featured image is not in this import: attachment 999',
      'post_format: a taxonomy of a plugin or theme: Aside',
      'genre: a taxonomy of a plugin or theme: Jazz, Folk',
      'wp:comment: comments by readers are left out: 2',
    ])
  })

  it('do not include a body that is nested too deeply: that post is skipped', async () => {
    const { skipped, found } = await readItems([
      item({ title: 'Deep', 'content:encoded': '<div>'.repeat(5_000) }),
      item(),
    ])
    expect(skipped).toEqual([{ file: 'item 1 (Deep)', reason: 'nested too deeply' }])
    expect(found).toHaveLength(1)
  })
})

describe('a malformed file', () => {
  it('with declared entities gets none expanded, and fails in one line', async () => {
    const levels = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`)
    const start = `<!DOCTYPE rss [<!ENTITY l0 "lol">${levels.join('')}<!ENTITY file SYSTEM "file:///etc/passwd">]>`
    const bomb = item().replace(
      /<title>.*<\/title>/,
      '<title>&l9; &file; &amp;amp; &#65;&#x42;&quot;</title>',
    )
    const read = await readText(wxr([bomb], { start }))
    expect(only(read).title).toBe('&l9; &file; & AB"')
    expect(read.losses).toEqual([
      {
        file: 'export.xml',
        field: 'DOCTYPE',
        reason: 'declarations in the file, such as entities, are neither expanded nor fetched',
      },
    ])
  })

  it('that is truncated is imported up to the error, which is named', async () => {
    const whole = wxr([item({ title: 'A' }), item({ title: 'B' })])
    const cut = Buffer.from(whole).subarray(0, whole.lastIndexOf('Text.'))
    const { source, found, skipped } = await readText(cut)
    expect(found.map((one) => one.article.title)).toEqual(['A'])
    expect(source.total).toBe(2)
    expect(skipped).toEqual([
      {
        file: 'export.xml',
        reason: `incomplete, ends at byte ${cut.length}, within item 2 (B): export it again`,
      },
    ])
  })

  it('with an item of more than 8 MiB skips the item', async () => {
    const big = 'x'.repeat(8 * 1024 * 1024)
    const { found, skipped } = await readItems([
      item({ title: 'Big', 'content:encoded': big }),
      item({ title: 'In parts', 'content:encoded': big.slice(9), 'excerpt:encoded': 'y'.repeat(10) }),
      item({ title: 'Small' }),
      item({
        more: `<wp:comment><wp:comment_content>${big}x</wp:comment_content></wp:comment><!--${big}${big}-->`,
      }),
    ])
    expect(skipped.map(({ file, reason }) => `${file}: ${reason}`)).toEqual([
      'item 1 (Big): larger than 8 MiB',
      'item 2 (In parts): larger than 8 MiB',
    ])
    expect(found).toHaveLength(2)
  })

  it('in another encoding is decoded', async () => {
    const text = wxr([item({ title: 'Caf\u00e9' })]).replace('UTF-8', 'ISO-8859-1')
    expect(only(await readText(Buffer.from(text, 'latin1'))).title).toBe('Café')
  })

  it('with invalid bytes keeps the rest, and names them', async () => {
    const [before, after] = wxr([item({ title: 'A# B' })]).split('#')
    const read = await readText(
      Buffer.concat([Buffer.from(before ?? ''), Buffer.from([0xff]), Buffer.from(after ?? '')]),
    )
    expect(only(read).title).toBe('A\uFFFD B')
    expect(reasons(read, 'title')).toHaveLength(1)
  })

  it.each([
    ['<rss version="2.0"><channel><title>A feed</title><item><title>a</title></item></channel></rss>'],
    ['<!doctype html><html><body>no'],
    ['{"posts":[]}'],
    [''],
  ])('that is not an export is refused in one line: %s', async (content) => {
    await expect(readText(content)).rejects.toThrow(
      /export\.xml is not a WordPress export: a WXR file from Tools → Export has <wp:wxr_version>$/,
    )
  })

  it('that is missing is refused in one line', async () => {
    const options = { pages: 'guides', defaultLanguage: 'en' } as const
    await expect(wordpressFile('/nowhere/a.xml', options)).rejects.toThrow(
      'Cannot read /nowhere/a.xml: the file does not exist',
    )
    await expect(wordpressFile('/tmp', options)).rejects.toThrow('Cannot read /tmp: it is a folder')
  })
})
