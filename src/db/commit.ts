/** Whether what a request has written is in the database, for an answer that has to say so after a failure. */
import type { Context } from '../context.ts'
import { databaseError } from './client.ts'

export type Committed = 'no' | 'unknown' | 'yes'

/** Codes of a connection that broke: the transaction may have been committed before. */
const BROKEN = /^(?:08|57P)/

/** Runs a transaction and notes whether it was committed: unknown if no reply came. */
export async function noteCommit<Result>(
  { written }: Pick<Context, 'written'>,
  transaction: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await transaction()
    if (written.committed === 'no') written.committed = 'yes'
    return result
  } catch (error) {
    const code = databaseError(error)?.code
    if (!code || BROKEN.test(code)) written.committed = 'unknown'
    throw error
  }
}
