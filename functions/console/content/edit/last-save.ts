import { sql } from 'drizzle-orm'
import { selectResourceEntries } from '../../../../src/people/audit-log.ts'
import type { Http } from '../../../http/env.ts'
import { whoOf } from '../../audit-log/sentence.ts'

/** The latest edit, if the audit log still has it. */
export async function findLastSave(c: Http, noun: 'post' | 'guide', id: string) {
  const entries = await selectResourceEntries(c.get('ctx'), sql`(${id})`)
  const entry = entries.find(({ action }) => action === `${noun}.updated`)
  return entry && { who: whoOf(entry), at: entry.at }
}
