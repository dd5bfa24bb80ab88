import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from './client.ts'

const FIRST_PART_ROWS = 500
const MAX_PART_ROWS = 20_000
/** Well below the statement timeout. */
const PART_MS = 3_000
/** Per call, because a Worker's calls are limited. */
const MAX_PARTS = 8
const PARTS_MS = 10_000

export function deletePart(table: PgTable, where: SQL, rows: number): SQL {
  return sql`delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit ${rows}))`
}

/** Sizes each part to take about three seconds. @returns false after ten seconds, with more left */
export async function inParts(part: (rows: number) => Promise<{ isLast: boolean }>): Promise<boolean> {
  const end = Date.now() + PARTS_MS
  for (let rows = FIRST_PART_ROWS, parts = 1; ; parts++) {
    const startedAt = Date.now()
    const { isLast } = await part(rows)
    if (isLast) return true
    if (parts === MAX_PARTS || Date.now() >= end) return false
    const factor = PART_MS / Math.max(Date.now() - startedAt, 1)
    rows = Math.min(MAX_PART_ROWS, Math.ceil(rows * Math.min(4, Math.max(0.25, factor))))
  }
}

/** Leaves the rest to the next call after ten seconds. @returns the number of rows */
export async function prune({ db }: { db: Database }, table: PgTable, where: SQL): Promise<number> {
  let deleted = 0
  await inParts(async (rows) => {
    const { rowCount } = await db.execute(deletePart(table, where, rows))
    deleted += rowCount
    return { isLast: rowCount < rows }
  })
  return deleted
}
