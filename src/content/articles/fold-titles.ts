/** Folds titles set by SQL, whose lower() differs from the search fold, and titles folded by an earlier release. */
import { inArray, type SQL, sql } from 'drizzle-orm'
import { union } from 'drizzle-orm/pg-core'
import type { Context } from '../../context.ts'
import { FOLD_VERSION, foldCase } from '../../core/fold.ts'
import { guides, isFoldedBefore, isUnfolded, posts } from '../../db/schema.ts'
import { markSites } from '../../freshness/marks.ts'

/** Takes Postgres about 0.1 s, during which writers of these sites wait. */
const BATCH_ARTICLES = 500
/** Each takes three calls, and a Worker's calls are limited. */
const MAX_BATCHES = 10

/** Up to 5,000 titles; `updatedAt` stays. A site with wrong folds gets a new version, which the same sweep stores. */
export async function foldTitles(ctx: Context): Promise<number> {
  let folded = 0
  let batches = 0
  for (const table of [posts, guides]) {
    for (let isLeft = true; isLeft && batches < MAX_BATCHES; batches++) {
      const count = await foldBatch(ctx, table)
      folded += count
      isLeft = count === BATCH_ARTICLES
    }
  }
  return folded
}

async function foldBatch(ctx: Context, table: typeof posts | typeof guides): Promise<number> {
  const { id, siteId, title, titleFolded } = table
  // A union, because with `or` Postgres would read all non-ASCII titles instead of using one index per condition.
  const ids = (where: SQL) => ctx.db.select({ id }).from(table).where(where).limit(BATCH_ARTICLES)
  const found = await ctx.db
    .select({ id, siteId, title, titleFolded })
    .from(table)
    .where(inArray(id, union(ids(isUnfolded(table)), ids(isFoldedBefore(table, FOLD_VERSION)))))
    .limit(BATCH_ARTICLES)
  if (found.length === 0) return 0
  const rows = found.map((row) => ({ ...row, folded: foldCase(row.title) }))
  const siteIds = sitesOf(rows)
  await markSites(ctx, sitesOf(rows.filter((row) => row.folded !== row.titleFolded)))
  const titles = rows.map((row) => sql`(${row.id}::uuid, ${row.title}::text, ${row.folded}::text)`)
  const [, { rowCount }] = await ctx.db.batch([
    ctx.db.execute(sql`select lock_site(id) from unnest(${`{${siteIds.join()}}`}::uuid[]) id`),
    ctx.db.execute(sql`
      update ${table} set title_folded = t.folded, folded_from = t.title, fold_version = ${FOLD_VERSION}
      from (values ${sql.join(titles, sql`, `)}) t (id, title, folded)
      where ${id} = t.id and ${title} = t.title`),
  ])
  return rowCount
}

const sitesOf = (rows: { siteId: string }[]) => [...new Set(rows.map((row) => row.siteId))].sort()
