/** Titles that SQL by hand has set: lower() of the database is not the fold that searches are made with. */
import { sql } from 'drizzle-orm'
import { guides, isUnfolded, posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { foldCase } from '../../foundation/fold.ts'
import { markSites } from '../../freshness/marks.ts'

/** Takes Postgres about 0.1 s, during which writers of these sites wait. */
const PART_ARTICLES = 500
const MAX_PARTS = 10

/**
 * Folds up to 5,000 titles of posts and as many of guides; their `updatedAt` stays. Where `title_folded` was wrong, the site
 * gets a new version and is marked, so that the next minute publishes it.
 *
 * @returns how many
 */
export async function foldTitles(ctx: Context): Promise<number> {
  return (await foldTitlesOf(ctx, posts)) + (await foldTitlesOf(ctx, guides))
}

async function foldTitlesOf(ctx: Context, table: typeof posts | typeof guides): Promise<number> {
  let folded = 0
  for (let part = 1; part <= MAX_PARTS; part++) {
    const { id, siteId, title, titleFolded } = table
    const found = await ctx.db
      .select({ id, siteId, title, titleFolded })
      .from(table)
      .where(isUnfolded(table))
      .limit(PART_ARTICLES)
    if (found.length === 0) break
    const rows = found.map((row) => ({ ...row, folded: foldCase(row.title) }))
    const siteIds = sitesOf(rows)
    await markSites(ctx, sitesOf(rows.filter((row) => row.folded !== row.titleFolded)))
    const titles = rows.map((row) => sql`(${row.id}::uuid, ${row.title}::text, ${row.folded}::text)`)
    const [, { rowCount }] = await ctx.db.batch([
      ctx.db.execute(sql`select lock_site(id) from unnest(${`{${siteIds.join()}}`}::uuid[]) id`),
      ctx.db.execute(sql`
        update ${table} set title_folded = t.folded, folded_from = t.title
        from (values ${sql.join(titles, sql`, `)}) t (id, title, folded)
        where ${id} = t.id and ${title} = t.title`),
    ])
    folded += rowCount
  }
  return folded
}

const sitesOf = (rows: { siteId: string }[]) => [...new Set(rows.map((row) => row.siteId))].sort()
