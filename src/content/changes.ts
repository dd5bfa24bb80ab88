/** The change feed: upserts and deletions of a site's posts and guides since a cursor, oldest first. */

import { lt, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { AppError } from '../core/errors.ts'
import { sha256Hex } from '../core/ids.ts'
import { DELETIONS_KEPT_DAYS } from '../core/limits.ts'
import { DAY_MS } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { prune } from '../db/batches.ts'
import { contentVersionOf, type Visibility } from '../db/content-version.ts'
import { withMember } from '../db/json.ts'
import { guides, postStatuses, posts, resources, tombstones } from '../db/schema.ts'
import type { ContentScope } from '../db/site-scope.ts'
import type { Sweep } from '../freshness/sweep.ts'
import { apiBytes, articleJson, type Fields } from './articles/field-table.ts'
import { selectByIds } from './articles/read.ts'
import { groupByBytes } from './byte-budget.ts'
import { GUIDE, Guide, PartialGuide } from './guides/guide.ts'
import { PartialPost, POST, Post } from './posts/post.ts'

const CURSORS_KEPT_MS = DELETIONS_KEPT_DAYS * DAY_MS
/** A day longer, because a client may have caught up a day before its `caughtUp`. */
const TOMBSTONES_SHOWN_MS = CURSORS_KEPT_MS + DAY_MS

export const changeFields = /* @__PURE__ */ responseSchema(() => ({
  type: z.enum(['upsert', 'delete']),
  resource: z.enum(resources),
  id: z.uuid(),
  slug: z.string(),
  language: z.nullable(z.string()),
  status: z.enum(postStatuses),
  sequence: z.int().check(z.describe('Strictly increasing within the site')),
  updatedAt: z.iso.datetime(),
}))

const Change = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      ...changeFields,
      post: z
        .optional(Post)
        .check(z.describe('With `include=content`; missing if the post was deleted meanwhile')),
      guide: z.optional(Guide).check(
        z.meta({
          description: 'With `include=content`; missing if the guide was deleted or unpublished meanwhile',
          'x-addition': true,
        }),
      ),
    })
    .register(z.globalRegistry, { id: 'Change' }),
)

export const changeListOf = <Item extends z.core.$ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    cursor: z.string().check(z.describe('`cursor` for the next request')),
    hasMore: z.boolean(),
  })

export const ChangeList = /* @__PURE__ */ responseSchema(() =>
  changeListOf(Change).register(z.globalRegistry, { id: 'ChangeList' }),
)

export const PartialChangeList = /* @__PURE__ */ responseSchema(() => {
  const articles = { post: z.optional(PartialPost), guide: z.optional(PartialGuide) }
  const change = z.extend(Change, articles).register(z.globalRegistry, { id: 'PartialChange' })
  return changeListOf(change).register(z.globalRegistry, { id: 'PartialChangeList' })
})

/** `caughtUp`: end of the UTC day on which the client last was up to date or started the feed. Both are in Unix ms. */
type Cursor = { sequence: number; caughtUp: number }

/** `today` is the start of the UTC day in Unix ms. An answer uses only the day, because its ETag has no time. */
export type ChangePage = { cursor: Cursor | null; limit: number; today: number }

type ChangeInput = ChangePage & { content: boolean; fields: Fields; include: string[] }

type Content = { json: string; readOnly?: object }

export type ChangeView = {
  /** Kinds whose drafts are shown. */
  drafts: Record<Resource, boolean>
  bytes: { post: SQL; guide: SQL }
  /** By id, for the articles that exist; null for a feed without content. */
  content: ((ids: string[]) => Promise<Map<string, Content>>) | null
}

type Resource = (typeof resources)[number]

type Row = Omit<z.infer<z.ZodMiniObject<typeof changeFields>>, 'sequence' | 'updatedAt'> & {
  sequence: string
  wire_bytes: number
}

/** @throws AppError cursor_expired */
export function listChanges(
  ctx: Context,
  site: ContentScope,
  visibility: Visibility,
  input: ChangeInput,
): Promise<string> {
  const { content, fields, include } = input
  return readChanges(ctx, site, input, {
    drafts: { post: visibility === 'all', guide: false },
    bytes: { post: apiBytes(POST, fields, include), guide: apiBytes(GUIDE, fields, include) },
    content: content ? (ids) => selectContent(ctx, site, visibility, ids, input) : null,
  })
}

/** Sequence order is commit order, so no change can later appear before a cursor. @throws AppError cursor_expired */
export async function readChanges(
  ctx: Context,
  site: { id: string },
  input: ChangePage,
  view: ChangeView,
): Promise<string> {
  const { cursor } = input
  if (cursor && cursor.caughtUp < input.today - CURSORS_KEPT_MS) throw new AppError('cursor_expired')
  const { rows } = await ctx.db.execute(selectChanges(site, input, view))
  ctx.noteVersionRead(rows[0]!.content_version)
  const found = (rows as unknown as Row[]).filter((row) => row.id !== null)
  const page = found.slice(0, input.limit)
  const shown = view.content ? (groupByBytes(page, (row) => row.wire_bytes)[0] ?? []) : page
  const hasMore = found.length > shown.length
  const last = shown.at(-1)
  // The cursor of an up-to-date client is stable within a day, so its next request has the same URL and gets 304.
  const next = {
    sequence: last ? Date.parse(last.sequence) : (cursor?.sequence ?? 0),
    caughtUp: hasMore && cursor ? cursor.caughtUp : input.today + DAY_MS,
  }
  // An article edited since the first query appears again on a later page; one deleted since then has no content here.
  const ids = shown.filter(({ type }) => type === 'upsert').map(({ id }) => id)
  const contents = view.content && ids.length > 0 ? await view.content(ids) : null
  const items = shown.map((row) => changeJson(row, row.type === 'upsert' ? contents?.get(row.id) : undefined))
  const cursorText = JSON.stringify(await formatChangeCursor(site, next))
  return `{"items":[${items.join()}],"cursor":${cursorText},"hasMore":${hasMore}}`
}

export function pruneTombstones(ctx: Context, { now }: Pick<Sweep, 'now'>): Promise<number> {
  const expired = new Date(now.getTime() - TOMBSTONES_SHOWN_MS - DAY_MS)
  return prune(ctx, tombstones, lt(tombstones.deletedAt, expired))
}

function selectChanges(
  site: { id: string },
  { cursor, limit, today }: ChangePage,
  { drafts, bytes }: ChangeView,
): SQL {
  const after = sql`${new Date(cursor?.sequence ?? 0).toISOString()}::timestamptz`
  const first = sql`order by sequence limit ${limit + 1}`
  const published = sql`and status = 'published'`
  // A client without a cursor has no copies to delete. Older tombstones may be pruned at any time, without a new version.
  const shownSince = new Date(Math.max(cursor?.sequence ?? 0, today - TOMBSTONES_SHOWN_MS)).toISOString()
  const deleted = sql`
    union all
    (select 'delete', resource, resource_id, slug, language, status, deleted_at as sequence, 0
      from ${tombstones} where site_id = ${site.id} and deleted_at > ${shownSince}::timestamptz
        ${drafts.post ? sql`and not published_only` : sql`and (resource = 'guide' or status = 'published')`}
        ${drafts.guide ? sql`` : sql`and not operator_only`} ${first})`
  return sql`
    with changes as (
      (select 'upsert' as type, 'post' as resource, id, slug, language, status, updated_at as sequence,
        ${bytes.post} as wire_bytes
        from ${posts} where site_id = ${site.id} ${drafts.post ? sql`` : published} and updated_at > ${after} ${first})
      union all
      (select 'upsert', 'guide', id, slug, null, status, updated_at as sequence,
        ${bytes.guide}
        from ${guides} where site_id = ${site.id} ${drafts.guide ? sql`` : published} and updated_at > ${after} ${first})
      ${cursor ? deleted : sql``}
      ${first}
    )
    select ${contentVersionOf(site.id, drafts.post || drafts.guide ? 'all' : 'published')} as content_version, c.type, c.resource, c.id, c.slug, c.language, c.status, c.wire_bytes,
      wire_time(c.sequence) as sequence
    from (select) one left join changes c on true
    order by c.sequence`
}

async function selectContent(
  ctx: Context,
  site: ContentScope,
  visibility: Visibility,
  ids: string[],
  { fields, include }: ChangeInput,
): Promise<Map<string, Content>> {
  const guides = selectByIds(ctx, GUIDE, site, ids, { fields, include, status: 'published', visibility })
  const rows = await selectByIds(ctx, POST, site, ids, {
    fields,
    include,
    status: visibility,
    visibility,
  }).unionAll(guides)
  ctx.noteVersionRead(rows[0]?.contentVersion)
  return new Map(rows.map((row) => [row.id, { json: articleJson(row) }]))
}

function changeJson(row: Row, content: Content | undefined): string {
  const { type, resource, id, slug, language, status, sequence } = row
  const change: z.infer<z.ZodMiniObject<typeof changeFields>> = {
    ...{ type, resource, id, slug, language, status },
    sequence: Date.parse(sequence),
    updatedAt: sequence,
  }
  const json = JSON.stringify({ ...change, ...content?.readOnly })
  return content ? withMember(json, resource, content.json) : json
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

async function cursorChecksum(site: { id: string }, text: string): Promise<string> {
  return (await sha256Hex(`${site.id} ${text}`)).slice(0, 8)
}
