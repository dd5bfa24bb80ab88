import { describe, expect, it } from 'vitest'
import { fold } from '../../src/fold.ts'

describe('fold', () => {
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
    expect(fold(one)).toBe(fold(other))
  })

  it('changes nothing when done again', () => {
    for (const text of ['Straße', 'ΟΔΟΣ', 'İI', 'Ångström', 'ΰ', '한국어', 'ŉ', 'ᾳ']) {
      expect(fold(fold(text)), text).toBe(fold(text))
    }
  })

  it('keeps what differs apart, and the parts of a text findable in it', () => {
    expect(fold('resume')).not.toBe(fold('résumé'))
    expect(fold('%_\\')).toBe('%_\\')
    expect(fold('Die Große Straße nach ΟΔΥΣΣΕΥΣ')).toContain(fold('STRASSE NACH οδυσσευς'))
  })
})
