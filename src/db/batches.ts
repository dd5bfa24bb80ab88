import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from './client.ts'

const FIRST_BATCH_ROWS = 500
const MAX_BATCH_ROWS = 20_000
/** Well below the statement timeout. */
const BATCH_MS = 3_000
/** Per call, because a Worker's calls are limited. */
const MAX_BATCHES = 8
const TOTAL_MS = 10_000

export function deleteBatch(table: PgTable, where: SQL, rows: number): SQL {
  return sql`delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit ${rows}))`
}

/** Sizes each batch to take about three seconds. @returns false after ten seconds, with more left */
export async function inTimedBatches(
  runBatch: (rows: number) => Promise<{ isLast: boolean }>,
  firstRows = FIRST_BATCH_ROWS,
): Promise<boolean> {
  const end = Date.now() + TOTAL_MS
  for (let rows = firstRows, batches = 1; ; batches++) {
    const startedAt = Date.now()
    const { isLast } = await runBatch(rows)
    if (isLast) return true
    if (batches === MAX_BATCHES || Date.now() >= end) return false
    const factor = BATCH_MS / Math.max(Date.now() - startedAt, 1)
    rows = Math.min(MAX_BATCH_ROWS, Math.ceil(rows * Math.min(4, Math.max(0.25, factor))))
  }
}

/** Leaves the rest to the next call after ten seconds. @returns the number of rows */
export async function prune(
  { db }: { db: Database },
  table: PgTable,
  where: SQL,
  firstRows?: number,
): Promise<number> {
  let deleted = 0
  await inTimedBatches(async (rows) => {
    const { rowCount } = await db.execute(deleteBatch(table, where, rows))
    deleted += rowCount
    return { isLast: rowCount < rows }
  }, firstRows)
  return deleted
}
