import { expect, it } from 'vitest'
import { LruCache } from '../../src/lru-cache.ts'

/** A value of so many bytes takes so many with its key, of one character, and what keeps it. */
const VALUE = 510
const ENTRY = 1_024

it('forgets what was not used for longest when there are too many bytes', () => {
  const cache = new LruCache<string>(8 * ENTRY, () => VALUE)
  for (let i = 0; i < 8; i++) cache.set(`${i}`, `value ${i}`)
  expect(cache.get('0')).toBe('value 0')
  cache.set('8', 'value 8')
  expect(cache.get('1')).toBeUndefined()
  expect(cache.get('0')).toBe('value 0')
})

it('counts a value that takes the place of another once', () => {
  const cache = new LruCache<string>(8 * ENTRY, () => VALUE)
  cache.set('a', 'kept')
  for (let i = 0; i < 100; i++) cache.set('b', `${i}`)
  expect(cache.get('a')).toBe('kept')
  expect(cache.get('b')).toBe('99')
})

it('keeps nothing that is more than an eighth of it', () => {
  const cache = new LruCache<string>(8 * ENTRY, (value) => value.length)
  cache.set('a', 'x'.repeat(VALUE))
  expect(cache.get('a')).toHaveLength(VALUE)
  cache.set('a', 'x'.repeat(VALUE + 1))
  expect(cache.get('a')).toBeUndefined()
})

it('is not filled by values that are small, or empty', () => {
  const cache = new LruCache<string>(8 * ENTRY, () => 0)
  for (let i = 0; i < 100; i++) cache.set(`empty ${i}`, '')
  const kept = Array.from({ length: 100 }, (_, i) => cache.get(`empty ${i}`)).filter((value) => value === '')
  expect(kept.length).toBeLessThan(16)
})
