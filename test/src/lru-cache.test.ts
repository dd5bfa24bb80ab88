import { expect, it } from 'vitest'
import { LruCache } from '../../src/lru-cache.ts'

/** A value of so many bytes takes so many with its key, of one character, and what keeps it. */
const VALUE = 510
const ENTRY = 1_024

it('forgets what was not used for longest when there are too many bytes', () => {
  const memory = new LruCache<string>(8 * ENTRY)
  for (let i = 0; i < 8; i++) memory.set(`${i}`, `value ${i}`, VALUE)
  expect(memory.get('0')).toBe('value 0')
  memory.set('8', 'value 8', VALUE)
  expect(memory.get('1')).toBeUndefined()
  expect(memory.get('0')).toBe('value 0')
})

it('counts a value that takes the place of another once', () => {
  const memory = new LruCache<string>(8 * ENTRY)
  memory.set('a', 'kept', VALUE)
  for (let i = 0; i < 100; i++) memory.set('b', `${i}`, VALUE)
  expect(memory.get('a')).toBe('kept')
  expect(memory.get('b')).toBe('99')
})

it('keeps nothing that is more than an eighth of it', () => {
  const memory = new LruCache<string>(8 * ENTRY)
  memory.set('a', 'small', VALUE)
  memory.set('a', 'large', VALUE + 1)
  expect(memory.get('a')).toBeUndefined()
})

it('is not filled by values that are small, or empty', () => {
  const memory = new LruCache<string>(8 * ENTRY)
  for (let i = 0; i < 100; i++) memory.set(`empty ${i}`, '', 0)
  const kept = Array.from({ length: 100 }, (_, i) => memory.get(`empty ${i}`)).filter((value) => value === '')
  expect(kept.length).toBeLessThan(16)
})
