import { describe, expect, it } from 'vitest'
import { foldCase } from '../../../src/core/fold.ts'

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
    ['Donau\u00addampf\u00adschiff', 'donaudampfschiff'],
    ['\ufeffZero\u200bwidth\u2060', 'zerowidth'],
    ['\u200fשלום\u200e', 'שלום'],
    ['\u2067left\u2069', 'left'],
    ['می\u200cخواهم', 'میخواهم'],
    ['क्\u200dष', 'क्ष'],
    ['❤\ufe0f', '❤'],
    ['👩\u200d🚀', '👩🚀'],
    ['e\u034f\u0301', 'é'],
  ])('makes %s equal to %s', (one, other) => {
    expect(foldCase(one)).toBe(foldCase(other))
  })

  it('is idempotent', () => {
    for (const text of [
      'Straße',
      'ΟΔΟΣ',
      'İI',
      'Ångström',
      'ΰ',
      '한국어',
      'e\u200d\u0301',
      'ŉ',
      'ᾳ',
      'İ\u0307',
    ]) {
      expect(foldCase(foldCase(text)), text).toBe(foldCase(text))
    }
  })

  it('keeps different texts different, and substrings findable', () => {
    expect(foldCase('resume')).not.toBe(foldCase('résumé'))
    expect(foldCase('a b')).not.toBe(foldCase('ab'))
    expect(foldCase('a\u00a0b\u2028c')).toBe('a\u00a0b\u2028c')
    expect(foldCase('%_\\')).toBe('%_\\')
    expect(foldCase('Die Große Straße nach ΟΔΥΣΣΕΥΣ')).toContain(foldCase('STRASSE NACH οδυσσευς'))
  })
})
