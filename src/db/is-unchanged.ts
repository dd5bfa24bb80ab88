import { and, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/** Against lost updates: true while the columns named in `changes` still have their values in `current`. */
export function isUnchanged(table: PgTable, changes: object, current: object): SQL | undefined {
  const columns = getTableColumns(table)
  const same = Object.keys(changes).flatMap((name) => {
    const column = columns[name]
    const value = (current as Record<string, unknown>)[name]
    return column
      ? sql`${column} is not distinct from ${value === null ? sql`null` : sql.param(value, column)}`
      : []
  })
  return and(...same)
}
