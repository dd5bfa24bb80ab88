/** Old versions of posts and guides: triggers keep the values that each edit replaced. */
import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { revisions } from '../../db/schema.ts'
import { findAuthor, type ResourceAuthor } from '../../people/audit-log.ts'
import { readStored } from './edit.ts'
import type { Kind } from './kind.ts'

type Body = Record<string, unknown>

/** `before` and `after` have the fields that the edit changed. `old` is the whole article before it. */
export type Revision = {
  id: string
  title: string
  at: Date
  before: Body
  after: Body
  old: Body
  /** Undefined once its audit log entry is pruned. */
  author: ResourceAuthor | undefined
}

/** Query for a batch: the times of an article's revisions. */
export const selectRevisionTimes = ({ db }: Context, site: { id: string }, articleId: SQL) =>
  db
    .select({ at: revisions.at })
    .from(revisions)
    .where(and(eq(revisions.siteId, site.id), sql`${revisions.articleId} = ${articleId}`))
    .orderBy(desc(revisions.at))

/**
 * Several calls, because the texts of a large article fit no single response. @returns null unless it is kept @throws AppError
 * post_not_found or guide_not_found
 */
export async function readRevision(
  ctx: Context,
  site: { id: string },
  kind: Kind,
  slug: string,
  at: Date,
): Promise<Revision | null> {
  const stored = await readStored<Body>(ctx, kind, site, slug)
  const ofArticle = and(eq(revisions.siteId, site.id), eq(revisions.articleId, stored.id))
  const [revision] = await ctx.db
    .select({ before: revisions.before })
    .from(revisions)
    .where(and(ofArticle, eq(revisions.at, at)))
  if (!revision) return null
  const { before } = revision
  const since = await ctx.db.execute(sql`
    select coalesce(jsonb_object_agg(field, value), '{}') as later from (
      select distinct on (field) field, value from ${revisions}, jsonb_each(${revisions.before}) as each(field, value)
      where ${ofArticle} and ${revisions.at} > ${at.toISOString()}::timestamptz
      order by field, ${revisions.at}
    ) firsts`)
  const then = { ...stored.article, ...(since.rows[0]!.later as Body) }
  return {
    id: stored.id,
    title: String(then.title),
    at,
    before,
    after: Object.fromEntries(Object.keys(before).map((name) => [name, then[name] ?? null])),
    old: { ...then, ...before },
    author: await findAuthor(ctx, stored.id, at),
  }
}
