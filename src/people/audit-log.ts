/** The audit log. Triggers write an entry in the transaction of each operator write, so that neither exists without the other. */
import { and, desc, eq, like, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import type { Actor, Role } from '../core/actor.ts'
import { uuidOf } from '../core/ids.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { openCursor, sealCursor } from '../crypto/sealed-cursor.ts'
import { signingSecret } from '../crypto/signing-secret.ts'
import { prune } from '../db/batches.ts'
import type { Page } from '../db/paging.ts'
import { auditLog, channels, revisions, sites } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { type AuditNames, selectNames } from './audit-names.ts'
import { type AuditPosition, type AuditSearch, isInScope, selectAuditRows } from './audit-search.ts'
import { visibleWebhookUrl } from './webhook-url.ts'

const RESOURCE_ENTRIES = 50
const RECENT_CHANGES = 6
const LIST = 'audit-log'
const MAX_COUNTED = 10_000
/** Same interval as in `log_refusal`, to save the query. */
const REFUSALS_EVERY_MS = 60_000

export const authorColumns = {
  id: auditLog.actorId,
  name: auditLog.actor,
  channel: auditLog.channel,
  address: auditLog.address,
  changesetId: auditLog.changesetId,
}

type Author = Pick<Actor, 'id' | 'name'> & {
  channel: Actor['channel'] | null
  address: string | null
  changesetId: string | null
}

/** Without an author, continues as the service itself. */
export function continueAs(ctx: Context, author: Author | undefined, role: Role): Context {
  if (!author?.channel) return { ...ctx, actor: null }
  const { id, name, channel, address, changesetId } = author
  const actor = { id, name, channel, address: address ?? '', role, sites: null, token: null }
  return { ...ctx, actor, changesetId: changesetId ?? ctx.changesetId }
}

const fields = z.nullable(z.record(z.string(), z.unknown()))

const Changeset = z
  .object({
    id: z.uuid(),
    entries: z
      .int()
      .check(z.describe(`The number of entries, counted up to ${MAX_COUNTED.toLocaleString('en')}`)),
    actions: z
      .record(z.string(), z.int())
      .check(z.describe('The number of entries per action: `{ "post.rebuilt": 1054 }`')),
  })
  .check(
    z.describe(
      'The request, job run or command of the command line that wrote the entry. Readers limited to some sites see only the entries of these sites',
    ),
  )

export const AuditEntry = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      at: z.iso.datetime(),
      siteId: z.nullable(z.uuid()).check(z.describe('Null if the entry belongs to no site')),
      siteName: z
        .nullable(z.string())
        .check(z.describe('The current name of the site. Null if the site was deleted')),
      action: z.string().check(z.describe('The action, such as `post.published`')),
      resourceId: z.nullable(z.uuid()),
      subject: z.nullable(z.string()).check(z.describe('The slug or name of the resource at the time')),
      title: z
        .nullable(z.string())
        .check(
          z.describe(
            'The title or name of the resource. For posts and guides, only set on entries that change the title or slug, and on the last entry',
          ),
        ),
      before: fields.check(z.describe('The changed fields before the write, without content and secrets')),
      after: fields.check(z.describe('The same fields after the write')),
      actorId: z.nullable(z.uuid()).check(z.describe('The operator or API key')),
      actor: z.nullable(z.string()).check(z.describe("The operator's name at the time")),
      channel: z
        .enum(channels)
        .check(
          z.describe(
            'How the write was made. `schedule` is a publication that the actor scheduled. `database` is SQL by hand or other work of the service itself',
          ),
        ),
      address: z.nullable(z.string()).check(z.describe("The client's IP address")),
      changeset: Changeset,
    })
    .register(z.globalRegistry, { id: 'AuditEntry' }),
)

export type AuditEntry = z.infer<typeof AuditEntry>

/** `hasRevision`: the old values of the edit are kept. */
export type ListedEntry = AuditEntry & { names: AuditNames; hasRevision: boolean }

type Row = Omit<ListedEntry, 'id' | 'siteName' | 'changeset' | 'at'> & {
  id: string | number
  at: Date | string
  site_name: string | null
  changesetId: string
  isCut: boolean | null
  entries: number
  actions: Record<string, number>
}

/** `isCut` is true if a text search found more resources than it covers. */
export async function listAuditEntries(
  ctx: Context,
  { limit, ...search }: AuditSearch,
): Promise<Page<ListedEntry> & { isCut: boolean }> {
  const [, page] = await ctx.db.batch([
    // JIT compilation takes far longer than the query.
    ctx.db.execute(sql`select set_config('jit', 'off', true)`),
    ctx.db.execute(selectPage(ctx, { ...search, limit: limit + 1 })),
  ])
  const rows = page.rows as Row[]
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    items: await toEntries(ctx, { rows: shown }),
    next: last ? await sealCursor(ctx.config, LIST, `${Date.parse(String(last.at))}_${last.id}`) : null,
    isCut: rows.some((row) => row.isCut),
  }
}

/** The newest changes of a site, or to the posts of all sites: others are mostly sign-ins. Query for a batch, whose result `toEntries` reads. */
export const selectRecentChanges = (ctx: Context, siteId: string | null) =>
  ctx.db.execute(
    selectPage(ctx, {
      siteId,
      action: siteId ? null : 'post',
      rows: 'changeset',
      limit: RECENT_CHANGES,
      cursor: null,
    }),
  )

export const toEntries = (ctx: Context, { rows }: { rows: unknown[] }) =>
  Promise.all((rows as Row[]).map((row) => toEntry(ctx, row)))

/** Null if the cursor is invalid. */
export async function openAuditPosition({ config }: Context, cursor: string): Promise<AuditPosition | null> {
  const position = (await openCursor(config, LIST, cursor)) ?? ''
  const [, at, id] = /^(\d{1,14})_(\d{1,15})$/.exec(position) ?? []
  return at === undefined ? null : { at: new Date(Number(at)), id: Number(id) }
}

function selectPage(ctx: Context, search: AuditSearch): SQL {
  const a = alias(auditLog, 'a')
  return sql`
    with page as (
      select * from (${selectAuditRows(ctx, search)}) r order by at desc, id desc limit ${search.limit}
    )
    select page.id, wire_time(page.at) as at, page.site_id as "siteId", ${sites.name} as site_name, action,
      resource_id as "resourceId", subject, title, before, after, actor_id as "actorId", actor, channel, address,
      page.changeset_id as "changesetId", (to_jsonb(page) ->> 'is_cut')::boolean as "isCut", entries, actions,
      ${selectNames(ctx)} as names, exists (select from ${revisions} r
        where r.site_id = page.site_id and r.article_id = page.resource_id and r.at = page.at) as "hasRevision"
    from page
    join (select changeset_id, c.* from (select distinct changeset_id from page) changesets cross join lateral (
      select sum(n)::integer as entries, jsonb_object_agg(action, n) as actions,
          coalesce(jsonb_object_agg(action, subject) filter (where subject is not null), '{}') as subjects from (
        select action, count(*)::integer as n, min(coalesce(title, subject)) as subject from (
          select a.action, a.title, a.subject from ${auditLog} a where a.changeset_id = changesets.changeset_id and ${isInScope(ctx, search.siteId, a) ?? sql`true`}
          limit ${MAX_COUNTED}
        ) a group by action
      ) b
    ) c) counted on counted.changeset_id = page.changeset_id
    left join ${sites} on ${sites.id} = page.site_id
    order by page.at desc, page.id desc`
}

/** Query for a batch. `ids` is a subquery. */
export function selectResourceEntries({ db }: Context, ids: SQL) {
  const { at, action, resourceId, before, after, actor, channel } = auditLog
  return db
    .select({ at, action, resourceId, before, after, actor, channel })
    .from(auditLog)
    .where(sql`${resourceId} in ${ids}`)
    .orderBy(desc(at), desc(auditLog.id))
    .limit(RESOURCE_ENTRIES)
}

/** A write to a resource. A redirect has a path instead of an id. */
export type Logged = { action: `${string}.updated`; id: string } | { redirectIn: string; path: string }

/** The latest such write. */
export async function findLastEntry({ db }: Context, logged: Logged) {
  const { siteId, resourceId, subject, action, at, actorId, actor, channel, after } = auditLog
  const isIt =
    'id' in logged
      ? // An edit of an article may also publish or rename it.
        and(eq(resourceId, logged.id), sql`(${action} = ${logged.action} or ${after} ? 'fields')`)
      : and(eq(siteId, logged.redirectIn), eq(subject, logged.path), like(action, 'redirect.%'))
  const [entry] = await db
    .select({ at, actorId, actor, channel })
    .from(auditLog)
    .where(isIt)
    .orderBy(desc(at), desc(auditLog.id))
    .limit(1)
  return entry
}

export type ResourceAuthor = Pick<typeof auditLog.$inferSelect, 'actor' | 'channel'>

/** Query for a batch: the author of the write at that time. */
export function selectAuthor({ db }: Context, site: { id: string }, resourceId: string, at: Date) {
  const { siteId, actor, channel } = auditLog
  const isWrite = and(eq(siteId, site.id), eq(auditLog.resourceId, resourceId), eq(auditLog.at, at))
  return db.select({ actor, channel }).from(auditLog).where(isWrite).limit(1)
}

export type ResourceEntry = Awaited<ReturnType<typeof selectResourceEntries>>[number]

type Refusal = 'operator.refused' | 'operator.sign_in_failed'

/**
 * Logs a refusal, which no trigger sees. So that retries cannot fill the table, each isolate logs an operation once a minute, and
 * `log_refusal` limits paths and operators across isolates.
 *
 * @param what the write; null for a sign-in. `operation` is the same without slugs and ids
 */
export async function logRefusal(
  ctx: Pick<Context, 'db' | 'actor' | 'changesetId' | 'caches'>,
  kind: Refusal,
  what: string | null,
  operation: string | null,
): Promise<void> {
  const { actor, caches } = ctx
  const key = JSON.stringify([kind, actor?.id, actor?.address, operation])
  if (Date.now() < (caches.skipUntil.get(key) ?? 0)) return
  caches.skipUntil.set(key, Date.now() + REFUSALS_EVERY_MS)
  // A refused request has committed nothing.
  const ownCtx = { ...ctx, written: { committed: 'no' as const } }
  await writeAs(ownCtx, [ctx.db.execute(sql`select log_refusal(${kind}, ${what})`)])
}

export function pruneAuditLog(ctx: Context): Promise<number> {
  return prune(ctx, auditLog, sql`at < now() - ${`${ctx.config.RETENTION_AUDIT_DAYS} days`}::interval`)
}

/** Hides an entry's number, because a sequence across all sites reveals other sites' activity. */
const idOf = ({ config }: Context, number: string | number) =>
  uuidOf(`${signingSecret(config, 'audit-log')}:${number}`)

async function toEntry(
  ctx: Context,
  { site_name: siteName, entries, actions, changesetId, isCut: _, ...row }: Row,
): Promise<ListedEntry> {
  const { id, at, action, before, after, names } = row
  // A webhook without a name is named by its URL.
  const visibleOf = <Text extends string | null>(of: string, text: Text) =>
    text && of.startsWith('webhook.') && /^https?:/.test(text) ? visibleWebhookUrl(ctx, text) : text
  const visible = (text: string | null) => visibleOf(action, text)
  const subjects = Object.entries(names.subjects).map(([of, text]) => [of, visibleOf(of, text)])
  return {
    ...row,
    id: await idOf(ctx, id),
    at: String(at),
    siteName,
    subject: visible(row.subject),
    title: visible(row.title),
    names: { ...names, url: visibleOf('webhook.tested', names.url), subjects: Object.fromEntries(subjects) },
    before: toWire(ctx, before),
    after: toWire(ctx, after),
    changeset: { id: changesetId, entries, actions },
  }
}

/** `lastFour` for `last_four`. */
function toWire(ctx: Context, columns: Record<string, unknown> | null): Record<string, unknown> | null {
  if (!columns) return null
  const entries = Object.entries(columns).map(([column, value]) => [
    column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    column.endsWith('_at')
      ? wireTime(new Date(String(value)))
      : column === 'url'
        ? visibleWebhookUrl(ctx, String(value))
        : value,
  ])
  return Object.fromEntries(entries)
}
