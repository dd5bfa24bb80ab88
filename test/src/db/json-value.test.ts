import { describe, expect, it } from 'vitest'
import { findUnstorable } from '../../../src/db/json-value.ts'

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value }
  return value
}

describe('findUnstorable', () => {
  it.each([
    [null],
    [true],
    [0],
    [-1.5e20],
    [1e-15],
    ['text'],
    ['🙂'],
    [[]],
    [{}],
    [{ a: [{ b: 'é' }] }],
    [nested(64)],
  ])('finds nothing in %j', (value) => {
    expect(findUnstorable(value)).toBeNull()
  })

  it.each([
    ['\0', '', 'must not contain NUL'],
    [{ title: 'a\0' }, 'title', 'must not contain NUL'],
    [
      { posts: [{}, { seo: { keywords: ['a', 'b\0'] } }] },
      'posts[1].seo.keywords[1]',
      'must not contain NUL',
    ],
    [{ title: '\ud800' }, 'title', 'must be well-formed Unicode'],
    [{ title: 'a\udc00b' }, 'title', 'must be well-formed Unicode'],
    [{ faq: { 'a\0b': 1 } }, 'faq', 'has a key that must not contain NUL'],
    [{ '\ud83d': 1 }, '', 'has a key that must be well-formed Unicode'],
    [[['\0']], '[0][0]', 'must not contain NUL'],
    [{ n: [1e21] }, 'n[0]', 'must be 0 or a number between 1e-15 and 1e21 in size'],
    [{ n: -1e-16 }, 'n', 'must be 0 or a number between 1e-15 and 1e21 in size'],
    [JSON.parse('{"faq": {"__proto__": 1}}'), 'faq', 'has a key that must not be __proto__'],
    [{ faq: Array(10_001).fill(0) }, 'faq', 'must have at most 10000 entries'],
  ])('finds the place and the rule (%#)', (value, path, message) => {
    expect(findUnstorable(value)).toEqual({ path, message })
  })

  it('refuses more than 64 levels, without exhausting the stack', () => {
    expect(findUnstorable(nested(65))?.message).toBe('must not be nested deeper than 64 levels')
    expect(findUnstorable(nested(200_000))?.message).toBe('must not be nested deeper than 64 levels')
  })
})
