/** The words of an import's report in the console. */
import { describe, expect, it } from 'vitest'
import { fieldWords, lossWords, placeWords, skipWords } from '../../../functions/console/transfer/words.ts'
import { REASONS } from '../../../src/cli/import/losses.ts'

const INTERNAL = /--\w|[a-z][A-Z]\w+[a-z]\b(?<!WordPress)|\w_\w|\[\w+\]|such field|\barticles?\b/

describe('the report of an import in the console', () => {
  it.each(Object.values(REASONS).flat())('says without flags and names of the API: %s', (reason) => {
    expect(lossWords({ reason, details: [], more: 0 }).replaceAll('WordPress', '')).not.toMatch(INTERNAL)
  })

  it.each([
    ['contentHtml', { label: 'Content' }],
    ['seo.ogTitle', { label: 'Social title' }],
    ['image.alt', { label: 'Image description' }],
    ['authors.bio', { label: 'Authors' }],
    ['schemaBundle.article.wordCount', { label: 'Structured data' }],
    ['publishedAt', { label: 'Published at' }],
    ['redirect_to', { label: 'Redirect' }],
    ['layout', { name: 'layout' }],
    ['wp:is_sticky', { name: 'wp:is_sticky' }],
  ])('calls the field %s by its label, or by its name at the source', (field, words) => {
    expect(fieldWords(field)).toEqual(words)
  })

  it('names details, places and what a field needs', () => {
    expect(lossWords({ reason: 'kept as text', details: ['{a}', '{b}'], more: 1_200 })).toBe(
      'Kept as text: {a}, {b} and 1,200 more',
    )
    expect(placeWords({ first: 'a.md', files: 1 })).toBe('a.md')
    expect(placeWords({ first: 'a.md', files: 12 })).toBe('a.md and 11 more')
    const issues = [
      { path: 'contentHtml', message: 'is required' },
      { path: 'tags[3]', message: 'must be a text' },
    ]
    expect(skipWords({ file: 'a.md', reason: 'Invalid body: …', issues })).toBe(
      'Content is required; Tags must be a text',
    )
    expect(skipWords({ file: 'a.md', reason: 'contains a NUL byte' })).toBe('Contains a NUL byte')
  })
})
