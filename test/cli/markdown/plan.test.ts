import { describe, expect, it } from 'vitest'
import { isLanguage } from '../../../src/cli/import/languages.ts'
import { toDocument } from '../../../src/cli/markdown/document.ts'
import { type PlanOptions, planArticles, toArticle } from '../../../src/cli/markdown/plan.ts'

function plan(files: Record<string, string>, options: Partial<PlanOptions> = {}) {
  const documents = Object.entries(files).map(([file, fields]) =>
    toDocument('blog', file, new TextEncoder().encode(`---\ntitle: T\n${fields}\n---\nbody`)),
  )
  const all = { as: 'posts' as const, defaultLanguage: 'en', ...options }
  const planned = planArticles(documents, all)
  return {
    planned: planned.map((one) => ({ file: one.document.file, ...toArticle(one, one.document, all) })),
  }
}

const slugs = (planned: ReturnType<typeof plan>) =>
  Object.fromEntries(planned.planned.map(({ file, article }) => [file, article.slug]))
const sources = (planned: ReturnType<typeof plan>) =>
  Object.fromEntries(planned.planned.map(({ article }) => [article.slug, article.sourceSlug]))

describe('folders named after languages', () => {
  it('are those in CLDR', () => {
    const names = 'ar pt-br zh-cn pt_BR zh-Hant npm wg release src fil community events 2024'.split(' ')
    expect(names.filter(isLanguage)).toEqual(['ar', 'pt-br', 'zh-cn', 'pt_BR', 'zh-Hant', 'fil'])
  })

  it('make translations of the files at the same path', () => {
    const planned = plan({ 'en/a/x.md': '', 'fr/a/x.md': '', 'pt-br/a/x.md': '', 'fr/b/x2.md': '' })
    expect(sources(planned)).toEqual({ x: undefined, 'x-fr': 'x', 'x-pt-br': 'x', 'x2-fr': undefined })
    expect(planned.planned.map(({ article }) => article.language)).toEqual(['en', 'fr', 'fr', 'pt-br'])
  })

  it("may be nested, next to files in the site's own language", () => {
    const planned = plan({ 'blog/x.md': '', 'blog/de/x.mdx': '', 'blog/npm/x.md': '' })
    expect(slugs(planned)).toEqual({ 'blog/x.md': 'x', 'blog/de/x.mdx': 'x-de', 'blog/npm/x.md': 'npm-x' })
  })

  it('without the default language use the first by name as the source', () => {
    const planned = plan({ 'tr/c.md': '', 'fa/c.md': '', 'fr/c.md': '' })
    expect(sources(planned)).toEqual({ 'c-fa': undefined, 'c-fr': 'c-fa', 'c-tr': 'c-fa' })
  })

  it("keep a translator's own slug", () => {
    const planned = plan({ 'en/x.md': 'slug: hello', 'fr/x.md': 'slug: bonjour', 'de/x.md': 'slug: hello' })
    expect(sources(planned)).toEqual({ hello: undefined, bonjour: 'hello', 'hello-de': 'hello' })
  })
})

describe('sourceSlug', () => {
  it('in the front matter links translations in any folders', () => {
    const planned = plan({ 'a.md': 'slug: hello', 'b.md': 'slug: hello-fr\nlang: fr\nsourceSlug: hello' })
    expect(sources(planned)).toEqual({ hello: undefined, 'hello-fr': 'hello' })
  })

  it('may name a post that already exists in the service', () => {
    expect(sources(plan({ 'b.md': 'sourceSlug: elsewhere' }))).toEqual({ b: 'elsewhere' })
  })
})

describe('two files with one slug', () => {
  it('get distinct slugs, the later one with its folder as a prefix', () => {
    const planned = plan({
      'release/x.md': '',
      'events/x.md': '',
      'release/y/index.md': '',
      'events/y.md': '',
    })
    expect(slugs(planned)).toEqual({
      'events/x.md': 'x',
      'events/y.md': 'y',
      'release/x.md': 'release-x',
      'release/y/index.md': 'release-y',
    })
  })

  it('get as many folder names as needed, without invalid ones, or else a number', () => {
    const files = {
      ...{ 'x.md': '', 'a/x.md': '', 'b/a/x.md': '', 'c/a/x.md': '', '_notes/x.md': '', '_posts/x.md': '' },
      ...{ 'p.md': 'slug: y', 'q.md': 'slug: y', 'q/r.md': 'slug: y', 'q/s.md': 'slug: y', 'y-2.md': '' },
    }
    const planned = plan(files)
    expect(slugs(planned)).toEqual({
      ...{ 'x.md': 'x-2', 'a/x.md': 'a-x', 'b/a/x.md': 'b-a-x', 'c/a/x.md': 'c-a-x' },
      ...{ '_notes/x.md': 'notes-x', '_posts/x.md': 'x' },
      ...{ 'p.md': 'y', 'q.md': 'y-3', 'q/r.md': 'q-y', 'q/s.md': 'y-4', 'y-2.md': 'y-2' },
    })
    expect(planned.planned.find(({ file }) => file === 'q.md')?.losses).toEqual([
      { field: 'slug', reason: 'the slug is taken by another post or guide', detail: 'y by p.md: it is y-3' },
    ])
  })

  it('keep the slug of an earlier import', () => {
    const files = { 'x.md': '', 'a/x.md': '', 'b/x.md': '', 'c/x.md': '' }
    const before = (given: Record<string, string>) => plan(files, { before: ({ file }) => given[file] })
    expect(slugs(before({ 'b/x.md': 'x', 'c/x.md': 'x-2' }))).toEqual({
      ...{ 'x.md': 'x-3', 'a/x.md': 'a-x', 'b/x.md': 'x', 'c/x.md': 'x-2' },
    })
  })

  it('get the same slugs in any order', () => {
    const files = { 'b/x.md': '', 'a/x.md': '', 'c/x.md': '' }
    const reversed = Object.fromEntries(Object.entries(files).reverse())
    expect(plan(files)).toEqual(plan(reversed))
  })
})

const UNDATED = 'its date cannot be read: imported as a draft'

describe('options', () => {
  it('--status overrides the default, but does not publish drafts or future posts', () => {
    const status = (fields: string, options = {}) => {
      const [one] = plan({ 'a.md': fields }, options).planned
      return [one?.article.status, ...(one?.losses ?? []).map(({ field, reason }) => `${field}: ${reason}`)]
    }
    const published = { status: 'published' } as const
    expect(status('', published)).toEqual(['published'])
    expect(status('draft: true', published)).toEqual([
      'draft',
      'status: marked as a draft: imported as a draft',
    ])
    expect(status('date: 9000-01-01', published)).toEqual([
      'draft',
      'status: dated in the future: imported as a draft',
    ])
    expect(status('draft: false\ndate: 9000-01-01')).toHaveLength(2)
    expect(status('draft: false', { status: 'draft' })).toEqual(['draft'])
    expect(status('draft: true')).toEqual(['draft'])
    expect(status('')).toEqual([undefined])
  })

  it.each([
    ['_drafts/a.md', '', 'in a folder of drafts: imported as a draft'],
    ['blog/_drafts/a.md', 'published: true', 'in a folder of drafts: imported as a draft'],
    ['a.md', 'headless: true', 'headless, without a page of its own: imported as a draft'],
    ['a.md', 'publish: false', 'marked as a draft: imported as a draft'],
    ['a.md', 'expiryDate: 2020-01-02', 'expired at 2020-01-02T00:00:00.000Z: imported as a draft'],
    ['a.md', 'draft: true', 'marked as a draft: imported as a draft'],
    ['a.md', 'date: 9000-01-01', 'dated in the future: imported as a draft'],
    ['a.md', 'date: 2024-02-31', UNDATED],
    ['a.md', 'expiryDate: soon\npublished: true', UNDATED],
    ['2024-02-31-a.md', '', UNDATED],
  ])('only with --include-drafts %s with %j is published', (file, fields, reason) => {
    const put = (options: Partial<PlanOptions>) => plan({ [file]: fields }, options).planned[0]
    const lost = reason === UNDATED ? [{ reason: 'not a date' }] : []
    expect(put({ status: 'published' })).toMatchObject({
      article: { status: 'draft' },
      losses: [...lost, { field: 'status', reason }],
    })
    expect(put({ status: 'published', includeDrafts: true })).toMatchObject({
      article: { status: 'published' },
      losses: lost,
    })
    expect(put({ status: 'draft' })).toMatchObject({ article: { status: 'draft' }, losses: lost })
  })

  it.each([
    ['private: true', 'restricted to some readers: imported as a draft'],
    ['password: secret', 'restricted to some readers: imported as a draft'],
    ['draft: true\nvisibility: members', 'marked as a draft: imported as a draft'],
    ['status: private', 'marked as a draft: imported as a draft'],
  ])('--include-drafts does not publish a file for some readers only: %j', (fields, reason) => {
    const [put] = plan({ 'a.md': fields }, { status: 'published', includeDrafts: true }).planned
    expect(put).toMatchObject({ article: { status: 'draft' }, losses: [{ field: 'status', reason }] })
  })

  it('a visible file is published, headless or not, until it expires', () => {
    const put = (fields: string) => plan({ 'drafts/a.md': fields }, { status: 'published' }).planned[0]
    for (const fields of ['', 'headless: false', 'expiryDate: 9000-01-01', 'publish: true']) {
      expect(put(fields)).toMatchObject({ article: { status: 'published' }, losses: [] })
    }
  })

  it('--language applies to files without a language', () => {
    const planned = plan({ 'a.md': '', 'b.md': 'lang: de', 'fr/c.md': '' }, { language: 'es' })
    expect(planned.planned.map(({ article }) => article.language)).toEqual(['es', 'de', 'fr'])
  })

  it('tags are the post’s tags, which the service gives to search engines', () => {
    expect(plan({ 'a.md': 'tags: x, y' }).planned[0]?.article).toMatchObject({ tags: ['x', 'y'] })
  })
})
