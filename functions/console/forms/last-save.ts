import { findLastEntry, type Logged } from '../../../src/people/audit-log.ts'
import type { Http } from '../../http/env.ts'
import { whoOf } from '../audit-log/sentence.ts'

/** Who saved the other version and when, if the audit log still has it. */
export async function findLastSave(c: Http, logged: Logged) {
  const entry = await findLastEntry(c.get('ctx'), logged)
  return entry && { who: whoOf(entry), at: entry.at }
}
