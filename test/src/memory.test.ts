import { expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'

it('forgets what was not used for longest when there are too many bytes', () => {
  const memory = new Memory<string>(80)
  for (let i = 0; i < 8; i++) memory.set(`${i}`, `value ${i}`, 10)
  expect(memory.get('0')).toBe('value 0')
  memory.set('8', 'value 8', 10)
  expect(memory.get('1')).toBeUndefined()
  expect(memory.get('0')).toBe('value 0')
})

it('counts a value that takes the place of another once', () => {
  const memory = new Memory<string>(80)
  memory.set('a', 'kept', 10)
  for (let i = 0; i < 100; i++) memory.set('b', `${i}`, 10)
  expect(memory.get('a')).toBe('kept')
  expect(memory.get('b')).toBe('99')
})

it('keeps nothing that is more than an eighth of it', () => {
  const memory = new Memory<string>(80)
  memory.set('a', 'small', 10)
  memory.set('a', 'large', 11)
  expect(memory.get('a')).toBeUndefined()
})
