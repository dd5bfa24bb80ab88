import { describe, expect, it } from 'vitest'
import { bundleArticle } from '../support/bundle.ts'
import { exportOf, postRow, readExport, type Tables } from './support/export.ts'

const full: Tables = {
  posts: [
    postRow({
      slug: 'hello',
      id: 'p1',
      title: 'Hello',
      html: '<p>A <a href="__GHOST_URL__/about/">link</a> <img src="__GHOST_URL__/content/images/a.png"></p>',
      custom_excerpt: 'In short',
      feature_image: '__GHOST_URL__/content/images/f.png',
      updated_at: '2024-06-01 10:00:00',
      canonical_url: 'https://elsewhere.example/hello/',
    }),
    postRow({ slug: 'about', id: 'p2', type: 'page', title: 'About', author_id: 'u2' }),
  ],
  posts_authors: [
    { post_id: 'p1', author_id: 'u2', sort_order: 1 },
    { post_id: 'p1', author_id: 'u1', sort_order: 0 },
  ],
  posts_meta: [
    {
      id: 'm1',
      post_id: 'p1',
      meta_title: 'Meta',
      meta_description: 'Described',
      og_title: null,
      og_description: 'Shared',
      feature_image_alt: 'an F',
    },
  ],
  posts_tags: [
    { post_id: 'p1', tag_id: 't2', sort_order: 1 },
    { post_id: 'p1', tag_id: 't3', sort_order: 2 },
    { post_id: 'p1', tag_id: 't1', sort_order: 0 },
  ],
  settings: [
    { key: 'title', value: 'A blog' },
    { key: 'locale', value: 'de' },
  ],
  tags: [
    { id: 't1', name: 'News', visibility: 'public' },
    { id: 't2', name: 'Tech', visibility: 'public', description: 'All of it' },
    { id: 't3', name: '#wide', visibility: 'internal' },
  ],
  users: [
    { id: 'u1', name: 'Ann', email: 'ann@example.com', website: 'https://ann.example' },
    { id: 'u2', name: 'Bob', email: 'bob@example.com', website: null },
  ],
  members: [{ id: 'm1', email: 'reader@example.com' }, { id: 'm2' }],
  migrations: [{ id: 1 }],
}

describe('an export of Ghost', () => {
  it('becomes posts with every supported field', async () => {
    const { source, found } = await readExport(full)
    expect(source.total).toBe(2)
    expect(found[0]).toEqual({
      file: 'post 1 (Hello)',
      kind: 'posts',
      origin: 'ghost:p1',
      formerOrigin: { name: 'ghost:p1', isUnique: false },
      oldAddresses: [],
      article: {
        slug: 'hello',
        title: 'Hello',
        contentHtml: '<p>A <a href="/about/">link</a> <img src="/content/images/a.png"></p>',
        excerpt: 'In short',
        status: 'published',
        publishedAt: '2024-05-06T07:08:09.000Z',
        language: 'de',
        seo: {
          metaDescription: 'Described',
          ogTitle: 'Meta',
          ogDescription: 'Shared',
        },
        authors: [{ name: 'Ann', url: 'https://ann.example' }, { name: 'Bob' }],
        image: { url: '/content/images/f.png', alt: 'an F' },
        categories: ['News'],
        tags: ['News', 'Tech'],
        canonicalUrl: 'https://elsewhere.example/hello/',
        modifiedAt: '2024-06-01T10:00:00.000Z',
      },
    })
  })

  it('has its unsupported data named, once for the site and for each post', async () => {
    const { losses } = await readExport(full)
    expect(losses).toEqual([
      { file: 'export.json', field: 'members', reason: 'not imported', detail: '2' },
      { file: 'export.json', field: 'settings', reason: 'not imported', detail: '2' },
      { file: 'export.json', field: 'users', reason: 'only names and websites are imported', detail: '2' },
      { file: 'export.json', field: 'tags', reason: 'only names are imported', detail: '1' },
      {
        file: 'export.json',
        field: 'data',
        reason: "Ghost's internal records are left out",
        detail: 'migrations (1)',
      },
      { file: 'post 1 (Hello)', field: 'tags', reason: 'an internal tag', detail: '#wide' },
      {
        file: 'post 1 (Hello)',
        field: 'canonical_url',
        reason: 'its canonical address is on another domain, but the sitemap will list it once published',
        detail: 'https://elsewhere.example/hello/',
      },
    ])
  })

  it('keeps the feature image with its alternative text, and its caption, or else that text, in the bundle', async () => {
    const imageOf = async (fields: object) => {
      const { articles, losses } = await readExport({ posts: [postRow({ slug: 'a', ...fields })] })
      return [
        bundleArticle(articles[0]).image,
        articles[0]?.image?.alt,
        losses.flatMap(({ field, detail }) =>
          field.startsWith('feature_image') ? [`${field} ${detail}`] : [],
        ),
      ]
    }
    const [url, alt, caption] = ['https://a.example/f.png', 'A boat', 'By <a href="/">Ann</a>']
    const shown = (caption: string) => ({ '@type': 'ImageObject', url, caption })
    expect(await imageOf({ feature_image: url })).toEqual([url, undefined, []])
    expect(await imageOf({ feature_image: url, feature_image_alt: alt })).toEqual([shown('A boat'), alt, []])
    expect(
      await imageOf({ feature_image: url, feature_image_alt: alt, feature_image_caption: caption }),
    ).toEqual([shown('By Ann'), alt, []])
    expect(await imageOf({ og_image: url, feature_image_alt: alt })).toEqual([
      url,
      undefined,
      ['feature_image_alt A boat'],
    ])
  })

  it('has a canonical URL on another domain named', async () => {
    const posts = ['https://blog.example/a/', 'https://other.example/a/'].map((canonical_url, at) =>
      postRow({ slug: `p${at}`, canonical_url }),
    )
    const { losses } = await readExport({ posts }, { oldUrl: 'https://blog.example' })
    expect(losses.flatMap(({ field, detail }) => (field === 'canonical_url' ? [detail] : []))).toEqual([
      'https://other.example/a/',
    ])
  })

  it('has every unsupported field with a value named', async () => {
    const fields = {
      codeinjection_head: '<script>a()</script>',
      codeinjection_foot: '<style>b{}</style>',
      custom_template: 'custom-wide',
      featured: 1,
      og_image: '__GHOST_URL__/content/images/og.png',
      feature_image: '/content/images/f.png',
      meta_title: 'Meta',
      og_title: 'Og',
      twitter_title: 'T',
      canonical_url: '__GHOST_URL__/other/',
      show_title_and_feature_image: 0,
      published_at: 'soon',
    }
    const { losses, articles } = await readExport({ posts: [postRow({ slug: 'a', ...fields })] })
    const named = losses.map(({ field }) => field)
    expect(named.toSorted()).toEqual(
      Object.keys(fields)
        .filter((field) => field !== 'og_title' && field !== 'feature_image')
        .concat('author')
        .sort(),
    )
    expect(articles[0]?.seo).toEqual({ ogTitle: 'Og' })
    expect(articles[0]?.image).toEqual({ url: '/content/images/f.png' })
  })

  it('has unknown fields of posts named once', async () => {
    const posts = ['a', 'b'].map((slug) =>
      postRow({ slug, uuid: slug, created_at: 'then', mood: 'good', none: null }),
    )
    const { losses } = await readExport({ posts, posts_meta: [{ post_id: 'id-of-a', email_tone: 'loud' }] })
    expect(losses.filter(({ file }) => file === 'export.json')).toEqual([
      { file: 'export.json', field: 'posts.email_tone', reason: 'not imported', detail: '1' },
      { file: 'export.json', field: 'posts.mood', reason: 'not imported', detail: '2' },
      {
        file: 'export.json',
        field: 'data',
        reason: "Ghost's internal records are left out",
        detail: 'posts.created_at (2), posts.uuid (2)',
      },
    ])
  })

  it('has its pages imported as guides, or each of them named', async () => {
    expect((await readExport(full)).found[1]).toMatchObject({ file: 'page 2 (About)', kind: 'guides' })
    const { source, found, losses } = await readExport(full, { pages: 'none' })
    expect(source.total).toBe(1)
    expect(found.map(({ file }) => file)).toEqual(['post 1 (Hello)'])
    expect(losses).toContainEqual({
      file: 'page 2 (About)',
      field: 'type',
      reason: 'a page: --pages guides imports it',
    })
  })

  it('gives the same result when it is read again', async () => {
    const { entries, again } = await readExport(full)
    expect(entries).toHaveLength(9)
    expect(again).toEqual(entries)
  })

  it.each([
    ['{ "meta", "data" }', JSON.stringify({ meta: {}, data: { posts: [postRow({ slug: 'a' })] } })],
    ['tables in any order', exportOf({ posts_tags: [], posts: [postRow({ slug: 'a' })] })],
    ['a byte order mark', `\u{feff}${exportOf({ posts: [postRow({ slug: 'a' })] })}`],
  ])('may have %s', async (_, text) => {
    const { articles } = await readExport(text)
    expect(articles.map(({ slug }) => slug)).toEqual(['a'])
  })

  it('may be from 2014, with numbers as ids and dates, and Markdown', async () => {
    const row = { id: 7, title: 'Old', slug: 'old', html: null, markdown: '# Hi', author_id: 3 }
    const times = { published_at: 1_426_078_349_156, updated_at: 1_426_078_349_156 }
    const { articles, found } = await readExport({
      posts: [
        { ...row, ...times, image: '/content/images/o.png', page: 0, status: 'published', meta_title: 'M' },
        { ...row, ...times, id: 8, slug: 'info', page: 1, status: 'draft' },
      ],
      users: [{ id: 3, name: 'Ann' }],
      tags: [{ id: 1, name: 'Old news' }],
      posts_tags: [{ id: 1, post_id: 7, tag_id: 1 }],
    })
    expect(articles[0]).toMatchObject({
      contentHtml: '<h1 id="hi">Hi</h1>',
      publishedAt: '2015-03-11T12:52:29.156Z',
      seo: { ogTitle: 'M' },
      tags: ['Old news'],
      authors: [{ name: 'Ann' }],
      image: { url: '/content/images/o.png' },
      modifiedAt: '2015-03-11T12:52:29.156Z',
    })
    expect(found[1]).toMatchObject({ kind: 'guides', article: { status: 'draft' } })
  })
})

describe('the status', () => {
  it.each([
    [{}, 'published', []],
    [{ status: 'draft', published_at: null }, 'draft', []],
    [{ published_at: null }, 'draft', ['status']],
    [{ status: 'scheduled' }, 'draft', ['status']],
    [{ status: 'sent' }, 'draft', ['status']],
    [{ email_only: 1 }, 'draft', ['status']],
    [{ status: 'lost' }, 'draft', ['status']],
    [{ visibility: 'members' }, 'draft', ['visibility']],
    [{ visibility: 'paid' }, 'draft', ['visibility']],
    [{ visibility: 'tiers' }, 'draft', ['visibility']],
    [{ visibility: 'label:vip' }, 'draft', ['visibility']],
    [{ visibility: 'members', status: 'draft' }, 'draft', ['visibility']],
  ])('is published only if everybody could read the post: %j is %s', async (fields, status, lost) => {
    const { articles, losses } = await readExport({ posts: [postRow({ slug: 'a', ...fields })] })
    expect(articles[0]?.status).toBe(status)
    expect(losses.map(({ field }) => field).filter((field) => field !== 'author')).toEqual(lost)
  })

  it.each([
    ['published', false, {}, 'published', []],
    ['published', false, { status: 'draft' }, 'draft', ['marked as a draft: imported as a draft']],
    ['published', true, { status: 'draft' }, 'published', []],
    ['published', true, { status: 'scheduled' }, 'published', []],
    ['published', true, { status: 'sent' }, 'draft', ['it was only an email: imported as a draft']],
    ['published', true, { status: 'lost' }, 'draft', ['it has an unknown status: imported as a draft']],
    ['published', true, { status: 'draft', visibility: 'paid' }, 'draft', []],
    ['draft', false, { status: 'scheduled' }, 'draft', []],
    ['draft', false, {}, 'draft', []],
  ] as const)(
    'with --status %s, and drafts included: %s, %j is %s',
    async (status, includeDrafts, fields, is, named) => {
      const options = { status, includeDrafts }
      const { articles, losses } = await readExport({ posts: [postRow({ slug: 'a', ...fields })] }, options)
      expect(articles[0]?.status).toBe(is)
      expect(losses.flatMap(({ field, reason }) => (field === 'status' ? [reason] : []))).toEqual(named)
    },
  )

  it('keeps the date of a scheduled post', async () => {
    const row = postRow({ slug: 'a', status: 'scheduled', published_at: '2099-01-02T03:04:05.000Z' })
    expect((await readExport({ posts: [row] })).articles[0]).toMatchObject({
      status: 'draft',
      publishedAt: '2099-01-02T03:04:05.000Z',
    })
  })

  it('leaves out the members-only part of a body', async () => {
    const gate = (isOpen: boolean, text: string) =>
      `<!--kg-gated-block:begin nonMember:${isOpen} memberSegment:"status:-free" --><p>${text}</p><!--kg-gated-block:end-->`
    const html = `<p>a</p>\n${gate(false, 'secret')}${gate(true, 'open')}<p>b</p>`
    const card = (web: object) => ({ type: 'html', html: '<p>secret</p>', visibility: web })
    const children = [
      card({ web: { nonMember: false }, email: {} }),
      card({ showOnWeb: false }),
      { type: 'html', html: '<p>open</p>', visibility: { web: { nonMember: true } } },
    ]
    const { articles, losses } = await readExport({
      posts: [
        postRow({ slug: 'a', html }),
        postRow({ slug: 'b', html: null, lexical: JSON.stringify({ root: { type: 'root', children } }) }),
      ],
    })
    expect(articles.map(({ contentHtml }) => contentHtml)).toEqual([
      '<p>a</p>\n<p>open</p><p>b</p>',
      '<p>open</p>',
    ])
    const gated = losses.filter(({ reason }) => reason === 'a part for members only is left out')
    expect(gated).toHaveLength(3)
  })
})

describe('the origin', () => {
  const id = '64f0c1a2b3c4d5e6f7a8b9c0'
  const read = (hash: string, key = 'db_hash') =>
    readExport({ posts: [postRow({ slug: 'a', id })], settings: [{ key, value: hash }] })

  it('identifies a Ghost, without its secret', async () => {
    const [a, again, b, old] = [
      await read('first'),
      await read('first'),
      await read('second'),
      await read('first', 'dbHash'),
    ]
    const originOf = ({ found }: typeof a) => found[0]?.origin
    expect(originOf(a)).toMatch(/^ghost@[0-9a-f]{16}:64f0c1a2b3c4d5e6f7a8b9c0$/)
    expect([originOf(again), originOf(old)]).toEqual([originOf(a), originOf(a)])
    expect(originOf(b)).not.toBe(originOf(a))
    expect(originOf(b)).toMatch(a.source.origins!.prefix.replace(/@.*/, '@'))
    expect(JSON.stringify([a.entries, a.source.origins])).not.toContain('first')
    expect(a.found[0]?.formerOrigin).toEqual({ name: `ghost:${id}`, isUnique: true })
  })

  it('is only the id for an export that does not identify its Ghost', async () => {
    const { found, source } = await read('')
    expect([found[0]?.origin, source.origins?.prefix]).toEqual([`ghost:${id}`, 'ghost:'])
  })
})

describe('a post that cannot be imported', () => {
  it('is skipped with its reason', async () => {
    const { source, skipped, found, losses } = await readExport({
      posts: [
        postRow({ slug: 'a' }),
        postRow({ id: '2', slug: 'a', type: 'page' }),
        postRow({ id: '3', slug: 'a', title: 'Again' }),
        postRow({ id: '4', slug: '!!', title: 'Odd' }),
        postRow({ id: '5', slug: 'untitled', title: '' }),
        postRow({ id: '6', slug: 'deep', title: 'Deep', html: '<div>'.repeat(20_000) }),
        postRow({ id: '7', slug: 'large', html: 'x'.repeat(8 * 1024 * 1024) }),
        postRow({ id: '8', slug: 'z' }),
      ],
    })
    expect(skipped).toEqual([
      { file: 'post 4 (Odd)', reason: 'no slug can be derived from "!!"' },
      { file: 'post 5', reason: 'no title' },
      { file: 'post 6 (Deep)', reason: 'nested too deeply' },
      { file: 'post 7', reason: 'larger than 8 MiB' },
    ])
    expect(found.map(({ kind, article }) => `${kind} ${article.slug}`)).toEqual([
      'posts a',
      'guides a',
      'posts a-2',
      'posts z',
    ])
    expect(losses).toContainEqual({
      ...{ file: 'post 3 (Again)', field: 'slug' },
      ...{ reason: 'the slug is taken by another post or guide', detail: 'a: it is a-2' },
    })
    expect(source.total).toBe(found.length + skipped.length)
  })

  it.each([
    ['<rss>', 'export.json is not JSON: unexpected "<" at line 1, column 1'],
    ['[]', 'export.json is not an export of Ghost: it has no list of posts'],
    ['{"posts":[]}', 'export.json is not an export of Ghost: it has no list of posts'],
    [
      exportOf({ posts: [postRow({ slug: 'a' })] }).slice(0, 200),
      'export.json is incomplete: it ends at line 1, column 201, within db[0].data.posts[0]',
    ],
    [
      '{"db":[{"data":{"posts":[\n{"id":1},\n{"id":}]}}]}',
      /^export\.json is not JSON: .* at line 3, column 7, within db\[0\]\.data\.posts\[1\]$/,
    ],
  ])('invalid as a whole is refused in one line: %j', async (text, message) => {
    await expect(readExport(text)).rejects.toThrow(message)
  })
})

describe('the language', () => {
  const posts = [postRow({ slug: 'a' }), postRow({ slug: 'b', locale: 'pt_BR' })]
  const languages = async (locale: string, options = {}) => {
    const { articles } = await readExport({ posts, settings: [{ key: 'locale', value: locale }] }, options)
    return articles.map(({ language }) => language)
  }

  it("is the post's, else the requested one, else the export's", async () => {
    expect(await languages('de')).toEqual(['de', 'pt-BR'])
    expect(await languages('de', { language: 'fr' })).toEqual(['fr', 'pt-BR'])
  })

  it("is the site's where the export's only adds a region", async () => {
    expect(await languages('en', { defaultLanguage: 'en-GB' })).toEqual(['en-GB', 'pt-BR'])
  })

  it('is named when it is invalid', async () => {
    const { articles, losses } = await readExport({ posts, settings: [{ key: 'lang', value: 'xyzzy' }] })
    expect(articles[0]).not.toHaveProperty('language')
    expect(losses).toContainEqual({
      file: 'export.json',
      field: 'settings.locale',
      reason: 'not a language code',
      detail: '"xyzzy"',
    })
  })
})

describe('addresses', () => {
  const tables = {
    posts: [
      postRow({ slug: 'hello', html: '<p><a href="__GHOST_URL__">home</a></p>' }),
      postRow({ slug: 'über', locale: 'de' }),
      postRow({ slug: 'about', type: 'page' }),
      postRow({ slug: 'hello', type: 'page' }),
      postRow({ slug: 'old-post' }),
      postRow({ slug: 'old--post' }),
    ],
  }

  it.each([
    ['/hello/', { kind: 'posts', slug: 'hello', language: null }],
    ['__GHOST_URL__/hello/?ref=x#part', { kind: 'posts', slug: 'hello', language: null }],
    ['/2020/05/hello/amp/', { kind: 'posts', slug: 'hello', language: null }],
    ['/%C3%BCber', { kind: 'posts', slug: 'über', language: 'de' }],
    ['https://old.example/about/', undefined],
    ['/about/', { kind: 'guides', slug: 'about', language: null }],
    ['/old-post/', { kind: 'posts', slug: 'old-post', language: null }],
    ['/old--post/', { kind: 'posts', slug: 'old-post-2', language: null }],
    ['/', null],
    ['/none/', null],
    ['/tag/hello/', null],
    ['/author/hello/', null],
    ['/%E0%A4%A/', null],
    ['#part', undefined],
    ['mailto:a@example.com', undefined],
    ['https://elsewhere.example/hello/', undefined],
  ])('%s leads to %j', async (address, target) => {
    const { source } = await readExport(tables)
    expect(source.target(address, 'post 1')).toEqual(target)
  })

  it('are those of the old site where it is given', async () => {
    const { source, articles } = await readExport(tables, { oldUrl: 'https://old.example/blog/' })
    expect(articles[0]?.contentHtml).toBe('<p><a href="https://old.example/blog">home</a></p>')
    const target = (address: string) => source.target(address, 'post 1')
    expect(target('https://www.old.example/blog/about/')).toMatchObject({ slug: 'about' })
    expect(target('//old.example/blog/about')).toMatchObject({ slug: 'about' })
    expect(target('https://old.example/about/')).toBeUndefined()
  })

  it('of media are below the root of the old site', async () => {
    const { source } = await readExport(tables, { oldUrl: 'https://old.example' })
    const media = (address: string) => source.mediaPath(address, 'post 1')
    expect(media('/content/images/2020/a%20b.png?v=1')).toBe('content/images/2020/a%20b.png')
    expect(media('https://old.example/content/media/a.mp4')).toBe('content/media/a.mp4')
    expect(media('https://images.unsplash.com/photo-1')).toBeNull()
    expect(media('data:image/png;base64,AA==')).toBeNull()
  })
})
