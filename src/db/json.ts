/** Parsing one JSON text per row costs the Worker far less than parsing columns. */
import { is, type SQL, sql } from 'drizzle-orm'
import { type PgColumn, PgTimestamp } from 'drizzle-orm/pg-core'

export type Columns = Record<string, PgColumn | SQL>

export function jsonObject(columns: Columns): SQL<string> {
  const members = Object.entries(columns).map(([name, column]) => {
    const value = is(column, PgTimestamp) ? sql`wire_time(${column})` : column
    return sql`${value} as ${sql.identifier(name)}`
  })
  return sql`(select row_to_json(o)::text from (select ${sql.join(members, sql`, `)}) o)`
}

export function withMember(object: string, name: string, value: string): string {
  return `${object.slice(0, -1)},"${name}":${value}}`
}
