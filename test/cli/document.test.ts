import { describe, expect, it } from 'vitest'
import { toDocument } from '../../src/cli/markdown/document.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (file: string, text: string) => toDocument('my blog', file, bytes(text))
const yaml = (fields: string, file = 'a.md') => read(file, `---\ntitle: T\n${fields}\n---\nbody`)

describe('front matter', () => {
  it('is read from YAML', () => {
    const fields = `title: 'Hello: world'\nslug: hi\ndate: 2024-05-06T07:08:09Z\nlang: fr\ndescription: D\ntags: [a, b, a]\ndraft: true\nsourceSlug: src`
    expect(read('x.md', `---\n${fields}\n---\n# H\n`)).toMatchObject({
      title: 'Hello: world',
      slug: 'hi',
      publishedAt: '2024-05-06T07:08:09.000Z',
      language: 'fr',
      excerpt: 'D',
      keywords: ['a', 'b'],
      status: 'draft',
      sourceSlug: 'src',
      contentHtml: '<h1 id="h">H</h1>',
    })
  })

  it('is read from TOML', () => {
    const text =
      '+++\ntitle = "T"\ndate = 2024-05-06\ndraft = false\nkeywords = ["k"]\nlocale = "pt_BR"\n+++\nbody'
    expect(read('x.md', text)).toMatchObject({
      title: 'T',
      publishedAt: '2024-05-06T00:00:00.000Z',
      status: 'published',
      keywords: ['k'],
      language: 'pt-BR',
      contentHtml: '<p>body</p>',
    })
  })

  it('may start with a byte order mark and end its lines with CR LF', () => {
    expect(read('x.md', '\ufeff---\r\ntitle: T\r\n---\r\nbody\r\n')).toMatchObject({
      title: 'T',
      contentHtml: '<p>body</p>',
    })
  })

  it('keeps numbers as they are written', () => {
    const { title, keywords } = read('x.md', '---\ntitle: 1.10\ntags: [2.0, 010]\n---\nbody')
    expect([title, ...keywords]).toEqual(['1.10', '2.0', '010'])
  })

  it.each([
    ['---\ntitle: a: b\n---\nx', /^front matter is not valid YAML: .* at line 1/],
    ['---\ntitle: [a\n---\nx', /^front matter is not valid YAML: /],
    ['---\n- a\n---\n# x', /^front matter is not a mapping/],
    [
      '---\na: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c]\ne: [*d, *d, *d, *d, *d, *d]\n---\n# x',
      /^front matter is not valid YAML: /,
    ],
    ['+++\ntitle = \n+++\nx', /^front matter is not valid TOML: /],
    ['---\ntitle: a\n\nbody', /^front matter is not closed/],
    ['+++\ntitle = "a"\nbody', /^front matter is not closed/],
  ])('that does not parse is refused: %j', (text, reason) => {
    expect(() => read('x.md', text)).toThrow(reason)
  })

  it('is optional, and a thematic break does not start it', () => {
    expect(read('x.md', '---\n\n# Only a heading').title).toBe('Only a heading')
  })
})

describe('title', () => {
  it('is the first heading without one in the front matter', () => {
    expect(read('x.md', 'a\n\n## B\n\n# C').title).toBe('B')
  })

  it('is required', () => {
    expect(() => read('x.md', 'only text')).toThrow('no title')
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
    ['x.md', 'slug: Hello World', 'Hello-World'],
    [`${'é'.repeat(90)}-${'x'.repeat(150)}.md`, '', `${'é'.repeat(90)}-${'x'.repeat(109)}`],
  ])('of %s with %j is %s', (file, fields, slug) => {
    expect(yaml(fields, file).slug).toBe(slug)
  })

  it('that cannot be derived refuses the file', () => {
    expect(() => yaml('slug: "!!!"')).toThrow('no slug can be made of "!!!"')
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
  ])('%s', (fields, at) => {
    expect(yaml(fields).publishedAt).toBe(at)
  })

  it('comes from a Jekyll file name when the front matter has none', () => {
    expect(yaml('', '2020-01-02-x.md').publishedAt).toBe('2020-01-02T00:00:00.000Z')
    expect(yaml('date: 2021-01-01', '2020-01-02-x.md').publishedAt).toBe('2021-01-01T00:00:00.000Z')
  })

  it.each(['soon', '2024-02-30', '2024-13-01', '01/02/2024', '2024-05-06T25:00:00Z', '[1]'])(
    'unreadable refuses the file: %s',
    (date) => {
      expect(() => yaml(`date: ${date}`)).toThrow('cannot read the date')
    },
  )
})

describe('status', () => {
  it.each([
    ['draft: true', 'draft'],
    ['draft: false', 'published'],
    ['published: false', 'draft'],
    ['published: true', 'published'],
    ['', undefined],
  ])('%j is %s', (fields, status) => {
    expect(yaml(fields).status).toBe(status)
  })
})

describe('a file that is not text is refused', () => {
  it.each([
    ['invalid UTF-8', new Uint8Array([0x23, 0x20, 0xff, 0xfe]), 'not valid UTF-8'],
    ['a NUL', bytes('# a\0b'), 'contains a NUL byte'],
    ['nothing', bytes(''), 'empty'],
    ['white space', bytes(' \n\n'), 'empty'],
  ])('%s', (_, content, reason) => {
    expect(() => toDocument('blog', 'x.md', content)).toThrow(reason)
  })
})
