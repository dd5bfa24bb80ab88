/** Titles that SQL by hand has set: lower() of the database is not the fold that searches are made with. */
import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { guides, isUnfolded, posts } from '../db/schema.ts'
import { foldCase } from '../fold.ts'

/** Takes Postgres about 0.1 s, during which writers of these sites wait. */
const PART_ARTICLES = 500
const MAX_PARTS = 10

/**
 * Folds up to 5,000 titles of posts and as many of guides; their `updatedAt` stays, the version of their sites does not.
 *
 * @returns how many
 */
export async function foldTitles(ctx: Context): Promise<number> {
  return (await foldTitlesOf(ctx, posts)) + (await foldTitlesOf(ctx, guides))
}

async function foldTitlesOf({ db }: Context, table: typeof posts | typeof guides): Promise<number> {
  let folded = 0
  for (let part = 1; part <= MAX_PARTS; part++) {
    const { id, siteId, title } = table
    const rows = await db
      .select({ id, siteId, title })
      .from(table)
      .where(isUnfolded(table))
      .limit(PART_ARTICLES)
    if (rows.length === 0) break
    const siteIds = [...new Set(rows.map((row) => row.siteId))].sort()
    const titles = rows.map((row) => sql`(${row.id}::uuid, ${row.title}::text, ${foldCase(row.title)}::text)`)
    const [, { rowCount }] = await db.batch([
      db.execute(sql`select lock_site(id) from unnest(${`{${siteIds.join()}}`}::uuid[]) id`),
      db.execute(sql`
        update ${table} set title_folded = t.folded, folded_from = t.title
        from (values ${sql.join(titles, sql`, `)}) t (id, title, folded)
        where ${id} = t.id and ${title} = t.title`),
    ])
    folded += rowCount
  }
  return folded
}
