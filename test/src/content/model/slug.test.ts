import { describe, expect, it } from 'vitest'
import { SLUG } from '../../../../src/content/model/slug.ts'

describe('a slug', () => {
  it.each([
    ...'a 1 hello-world Hello_World v1.2.3 ~tilde ... .a a. - 日本語 привет'.split(' '),
    ...['cafe\u0301', 'हिन्दी', '١٢٣', '𠮷', 'x'.repeat(200), '𠮷'.repeat(200)],
  ])('is %s', (slug) => {
    expect(SLUG.test(slug)).toBe(true)
  })

  it.each([
    ...[
      '',
      '.',
      '..',
      'a b',
      'a/b',
      'a\\b',
      'a%20b',
      'a?b',
      'a#b',
      'a\0',
      'a\n',
      '\n',
      'a+b',
      'a:b',
      "a'b",
      'a"b',
    ],
    ...['<a>', 'a&b', '🙂', '\u200b', '\ud800', 'x'.repeat(201), 'a,b', 'a@b', '{slug}'],
  ])('is not %j', (slug) => {
    expect(SLUG.test(slug)).toBe(false)
  })
})
