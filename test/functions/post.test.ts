import { describe, expect } from 'vitest'
import { apiNames } from '../../src/content/articles/field-table.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'
import { FULL_POST, rateOf, WIRE_TIME } from '../support/content.ts'
import { errorOf, it, makeSite } from '../support/site.ts'

const NAMES = apiNames(POST_FIELDS).all

describe('200', () => {
  it('returns every field as it was put', async ({ site }) => {
    const { id: sourcePostId } = await site.put('source', { language: 'en' })
    const { id, updatedAt } = await site.put('full', FULL_POST)
    const shown = Object.fromEntries(Object.entries(FULL_POST).filter(([name]) => NAMES.includes(name)))
    expect(await site.json('/posts/full?include=provenance')).toEqual({
      ...shown,
      id,
      updatedAt,
      sourcePostId,
    })
  })

  it('keeps the source’s publishedAt, or sets it once at the first publication', async ({ site }) => {
    await site.put('imported', { status: 'published', publishedAt: '2001-02-03T04:05:06+01:00' })
    expect(await site.json('/posts/imported')).toMatchObject({ publishedAt: '2001-02-03T03:05:06.000Z' })
    await site.put('own')
    expect(await site.json('/posts/own')).toMatchObject({ status: 'draft', publishedAt: null })
    await site.manage('PUT', '/posts/own/publication')
    const { publishedAt } = await site.json('/posts/own')
    expect(publishedAt).toMatch(WIRE_TIME)
    await site.manage('DELETE', '/posts/own/publication')
    expect(await site.json('/posts/own')).toMatchObject({ status: 'draft', publishedAt })
    await site.manage('PUT', '/posts/own/publication')
    expect(await site.json('/posts/own')).toMatchObject({ status: 'published', publishedAt })
  })

  it('finds a slug in any script', async ({ site }) => {
    for (const slug of ['日本語の記事', 'cafe\u0301', 'with.dots_and~tilde', '...', '१२३', 'x'.repeat(200)]) {
      await site.put(encodeURIComponent(slug))
      expect(await site.json(`/posts/${encodeURIComponent(slug)}`)).toMatchObject({ slug: slug.normalize() })
    }
  })
})

describe('include', () => {
  const provenance = {
    sources: [
      {
        url: 'https://source.example.com/1',
        title: 'One',
        publisher: 'Press',
        retrievedAt: '2026-01-01T00:00:00Z',
        claims: ['It is so.'],
      },
      { url: 'https://source.example.com/2', title: 'Two' },
    ],
    generatedBy: 'writer-3',
  }

  it('adds provenance only when it is requested and set, among other values or twice', async ({ site }) => {
    await site.put('a', { provenance })
    const { provenance: _, ...plain } = await site.json('/posts/a?include=provenance')
    expect(_).toEqual(provenance)
    const twice = await site.get('/posts/a?include=provenance&include=provenance')
    expect(await errorOf(twice, 400)).toBe('Invalid query parameter: include must be given once')
    for (const include of [
      'provenance,provenance',
      'author,provenance',
      '%20provenance%20,x',
      ',provenance,',
    ]) {
      expect(await site.json(`/posts/a?include=${include}`), include).toEqual({ ...plain, provenance })
    }
    await site.put('without')
    for (const below of ['a', 'a?include=', 'a?include=Provenance', 'without?include=provenance'])
      expect(await site.json(`/posts/${below}`), below).not.toHaveProperty('provenance')
  })
})

describe('404', () => {
  it('is the answer to an unknown or an invalid slug, and counts', async ({ site }) => {
    await site.put('there')
    const missing = "nowhere There %00 there%00 % %zz %25 %FF a%2Fb %20 ' %5C %F0%9F%99%82 there%20".split(
      ' ',
    )
    for (const [n, slug] of [...missing, 'x'.repeat(201)].entries()) {
      const response = await site.get(`/posts/${slug}`)
      expect(rateOf(response), slug).toMatchObject({ limit: 1_000, remaining: 999 - n })
      expect(response.headers.get('ETag')).toBeNull()
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(await errorOf(response, 404), slug).toBe('Post not found')
    }
  })

  it('is the answer for another site’s post, a guide and a deleted post', async ({ site }) => {
    const other = await makeSite()
    await other.put('theirs')
    await site.put('gone')
    await site.manage('DELETE', '/posts/gone')
    await site.manage('PUT', '/guides/guide', { title: 'G', contentHtml: '', status: 'published' })
    for (const slug of ['theirs', 'gone', 'guide']) {
      expect(await errorOf(await site.get(`/posts/${slug}`), 404), slug).toBe('Post not found')
    }
  })

  it('does not resolve `..` in a slug', async ({ site }) => {
    for (const slug of ['..', '%2e%2e', '%2E.', '', 'a/b', 'a/']) {
      expect(await errorOf(await site.get(`/posts/${slug}`), 404), slug).toBe('Not found')
    }
  })
})
