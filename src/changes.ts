/** The change feed: what became of a site's posts and guides since a cursor, oldest first, deletions included. */
import { and, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { groupByBytes } from './byte-budget.ts'
import type { Context } from './context.ts'
import { guides, postStatuses, posts, resources, tombstones } from './db/schema.ts'
import { sha256Hex } from './digest.ts'
import { AppError } from './errors.ts'
import { heavyColumns, lightColumns, Post, toPost } from './posts/post.ts'
import type { SiteScope } from './sites.ts'

const TOMBSTONES_KEPT_MS = 90 * 86_400_000
/** How long a follower of a quiet site keeps its cursor. */
const CURSOR_KEPT_MS = 86_400_000

export const Change = z.object({
  type: z.enum(['upsert', 'delete']),
  resource: z.enum(resources),
  id: z.uuid(),
  slug: z.string(),
  language: z.string().nullable(),
  status: z.enum(postStatuses),
  sequence: z.int().describe('Number of the change: strictly increasing within the site'),
  updatedAt: z.iso.datetime(),
  post: Post.optional(),
})

export const ChangeList = z.object({
  items: z.array(Change),
  cursor: z.string().describe('Where the next request goes on'),
  hasMore: z.boolean(),
})

/** `at` is the last change seen, in milliseconds; `caughtUp` when nothing was missing up to it. */
type Cursor = { at: number; caughtUp: number }

type ChangeInput = { cursor: Cursor | null; limit: number; content: boolean }

type Row = Omit<z.infer<typeof Change>, 'sequence' | 'updatedAt' | 'post'> & {
  tick: string
  wire_bytes: number
}

/**
 * Up to `limit` changes after the cursor; fewer, with `hasMore`, where their bodies would not fit in one answer.
 * Without a cursor the feed begins with all there is. Ticks are given out in commit order, so that nothing can
 * appear behind a cursor.
 *
 * @throws AppError cursor_expired when deletions since the cursor may be forgotten
 */
export async function listChanges(
  ctx: Context,
  site: SiteScope,
  input: ChangeInput,
): Promise<z.infer<typeof ChangeList>> {
  const { cursor } = input
  if (cursor && cursor.caughtUp < Date.now() - TOMBSTONES_KEPT_MS) throw new AppError('cursor_expired')
  const { rows } = await ctx.db.execute(select(site, input))
  const now = Date.parse(String(rows[0]!.now))
  const found = (rows as unknown as Row[]).filter((row) => row.id !== null)
  const page = found.slice(0, input.limit)
  const shown = input.content ? (groupByBytes(page, (row) => row.wire_bytes)[0] ?? []) : page
  const hasMore = found.length > shown.length
  const last = shown.at(-1)
  // The same cursor is the same question, which is answered with 304 while nothing has changed.
  const isCurrent = cursor !== null && !last && now < cursor.caughtUp + CURSOR_KEPT_MS
  const next = isCurrent
    ? cursor
    : {
        at: last ? Date.parse(last.tick) : (cursor?.at ?? 0),
        caughtUp: hasMore && cursor ? cursor.caughtUp : now,
      }
  const bodies = input.content ? await read(ctx, site, shown) : new Map<string, Post>()
  return {
    items: shown.map((row) => toChange(row, bodies.get(row.id))),
    cursor: await formatChangeCursor(site, next),
    hasMore,
  }
}

/** Forgets tombstones that no valid cursor needs any more. */
export async function pruneTombstones(ctx: Context, now: Date): Promise<number> {
  const forgotten = new Date(now.getTime() - TOMBSTONES_KEPT_MS - 86_400_000)
  const result = await ctx.db.delete(tombstones).where(lt(tombstones.deletedAt, forgotten))
  return result.rowCount
}

function select(site: SiteScope, { cursor, limit }: ChangeInput): SQL {
  const after = sql`${new Date(cursor?.at ?? 0).toISOString()}::timestamptz`
  const first = sql`order by tick limit ${limit + 1}`
  // Who begins now has nothing to delete.
  const deleted = sql`
    union all
    (select 'delete', resource, resource_id, slug, language, status, deleted_at as tick, 0
      from ${tombstones} where site_id = ${site.id} and deleted_at > ${after} ${first})`
  return sql`
    with changes as (
      (select 'upsert' as type, 'post' as resource, id, slug, language, status, updated_at as tick, wire_bytes
        from ${posts} where site_id = ${site.id} and updated_at > ${after} ${first})
      union all
      (select 'upsert', 'guide', id, slug, null, status, updated_at as tick, 0
        from ${guides} where site_id = ${site.id} and status = 'published' and updated_at > ${after} ${first})
      ${cursor ? deleted : sql``}
      ${first}
    )
    select wire_time(now()) as now, c.type, c.resource, c.id, c.slug, c.language, c.status, wire_time(c.tick) as tick,
      c.wire_bytes
    from (select) one left join changes c on true
    order by c.tick`
}

/** The posts of a page as they are now: one edited meanwhile comes again, one deleted meanwhile has no body. */
async function read(ctx: Context, site: SiteScope, rows: Row[]): Promise<Map<string, Post>> {
  const ids = rows.filter((row) => row.type === 'upsert' && row.resource === 'post').map((row) => row.id)
  if (ids.length === 0) return new Map()
  const found = await ctx.db
    .select({ ...lightColumns, ...heavyColumns })
    .from(posts)
    .where(and(eq(posts.siteId, site.id), inArray(posts.id, ids)))
  return new Map(found.map((row) => [row.id, toPost(row)]))
}

function toChange(row: Row, post: Post | undefined): z.infer<typeof Change> {
  return {
    type: row.type,
    resource: row.resource,
    id: row.id,
    slug: row.slug,
    language: row.language,
    status: row.status,
    sequence: Date.parse(row.tick),
    updatedAt: row.tick,
    ...(post && { post }),
  }
}

export async function formatChangeCursor(site: { id: string }, { at, caughtUp }: Cursor): Promise<string> {
  const text = `${at.toString(36)}-${caughtUp.toString(36)}`
  return `${text}-${await cursorMark(site, text)}`
}

/** Null for a cursor that is not this site's. */
export async function parseChangeCursor(site: { id: string }, cursor: string): Promise<Cursor | null> {
  const match = /^(([0-9a-z]{1,9})-([0-9a-z]{1,9}))-([0-9a-f]{8})$/.exec(cursor)
  if (!match || match[4] !== (await cursorMark(site, match[1]!))) return null
  return { at: Number.parseInt(match[2]!, 36), caughtUp: Number.parseInt(match[3]!, 36) }
}

/** Tells another site's cursor, or a mistyped one, from this site's. */
async function cursorMark(site: { id: string }, text: string): Promise<string> {
  return (await sha256Hex(`${site.id} ${text}`)).slice(0, 8)
}
