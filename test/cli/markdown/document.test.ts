import { describe, expect, it } from 'vitest'
import { toDocument } from '../../../src/cli/markdown/document.ts'
import { bundleArticle } from '../support/bundle.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (file: string, text: string) => toDocument('my blog', file, bytes(text))
const article = (file: string, text: string) => read(file, text).article
const yaml = (fields: string, file = 'a.md') => read(file, `---\ntitle: T\n${fields}\n---\nbody`)

describe('front matter', () => {
  it('is read from YAML', () => {
    const fields = `title: 'Hello: world'\nslug: hi\ndate: 2024-05-06T07:08:09Z\nlang: fr\ndescription: D\ntags: [a, b, a]\ndraft: true\nsourceSlug: src`
    expect(read('x.md', `---\n${fields}\n---\n# H\n`)).toMatchObject({
      slug: 'hi',
      language: 'fr',
      sourceSlug: 'src',
      article: {
        title: 'Hello: world',
        publishedAt: '2024-05-06T07:08:09.000Z',
        excerpt: 'D',
        tags: ['a', 'b'],
        status: 'draft',
        contentHtml: '<h1 id="h">H</h1>',
      },
      losses: [],
    })
  })

  it('is read from TOML', () => {
    const text =
      '+++\ntitle = "T"\ndate = 2024-05-06\ndraft = false\nkeywords = ["k"]\nlocale = "pt_BR"\n+++\nbody'
    expect(read('x.md', text)).toMatchObject({
      language: 'pt-BR',
      article: {
        title: 'T',
        publishedAt: '2024-05-06T00:00:00.000Z',
        status: 'published',
        tags: ['k'],
        contentHtml: '<p>body</p>',
      },
    })
  })

  it.each([
    '{ "title": "a } b", "tags": ["x"], "weight": 1 }\n\nbody',
    '---json\n{ "title": "a } b", "tags": ["x"], "weight": 1 }\n---\nbody',
    '---toml\ntitle = "a } b"\ntags = ["x"]\nweight = 1\n---\nbody',
  ])('is read in the format that it names: %j', (text) => {
    expect(read('x.md', text)).toMatchObject({
      article: { title: 'a } b', contentHtml: '<p>body</p>', tags: ['x'] },
      losses: [{ field: 'weight', reason: 'posts have no such field' }],
    })
  })

  it('may start with a byte order mark and end its lines with CR LF', () => {
    expect(article('x.md', '\ufeff---\r\ntitle: T\r\n---\r\nbody\r\n')).toMatchObject({
      title: 'T',
      contentHtml: '<p>body</p>',
    })
  })

  it('keeps numbers as they are written', () => {
    const { title, tags } = article('x.md', '---\ntitle: 1.10\ntags: [2.0, 010]\n---\nbody')
    expect({ title, tags }).toEqual({ title: '1.10', tags: ['2.0', '010'] })
  })

  it.each([
    [
      '---\ntitle: "a\n---\nx',
      /^line 3: the front matter is not valid YAML: a quote, bracket or comma is missing$/,
    ],
    [
      '---\ntitle: a: b\n---\nx',
      /^line 2: the front matter is not valid YAML: a text with a colon needs quotes$/,
    ],
    [
      '<!-- a\nb -->\r\n\r\n---\r\na: 1\r\ntitle: @b\r\n---\r\nx',
      /^line 6: the front matter .* special character needs quotes$/,
    ],
    ['---\ntitle: [unclosed\ndate: 1\n---\nx', /^line 3: the front matter is not valid YAML$/],
    ['---\n- a\n---\n# x', /^front matter is not a mapping/],
    [
      '---\na: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c]\ne: [*d, *d, *d, *d, *d, *d]\n---\n# x',
      /^front matter is not valid YAML: /,
    ],
    ['+++\ntitle = \n+++\nx', /^line 2: the front matter is not valid TOML$/],
    ['{ "title": "a"\n\nbody', /^front matter is not closed/],
    ['{ "title": }\nbody', /^front matter is not valid JSON: /],
  ])('that does not parse is refused: %j', (text, reason) => {
    expect(() => read('x.md', text)).toThrow(reason)
  })

  it('is optional, and a thematic break does not start it', () => {
    expect(article('x.md', '---\n\n# Only a heading').title).toBe('Only a heading')
  })
})

describe('title', () => {
  it('is the first heading when the front matter has none', () => {
    expect(article('x.md', 'a\n\n## B\n\n# C').title).toBe('B')
  })

  it.each([
    ['# T\n\ntext', '<p>text</p>'],
    ['<h1>T</h1>\n\ntext', '<p>text</p>'],
    ['before\n\n# T', '<p>before</p>\n<h1 id="t">T</h1>'],
    ['# [T](a.md)', '<h1 id="t"><a href="a.md">T</a></h1>'],
    ['---\ntitle: T\n---\n# T', '<h1 id="t">T</h1>'],
  ])('that was the heading of the body is removed from it: %j', (text, html) => {
    expect(article('x.md', text)).toMatchObject({ title: 'T', contentHtml: html })
  })

  it.each([
    ['hello-big_world.md', 'Hello big world'],
    ['2020-01-02-hello-world.md', 'Hello world'],
    ['My note.md', 'My note'],
    ['hello/index.md', 'Hello'],
  ])('is the file name without a heading, which is named: %s', (file, title) => {
    expect(read(file, 'only text')).toMatchObject({
      article: { title, contentHtml: '<p>only text</p>' },
      losses: [{ field: 'title', reason: 'it has no title: the name of its file is used', detail: title }],
    })
  })
})

describe('slug', () => {
  it.each([
    ['release/v22.0.0.md', '', 'v22.0.0'],
    ['2025-06-28-Emelia-Smith.md', '', 'Emelia-Smith'],
    ['hello/index.md', '', 'hello'],
    ['fr/hello/index.mdx', '', 'hello'],
    ['index.md', '', 'my-blog'],
    ['a b & c!.md', '', 'a-b-c'],
    ['வணக்கம்.md', '', 'வணக்கம்'],
    ['x.md', 'slug: /blog/2024/hello/', 'hello'],
    ['x.md', 'slug: 2024', '2024'],
    ['x.md', 'permalink: /2024/hello.html', 'hello'],
    ['x.md', 'url: /hello/index.html', 'hello'],
    ['x.md', 'permalink: /a/b/\nslug: c', 'c'],
    ['x.md', 'permalink: /:year/:title/', 'x'],
    ['x.md', 'slug: Hello World', 'Hello-World'],
    [`${'é'.repeat(90)}-${'x'.repeat(150)}.md`, '', `${'é'.repeat(90)}-${'x'.repeat(109)}`],
  ])('of %s with %j is %s', (file, fields, slug) => {
    expect(yaml(fields, file).slug).toBe(slug)
  })

  it('that cannot be derived makes the file invalid', () => {
    expect(() => yaml('slug: "!!!"')).toThrow('no slug can be derived from "!!!"')
    expect(() => yaml('slug: ".."')).toThrow('no slug')
  })
})

describe('date', () => {
  it.each([
    ['date: 2024-05-06', '2024-05-06T00:00:00.000Z'],
    ['date: 2024-5-6 7:08', '2024-05-06T07:08:00.000Z'],
    ['date: 2024-05-06 07:08:09 +0200', '2024-05-06T05:08:09.000Z'],
    ["pubDate: '2024-05-06T07:08:09.123-05:00'", '2024-05-06T12:08:09.123Z'],
    ['publishedAt: May 6, 2024', '2024-05-06T00:00:00.000Z'],
    ['date: Mon, 06 May 2024 07:08:09 GMT', '2024-05-06T07:08:09.000Z'],
    ['published: 2024-05-06', '2024-05-06T00:00:00.000Z'],
    ['date: 2024-05-06 07:08:09 UTC+02:00', '2024-05-06T05:08:09.000Z'],
    ['date: 2024-05-06 07:08:09 UTC-0300', '2024-05-06T10:08:09.000Z'],
    ...`published_at publishedDate published_date publishedOn publish_date pub_date datePublished date_published postDate
      post_date posted created created_at createdAt dateCreated date_created`
      .split(/\s+/)
      .map((name) => [`${name}: 2024-05-06`, '2024-05-06T00:00:00.000Z']),
    ['created: 2023-01-02\ndate: 2024-05-06', '2024-05-06T00:00:00.000Z'],
  ])('%s', (fields, at) => {
    expect(yaml(fields).article.publishedAt).toBe(at)
  })

  it.each(['2020-01-02-x.md', '2020-01-02_x.md', '2020-01-02.md', '2020_01_02.md'])(
    'comes from the file name %s when the front matter has none',
    (file) => {
      expect(yaml('', file).article.publishedAt).toBe('2020-01-02T00:00:00.000Z')
    },
  )

  it('in the front matter takes precedence over the file name', () => {
    expect(yaml('date: 2021-01-01', '2020-01-02-x.md').article.publishedAt).toBe('2021-01-01T00:00:00.000Z')
  })

  it.each(['soon', '2024-02-30', '{{date}}', '2024-13-01', '01/02/2024', '2024-05-06T25:00:00Z', '[1]'])(
    'that is unreadable is lost, and named: %s',
    (date) => {
      const { article, losses } = yaml(`publishDate: ${date}\ndate: 2024-01-02`)
      expect(article.publishedAt).toBe('2024-01-02T00:00:00.000Z')
      expect(losses).toMatchObject([{ field: 'publishDate', reason: 'not a date' }])
    },
  )
})

describe('status', () => {
  it.each([
    ['draft: true', 'draft'],
    ['draft: false', 'published'],
    ['published: false', 'draft'],
    ['published: true', 'published'],
    ['status: Draft', 'draft'],
    ['status: published', 'published'],
    ['status: publish', 'published'],
    ['status: in review', 'draft'],
    ['status: archived', 'draft'],
    ['draft: perhaps', 'draft'],
    ['isDraft: true', 'draft'],
    ['is_draft: true', 'draft'],
    ['private: true', 'draft'],
    ['hidden: true', 'draft'],
    ['hidden: false', undefined],
    ['public: false', 'draft'],
    ['isPublished: false', 'draft'],
    ['visibility: private', 'draft'],
    ['visibility: public', undefined],
    ['public: true', undefined],
    ['password: secret', 'draft'],
    ["password: ''", undefined],
    ['', undefined],
  ])('%j is %s', (fields, status) => {
    expect(yaml(fields).article.status).toBe(status)
  })
})

describe('a binary file is refused', () => {
  it.each([
    ['invalid UTF-8', new Uint8Array([0x23, 0x20, 0xff, 0xfe]), 'not valid UTF-8'],
    ['a NUL', bytes('# a\0b'), 'contains a NUL byte'],
    ['nothing', bytes(''), 'empty'],
    ['white space', bytes(' \n\n'), 'empty'],
  ])('%s', (_, content, reason) => {
    expect(() => toDocument('blog', 'x.md', content)).toThrow(reason)
  })
})

describe('a generator’s own name for a field', () => {
  it('is mapped', () => {
    const fields = `
author: Ada
categories: [News, Code]
tags: a, b
keywords: [c]
cover: { image: ./c.png, alt: A boat, relative: true }
canonical: https://old.example/x
lastmod: 2024-05-06
summary: S
description: D
seo: { title: ST, robots: none }
params: { weight: 3 }
aliases: [/y/]
permalink: /z/`
    expect(yaml(fields)).toMatchObject({
      slug: 'z',
      addresses: ['/z/', '/y/'],
      canonical: 'https://old.example/x',
      article: {
        excerpt: 'S',
        seo: { metaDescription: 'D', ogTitle: 'ST' },
        authors: [{ name: 'Ada' }],
        image: { url: './c.png', alt: 'A boat' },
        categories: ['News', 'Code'],
        tags: ['c', 'a', 'b'],
        canonicalUrl: 'https://old.example/x',
        modifiedAt: '2024-05-06T00:00:00.000Z',
      },
      losses: [
        { field: 'cover.relative', reason: 'posts have no such field' },
        { field: 'seo.robots', reason: 'posts have no such field' },
        { field: 'params.weight', reason: 'posts have no such field' },
      ],
    })
  })

  it('has authors as texts and mappings, one or many', () => {
    const author = (fields: string) => bundleArticle(yaml(fields).article).author
    expect(author('authors: [{ name: Ada, url: /ada, email: x }, Bob]')).toEqual([
      { '@type': 'Person', name: 'Ada', url: '/ada' },
      { '@type': 'Person', name: 'Bob' },
    ])
    expect(author('author: { name: Ada }')).toEqual({ '@type': 'Person', name: 'Ada' })
  })

  it.each(['canonical: /x', 'permalink: /:title/', 'author: { email: x }', 'draft: perhaps'])(
    'is named if its value cannot be read: %s',
    (fields) => {
      const reason = 'its value cannot be read, or another field with that meaning is used'
      expect(yaml(fields).losses).toEqual([{ field: fields.split(':')[0], reason }])
    },
  )
})

describe('lists of Jekyll', () => {
  const lists = (file: string) => {
    const { tags, categories } = yaml('tags: one two\ncategories: News Code', file).article
    return [tags, categories]
  }

  it('are split at spaces', () => {
    for (const file of ['_posts/a.md', 'x/_drafts/a.md', '2020-01-02-a.md']) {
      expect(lists(file)).toEqual([
        ['one', 'two'],
        ['News', 'Code'],
      ])
    }
    expect(lists('a.md')).toEqual([['one two'], ['News Code']])
  })
})

describe('an unsupported value is named', () => {
  it('if it has control characters', () => {
    expect(read('a.md', '---\ntitle: A\u0007B\n---\na\u001bb\tc')).toMatchObject({
      article: { title: 'AB', contentHtml: '<p>ab\tc</p>' },
      losses: ['U+0007', 'U+001B'].map((detail) => ({
        field: 'contentHtml',
        reason: 'a control character is left out',
        detail,
      })),
    })
  })

  it.each([
    ['emoji-🚀.md', ''],
    ['a.md', 'slug: emoji-🚀'],
  ])('and if a slug has emoji: %s %s', (file, fields) => {
    expect(yaml(fields, file)).toMatchObject({
      slug: 'emoji',
      losses: [{ field: 'slug', reason: 'has characters that a slug cannot have', detail: 'it is emoji' }],
    })
  })
})

it('keeps every old URL, however many a file has', () => {
  const aliases = Array.from({ length: 1_000 }, (_, i) => `/a${i}`)
  expect(yaml(`aliases: [${aliases}]`).addresses).toEqual(aliases)
})

describe('a file of an export', () => {
  it('is imported exactly as it is', () => {
    const html = ' <p onclick="x">a</p>\r\n{{< b >}}\n\n'
    const fields =
      'title: "1.0"\nslug: s\nreadingTimeMinutes: 5\nseo: { ogTitle: T }\nbodyFormat: html\nkind: guides'
    expect(read('fr/x.md', `---\n${fields}\n---\n${html}`)).toMatchObject({
      slug: 's',
      exported: 'guides',
      language: undefined,
      article: { title: '1.0', readingTimeMinutes: 5, seo: { ogTitle: 'T' }, contentHtml: html },
      losses: [],
    })
  })
})
