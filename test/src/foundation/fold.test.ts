import { describe, expect, it } from 'vitest'
import { foldCase } from '../../../src/foundation/fold.ts'

describe('foldCase', () => {
  it.each([
    ['Hello', 'hELLO'],
    ['Straße', 'STRASSE'],
    ['STRAẞE', 'strasse'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'οδος'],
    ['İstanbul', 'istanbul'],
    ['Café', 'CAFE\u0301'],
    ['ПРИВЕТ', 'привет'],
    ['ﬁne', 'FINE'],
    ['ΰ', 'Ϋ́'],
    ['Ǆ', 'ǆ'],
    ['𐐀', '𐐨'],
  ])('makes %s equal to %s', (one, other) => {
    expect(foldCase(one)).toBe(foldCase(other))
  })

  it('is idempotent', () => {
    for (const text of ['Straße', 'ΟΔΟΣ', 'İI', 'Ångström', 'ΰ', '한국어', 'ŉ', 'ᾳ', 'İ\u0307']) {
      expect(foldCase(foldCase(text)), text).toBe(foldCase(text))
    }
  })

  it('keeps different texts different, and substrings findable', () => {
    expect(foldCase('resume')).not.toBe(foldCase('résumé'))
    expect(foldCase('%_\\')).toBe('%_\\')
    expect(foldCase('Die Große Straße nach ΟΔΥΣΣΕΥΣ')).toContain(foldCase('STRASSE NACH οδυσσευς'))
  })
})
