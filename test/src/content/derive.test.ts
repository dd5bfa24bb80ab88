import { describe, expect, it } from 'vitest'
import { deriveText } from '../../../src/content/articles/text.ts'
import { bandOf, derivePost } from '../../../src/content/posts/derive.ts'
import type { PostInput } from '../../../src/content/posts/post.ts'
import { siteScope } from '../../support/scope.ts'

const derived = (fields: Partial<PostInput>) =>
  derivePost(siteScope(), { slug: 'a', title: 'T', contentHtml: '<p>Some words.</p>', ...fields })

const words = (count: number, word = 'word') => `<p>${`${word} `.repeat(count)}</p>`

describe('excerpt', () => {
  it('is the text, cut at a word boundary within 200 characters', () => {
    expect(deriveText({ contentHtml: '<p>Short &amp; sweet</p>' }).excerpt).toBe('Short & sweet')
    const { excerpt } = deriveText({ contentHtml: words(100) })
    expect(excerpt).toMatch(/^(word )+word…$/)
    expect(excerpt!.length).toBeGreaterThan(190)
    expect(excerpt!.length).toBeLessThanOrEqual(200)
    expect(deriveText({ contentHtml: 'x'.repeat(200) }).excerpt).toBe('x'.repeat(200))
  })

  it('cuts a text without spaces, but never inside a character', () => {
    expect(deriveText({ contentHtml: '語'.repeat(300) }).excerpt).toBe(`${'語'.repeat(199)}…`)
    const { excerpt } = deriveText({ contentHtml: '🙂'.repeat(300) })
    expect(excerpt!.isWellFormed()).toBe(true)
    expect(excerpt!.length).toBeLessThanOrEqual(200)
  })

  it('is null for a body without text, and an explicit one is kept', () => {
    expect(deriveText({ contentHtml: '<img src="a.png">' }).excerpt).toBeNull()
    expect(deriveText({ contentHtml: words(9), excerpt: 'Own' }).excerpt).toBe('Own')
    expect(deriveText({ contentHtml: words(9), excerpt: '' }).excerpt).toBe('')
  })
})

describe('readingTimeMinutes', () => {
  it.each([
    ['', 1],
    [words(200), 1],
    [words(201), 2],
    [words(1_000), 5],
    ['語'.repeat(500), 1],
    ['語'.repeat(501), 2],
    ['한국어'.repeat(500), 3],
    [`${words(100)}${'語'.repeat(250)}`, 1],
  ])('of a body (%#) is %i', (contentHtml, minutes) => {
    expect(deriveText({ contentHtml }).readingTimeMinutes).toBe(minutes)
  })

  it('is kept when given, even 0', () => {
    expect(deriveText({ contentHtml: words(999), readingTimeMinutes: 0 }).readingTimeMinutes).toBe(0)
  })
})

describe('bandOf', () => {
  it.each([
    [100, 'premium'],
    [85, 'premium'],
    [84.99, 'standard'],
    [70, 'standard'],
    [69.99, 'review'],
    [0, 'review'],
    [null, null],
    [undefined, null],
  ])('%s is %s', (score, band) => {
    expect(bandOf(score)).toBe(band)
  })
})

describe('seo', () => {
  it('has a description of at most 160 characters from the excerpt or text, in addition to the given fields', () => {
    expect(derived({ excerpt: 'Own' }).seo).toEqual({ metaDescription: 'Own' })
    expect(derived({ seo: { ogTitle: 'OG' } }).seo).toEqual({ ogTitle: 'OG', metaDescription: 'Some words.' })
    expect(derived({ seo: { metaDescription: 'Meta' }, excerpt: 'Own' }).seo).toEqual({
      metaDescription: 'Meta',
    })
    const { metaDescription } = derived({ contentHtml: words(100) }).seo!
    expect(metaDescription!.length).toBeLessThanOrEqual(160)
  })

  it('is null when there is nothing to derive', () => {
    expect(derived({ contentHtml: '' }).seo).toBeNull()
  })
})

describe('schemaBundle', () => {
  it('is kept when given', () => {
    const bundle = { article: { a: 1 }, breadcrumb: {}, faq: null }
    expect(derived({ schemaBundle: bundle, faqJsonLd: { b: 2 } }).schemaBundle).toEqual(bundle)
  })

  it('leaves out missing fields', () => {
    const { article, faq } = derived({ contentHtml: '' }).schemaBundle
    expect(Object.keys(article).sort()).toEqual(['@context', '@type', 'headline', 'mainEntityOfPage', 'url'])
    expect(faq).toBeNull()
  })

  it('has the URL of the post', () => {
    const { article } = derived({ language: 'de', slug: '日本' }).schemaBundle
    expect(article.url).toBe('https://site.example.com/de/blog/%E6%97%A5%E6%9C%AC')
  })
})
