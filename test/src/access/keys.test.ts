import { describe, expect, it } from 'vitest'
import { generateKey, isKeyWellFormed } from '../../../src/access/keys.ts'

/** Checksums by zlib's crc32, in base62 with the digits 0-9, A-Z, a-z. */
const KEYS = [
  'hca_live_000000000000000000000000000000001b4BCr',
  'hca_live_abcdefghijklmnopqrstuvwxyzABCDEF2lKoNv',
  'hca_live_Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz455jAY',
]

describe('a well-formed key', () => {
  it.each(KEYS)('is %s', (key) => {
    expect(isKeyWellFormed(key)).toBe(true)
  })

  it('is every generated key, and no two are the same', () => {
    const keys = Array.from({ length: 500 }, generateKey)
    for (const key of keys) {
      expect(key).toMatch(/^hca_live_[0-9A-Za-z]{38}$/)
      expect(isKeyWellFormed(key)).toBe(true)
    }
    expect(new Set(keys).size).toBe(500)
  })

  it('uses all of base62 evenly', () => {
    const drawn = Array.from({ length: 2_000 }, () => generateKey().slice(9, 41)).join('')
    const counts = new Map<string, number>()
    for (const character of drawn) counts.set(character, (counts.get(character) ?? 0) + 1)
    expect(counts.size).toBe(62)
    // Six standard deviations around the mean of 1,032.
    for (const [character, count] of counts)
      expect(Math.abs(count - 64_000 / 62), character).toBeLessThan(195)
  })
})

describe('a malformed key', () => {
  it('has any character changed, or two adjacent ones swapped', () => {
    const key = KEYS[1]!
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === 'x' ? 'y' : 'x'
      expect(isKeyWellFormed(key.slice(0, at) + other + key.slice(at + 1)), String(at)).toBe(false)
      if (at > 9 && key[at] !== key[at - 1]) {
        const swapped = key.slice(0, at - 1) + key[at] + key[at - 1] + key.slice(at + 1)
        expect(isKeyWellFormed(swapped), `swap ${at}`).toBe(false)
      }
    }
  })

  it.each([
    ['nothing', ''],
    ['only the prefix', 'hca_live_'],
    ['too short', KEYS[0]!.slice(0, -1)],
    ['too long', `${KEYS[0]}0`],
    ['another prefix', KEYS[0]!.replace('live', 'test')],
    ['surrounding white space', ` ${KEYS[0]}`],
    ['a trailing line break', `${KEYS[0]}\n`],
    ['a digit of another script', KEYS[0]!.replace('0', '٠')],
  ])('is %s', (_, key) => {
    expect(isKeyWellFormed(key)).toBe(false)
  })
})
