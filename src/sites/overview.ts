/** The sites of the workspace with what its operators look for first: posts, failing deliveries, the day's requests. */
import { and, desc, type SQL, sql } from 'drizzle-orm'
import { fullCountersOfToday } from '../access/quota.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'
import { type postStatuses, sites } from '../db/schema.ts'
import type { Context } from '../foundation/context.ts'
import { likeSubstring, wordsOf } from '../foundation/fold.ts'
import { afterCursor, cutPage, type Page, type Paging } from '../foundation/paging.ts'
import { postEventKinds } from '../webhooks/event-kinds.ts'
import type { SiteRow } from './sites.ts'

const FAILING_DAYS = 7
/** Failing deliveries are counted up to this. */
export const MAX_FAILING = 100

export type SiteOverview = {
  site: SiteRow
  published: number
  drafts: number
  /** Events of posts of the last 7 days that have not arrived, counted up to 100. */
  failing: number
  /** Requests by full keys. Null when Redis cannot be reached. */
  today: { limit: number; used: number } | null
}

export type SiteFilter = {
  /** Words of the name and the domain, in any order. */
  search: string
}

/** Newest first, a page at a time, with one call to Postgres and one to Redis. */
export async function listSiteOverviews(
  ctx: Context,
  paging: Paging,
  { search }: SiteFilter,
  now: Date,
): Promise<Page<SiteOverview>> {
  const rows = await ctx.db
    .select({
      site: sites,
      published: postsOf('published'),
      drafts: postsOf('draft'),
      failing: sql<number>`(select count(*)::integer from (
        select from webhook_events e
        where e.site_id = sites.id and e.state = 'failed' and e.event in ${postEventKinds}
          and e.created_at > now() - make_interval(days => ${FAILING_DAYS})
        limit ${MAX_FAILING}
      ) failed)`,
    })
    .from(sites)
    .where(
      and(
        ofReachableSites(ctx, sites.id),
        afterCursor(paging.cursor, sites.createdAt, sites.id),
        ...wordsOf(search).map(hasWord),
      ),
    )
    .orderBy(desc(sites.createdAt), desc(sites.id))
    .limit(paging.limit + 1)
  const found = rows.map((row) => ({ id: row.site.id, ...row }))
  const { items, next } = cutPage(
    found,
    paging,
    (row) => row.site.createdAt,
    (row) => row,
  )
  const today = await fullCountersOfToday(
    ctx,
    items.map(({ site }) => site),
    now,
  )
  return { items: items.map(({ id: _, ...row }, at) => ({ ...row, today: today && today[at]! })), next }
}

/** `post_counts` has the numbers. */
function postsOf(status: (typeof postStatuses)[number]): SQL<number> {
  return sql`(select coalesce(sum(c.posts), 0)::integer from post_counts c
    where c.site_id = sites.id and c.status = ${status})`
}

/** Sites are few, so that looking at each is quick. */
function hasWord(word: string): SQL {
  return sql`(${sites.name} || ' ' || ${sites.domain}) ilike ${likeSubstring(word)}`
}
