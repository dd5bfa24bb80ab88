/** How much content a site has. */
import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Context } from '../context.ts'
import { guides, posts, trainingRows } from '../db/schema.ts'

/** Of an article or a row, what it has besides its heavy fields; a little too much. */
const BYTES_BESIDE = 1_000

/** The bytes of a site's content as JSON, about; `most` or more where it is more than that, for which not all of it is read. */
export async function measureContent({ db }: Context, siteId: string, most: number): Promise<number> {
  const rows = Math.ceil(most / BYTES_BESIDE)
  const bytesOf = (table: PgTable): SQL => sql`(
    select coalesce(sum(bytes), 0) from (
      select wire_bytes + ${BYTES_BESIDE} as bytes from ${table} where site_id = ${siteId} limit ${rows}) as first_rows)`
  const result = await db.execute<{ bytes: string }>(
    sql`select ${sql.join([posts, guides, trainingRows].map(bytesOf), sql` + `)} as bytes`,
  )
  return Number(result.rows[0]!.bytes)
}
