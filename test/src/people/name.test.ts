import { describe, expect, it } from 'vitest'
import { Name } from '../../../src/people/name.ts'

describe('a name', () => {
  it.each([
    ...[
      'a\u200cb',
      'a\u200db',
      'ж\u200dж',
      'ω\u200cω',
      'می\u200cb',
      'می\u200c',
      '\u200cمی',
      'می\u200c\u200cخ',
    ],
    ...['a\ufe0f', '1\ufe0f\u20e3', '#\ufe0f', '*\ufe0f', 'می\ufe0f', '☕\ufe0f\ufe0f', '☕\ufe0e'],
    ...['☕\u200d', '\u200d☕', '☕\u200da', 'a\u200d☕', '👩\u200d\u200d👩', '👩\u200c👩', '👩\u{e0067}'],
  ])('is not %j', async (name) => {
    expect(Name.safeParse(name).success).toBe(false)
  })

  it.each([
    ...[
      '☕\ufe0f Coffee',
      '❤\ufe0f\u200d🔥',
      '👩🏽\u200d⚕\ufe0f',
      '👨\u200d👩\u200d👧',
      '🏳\ufe0f\u200d🌈',
      '🇫🇷',
      '#1',
    ],
    ...['می\u200cخواهم', 'نامه\u200cای', 'ක්\u200dෂ', 'র\u200d্যাম', 'क\u094d\u200cष', 'क\u094d\u200dष'],
    ...['ܐ\u200cܒ', 'ᠠ\u200dᠨ', 'ߊ\u200dߋ'],
  ])('is %j', (name) => {
    expect(Name.parse(name)).toBe(name)
  })
})
