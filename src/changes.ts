/** The change feed: upserts and deletions of a site's posts and guides since a cursor, oldest first. */
import { lt, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { articlesById, type Fields } from './articles/fields.ts'
import { groupByBytes } from './byte-budget.ts'
import type { Context } from './context.ts'
import { withMember } from './db/json.ts'
import { guides, postStatuses, posts, resources, tombstones } from './db/schema.ts'
import type { ContentScope } from './db/site-scope.ts'
import { sha256Hex } from './digest.ts'
import { AppError } from './errors.ts'
import { Guide, guideBytes, guidesById } from './guides.ts'
import { Post, postBytes } from './posts/post.ts'
import { postsById } from './posts/read.ts'
import { DAY_MS } from './time.ts'
import { wireShape } from './wire-shape.ts'

const TOMBSTONES_KEPT_MS = 90 * DAY_MS
/** How long the cursor of a client that is up to date stays the same. */
const CURSOR_KEPT_MS = DAY_MS

const Change = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      type: z.enum(['upsert', 'delete']),
      resource: z.enum(resources),
      id: z.uuid(),
      slug: z.string(),
      language: z.nullable(z.string()),
      status: z.enum(postStatuses),
      sequence: z.int().check(z.describe('Number of the change: strictly increasing within the site')),
      updatedAt: z.iso.datetime(),
      post: z
        .optional(Post)
        .check(z.describe('With `include=content`; missing if the post was deleted meanwhile')),
      guide: z.optional(Guide).check(
        z.meta({
          description: 'The same for a guide, which may also have been unpublished',
          'x-addition': true,
        }),
      ),
    })
    .register(z.globalRegistry, { id: 'Change' }),
)

export const ChangeList = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      items: z.array(Change),
      cursor: z.string().check(z.describe('Where the next request goes on')),
      hasMore: z.boolean(),
    })
    .register(z.globalRegistry, { id: 'ChangeList' }),
)

/**
 * `sequence` of the last change returned, and `caughtUp`, when the client last reached the end of the feed or started
 * it; both in milliseconds since 1970.
 */
type Cursor = { sequence: number; caughtUp: number }

/** `fields` are those of the content. */
type ChangeInput = { cursor: Cursor | null; limit: number; content: boolean; fields: Fields }

type Content = 'post' | 'guide'

type Row = Omit<z.infer<typeof Change>, 'sequence' | 'updatedAt' | Content> & {
  sequence: string
  wire_bytes: number
}

/**
 * JSON of up to `limit` changes after the cursor; fewer, with `hasMore`, if their bodies would not fit in one response.
 * Without a cursor the feed starts with everything there is. Sequence order is commit order, so no change can later
 * appear before a cursor.
 *
 * @throws AppError cursor_expired when tombstones since the cursor may have been pruned
 */
export async function listChanges(ctx: Context, site: ContentScope, input: ChangeInput): Promise<string> {
  const { cursor } = input
  if (cursor && cursor.caughtUp < Date.now() - TOMBSTONES_KEPT_MS) throw new AppError('cursor_expired')
  const { rows } = await ctx.db.execute(selectChanges(site, input))
  const now = Date.parse(String(rows[0]!.now))
  const found = (rows as unknown as Row[]).filter((row) => row.id !== null)
  const page = found.slice(0, input.limit)
  const shown = input.content ? (groupByBytes(page, (row) => row.wire_bytes)[0] ?? []) : page
  const hasMore = found.length > shown.length
  const last = shown.at(-1)
  // An unchanged cursor keeps the URL of the next request, and so its ETag and its 304.
  const isCurrent = cursor !== null && !last && now < cursor.caughtUp + CURSOR_KEPT_MS
  const next = isCurrent
    ? cursor
    : {
        sequence: last ? Date.parse(last.sequence) : (cursor?.sequence ?? 0),
        caughtUp: hasMore && cursor ? cursor.caughtUp : now,
      }
  const bodies = input.content
    ? await selectContent(ctx, site, shown, input.fields)
    : new Map<string, string>()
  const items = shown.map((row) => changeJson(row, bodies.get(row.id)))
  const cursorText = JSON.stringify(await formatChangeCursor(site, next))
  return `{"items":[${items.join()}],"cursor":${cursorText},"hasMore":${hasMore}}`
}

/** Deletes tombstones older than any valid cursor. @returns how many */
export async function pruneTombstones(ctx: Context, now: Date): Promise<number> {
  const expired = new Date(now.getTime() - TOMBSTONES_KEPT_MS - DAY_MS)
  const result = await ctx.db.delete(tombstones).where(lt(tombstones.deletedAt, expired))
  return result.rowCount
}

function selectChanges(site: ContentScope, { cursor, limit, fields }: ChangeInput): SQL {
  const after = sql`${new Date(cursor?.sequence ?? 0).toISOString()}::timestamptz`
  const first = sql`order by sequence limit ${limit + 1}`
  // A client without a cursor has no copies to delete.
  const deleted = sql`
    union all
    (select 'delete', resource, resource_id, slug, language, status, deleted_at as sequence, 0
      from ${tombstones} where site_id = ${site.id} and deleted_at > ${after} ${first})`
  return sql`
    with changes as (
      (select 'upsert' as type, 'post' as resource, id, slug, language, status, updated_at as sequence,
        ${postBytes(fields)} as wire_bytes
        from ${posts} where site_id = ${site.id} and updated_at > ${after} ${first})
      union all
      (select 'upsert', 'guide', id, slug, null, status, updated_at as sequence,
        ${guideBytes(fields)}
        from ${guides} where site_id = ${site.id} and status = 'published' and updated_at > ${after} ${first})
      ${cursor ? deleted : sql``}
      ${first}
    )
    select wire_time(now()) as now, c.type, c.resource, c.id, c.slug, c.language, c.status, c.wire_bytes,
      wire_time(c.sequence) as sequence
    from (select) one left join changes c on true
    order by c.sequence`
}

/** In one call. An article edited since the rows were read will come again; one deleted since then is missing. */
async function selectContent(
  ctx: Context,
  site: ContentScope,
  rows: Row[],
  fields: Fields,
): Promise<Map<string, string>> {
  const ids = rows.filter(({ type }) => type === 'upsert').map(({ id }) => id)
  if (ids.length === 0) return new Map()
  return articlesById(await postsById(ctx, site, ids, fields).unionAll(guidesById(ctx, site, ids, fields)))
}

function changeJson(row: Row, content: string | undefined): string {
  const { type, resource, id, slug, language, status, sequence } = row
  const change: Omit<z.infer<typeof Change>, Content> = {
    ...{ type, resource, id, slug, language, status },
    sequence: Date.parse(sequence),
    updatedAt: sequence,
  }
  const json = JSON.stringify(change)
  return content === undefined ? json : withMember(json, resource, content)
}

export async function formatChangeCursor(
  site: { id: string },
  { sequence, caughtUp }: Cursor,
): Promise<string> {
  const text = `${sequence.toString(36)}-${caughtUp.toString(36)}`
  return `${text}-${await cursorChecksum(site, text)}`
}

/** Null for a malformed cursor or one of another site. */
export async function parseChangeCursor(site: { id: string }, cursor: string): Promise<Cursor | null> {
  const match = /^(([0-9a-z]{1,9})-([0-9a-z]{1,9}))-([0-9a-f]{8})$/.exec(cursor)
  if (!match || match[4] !== (await cursorChecksum(site, match[1]!))) return null
  return { sequence: Number.parseInt(match[2]!, 36), caughtUp: Number.parseInt(match[3]!, 36) }
}

/** A checksum that detects a mistyped cursor or one of another site. */
async function cursorChecksum(site: { id: string }, text: string): Promise<string> {
  return (await sha256Hex(`${site.id} ${text}`)).slice(0, 8)
}
