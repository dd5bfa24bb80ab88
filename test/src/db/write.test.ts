import { NeonDbError } from '@neondatabase/serverless'
import { expect, it } from 'vitest'
import type { Context } from '../../../src/context.ts'
import { type Committed, writeAs } from '../../../src/db/write.ts'

const failure = (code?: string) => {
  const error = new NeonDbError('x')
  if (code) error.code = code
  return error
}

it.each<[string, (Error | null)[], Committed]>([
  ['succeeded', [null], 'yes'],
  ['was refused by Postgres', [failure('23505')], 'no'],
  ['was aborted by a deadlock, and succeeded on retry', [failure('40P01'), null], 'yes'],
  ['got no reply', [failure()], 'unknown'],
  ['took too long', [new DOMException('x', 'TimeoutError')], 'unknown'],
  ['lost its connection', [failure('08006')], 'unknown'],
  ['succeeded before another that was refused', [null, failure('23505')], 'yes'],
  ['succeeded before another that got no reply', [null, failure()], 'unknown'],
])('the outcome of a transaction that %s is known, or reported as unknown', async (_, results, committed) => {
  const written: { committed: Committed } = { committed: 'no' }
  for (const result of results) {
    const batch = async () => {
      if (result) throw result
      return []
    }
    const db = { execute() {}, batch } as unknown as Context['db']
    await writeAs({ db, written, actor: null, changesetId: '' }, [db.execute('')]).catch(() => {})
  }
  expect(written.committed).toBe(committed)
})

it.each([undefined, crypto.randomUUID()])(
  'a transaction that a deadlock aborted is tried three times (lock: %s)',
  async (lock) => {
    const written: { committed: Committed } = { committed: 'no' }
    let tries = 0
    const batch = async () => {
      tries += 1
      throw failure('40P01')
    }
    const db = { execute() {}, batch } as unknown as Context['db']
    const writing = writeAs(
      { db, written, actor: null, changesetId: '' },
      [db.execute('')],
      lock ? { lock } : {},
    )
    await expect(writing).rejects.toMatchObject({ code: '40P01' })
    expect([tries, written.committed]).toEqual([3, 'no'])
  },
)
