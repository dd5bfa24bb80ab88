import { expect, it } from 'vitest'
import { LruCache } from '../../../src/cache/lru-cache.ts'

/** With a key of one character and the overhead, a value of this size counts as one ENTRY. */
const VALUE = 510
const ENTRY = 1_024

it('evicts the least recently used value when there are too many bytes', () => {
  const cache = new LruCache<string>(8 * ENTRY, () => VALUE)
  for (let i = 0; i < 8; i++) cache.set(`${i}`, `value ${i}`)
  expect(cache.get('0')).toBe('value 0')
  cache.set('8', 'value 8')
  expect(cache.get('1')).toBeUndefined()
  expect(cache.get('0')).toBe('value 0')
})

it('counts a replaced value once', () => {
  const cache = new LruCache<string>(8 * ENTRY, () => VALUE)
  cache.set('a', 'kept')
  for (let i = 0; i < 100; i++) cache.set('b', `${i}`)
  expect(cache.get('a')).toBe('kept')
  expect(cache.get('b')).toBe('99')
})

it('does not cache a value larger than an eighth of the limit', () => {
  const cache = new LruCache<string>(8 * ENTRY, (value) => value.length)
  cache.set('a', 'x'.repeat(VALUE))
  expect(cache.get('a')).toHaveLength(VALUE)
  cache.set('a', 'x'.repeat(VALUE + 1))
  expect(cache.get('a')).toBeUndefined()
})

it('counts small and empty values too', () => {
  const cache = new LruCache<string>(8 * ENTRY, () => 0)
  for (let i = 0; i < 100; i++) cache.set(`empty ${i}`, '')
  const kept = Array.from({ length: 100 }, (_, i) => cache.get(`empty ${i}`)).filter((value) => value === '')
  expect(kept.length).toBeLessThan(16)
})
