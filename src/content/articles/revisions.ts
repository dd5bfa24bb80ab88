/** Old versions of posts and guides: triggers keep the values that each edit replaced. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { posts, revisions } from '../../db/schema.ts'
import { type ResourceAuthor, selectAuthor } from '../../people/audit-log.ts'
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
  // Reads the article first: the later values then include any edit in between.
  const stored = await readStored<Body>(ctx, kind, site, slug)
  const ofArticle = and(eq(revisions.siteId, site.id), eq(revisions.articleId, stored.id))
  // One transaction may have made several.
  const isEdit = and(ofArticle, eq(revisions.at, at))
  const last = sql`(select max(${revisions.updatedAt}) from ${revisions} where ${isEdit})`
  const [[edit, [author]], since] = await Promise.all([
    ctx.db.batch([selectOldest(ctx, site, isEdit), selectAuthor(ctx, site, stored.id, at)]),
    selectOldest(ctx, site, and(ofArticle, sql`${revisions.updatedAt} > ${last}`)),
  ])
  const before = bodyOf(edit)
  if (Object.keys(before).length === 0) return null
  const then = { ...stored.article, ...bodyOf(since) }
  return {
    id: stored.id,
    title: String(then.title),
    at,
    before,
    after: Object.fromEntries(Object.keys(before).map((name) => [name, then[name] ?? null])),
    old: { ...then, ...before },
    author,
  }
}

const bodyOf = ({ rows }: { rows: Record<string, unknown>[] }) => rows[0]!.body as Body

/** The oldest value of each field, as in the body of a put. The id of a deleted source stands for its slug. */
const selectOldest = ({ db }: Context, site: { id: string }, where: SQL | undefined) =>
  db.execute(sql`
    select coalesce(jsonb_object_agg(case field when 'sourcePostId' then 'sourceSlug' else field end, case field
      when 'sourcePostId' then to_jsonb(coalesce((select ${posts.slug} from ${posts}
        where ${posts.siteId} = ${site.id} and ${posts.id} = (value #>> '{}')::uuid), value #>> '{}'))
      when 'modifiedAt' then to_jsonb(wire_time((value #>> '{}')::timestamptz))
      else value end), '{}') as body
    from (
      select distinct on (field) field, value from ${revisions}, jsonb_each(${revisions.before}) as each(field, value)
      where ${where} order by field, ${revisions.updatedAt}
    ) oldest`)
