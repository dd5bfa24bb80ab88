import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Context } from '../context.ts'
import { guides, posts, trainingRows } from '../db/schema.ts'

/** Covers the light fields of an article or a row, with a little to spare. */
const LIGHT_BYTES = 1_000

/** Approximate JSON bytes. Stops reading at `most`. */
export async function measureContent({ db }: Context, siteId: string, most: number): Promise<number> {
  const rows = Math.ceil(most / LIGHT_BYTES)
  const bytesOf = (table: PgTable): SQL => sql`(
    select coalesce(sum(bytes), 0) from (
      select wire_bytes + ${LIGHT_BYTES} as bytes from ${table} where site_id = ${siteId} limit ${rows}) as first_rows)`
  const result = await db.execute<{ bytes: string }>(
    sql`select ${sql.join([posts, guides, trainingRows].map(bytesOf), sql` + `)} as bytes`,
  )
  return Number(result.rows[0]!.bytes)
}
