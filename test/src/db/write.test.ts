import { NeonDbError } from '@neondatabase/serverless'
import { expect, it } from 'vitest'
import { noteCommit } from '../../../src/db/write.ts'
import type { Committed } from '../../../src/foundation/context.ts'

const failure = (code?: string) => {
  const error = new NeonDbError('x')
  if (code) error.code = code
  return error
}

it.each<[string, (Error | null)[], Committed]>([
  ['succeeded', [null], 'yes'],
  ['was refused by Postgres', [failure('23505')], 'no'],
  ['was ended by a deadlock, and succeeded when it was run again', [failure('40P01'), null], 'yes'],
  ['got no reply', [failure()], 'unknown'],
  ['took too long', [new DOMException('x', 'TimeoutError')], 'unknown'],
  ['lost its connection', [failure('08006')], 'unknown'],
  ['succeeded before another that was refused', [null, failure('23505')], 'yes'],
  ['succeeded before another that got no reply', [null, failure()], 'unknown'],
])('what became of a transaction that %s is known or said to be unknown', async (_, results, committed) => {
  const written: { committed: Committed } = { committed: 'no' }
  for (const result of results) {
    const transaction = () => (result ? Promise.reject(result) : Promise.resolve())
    await noteCommit({ written }, transaction).catch(() => {})
  }
  expect(written.committed).toBe(committed)
})
