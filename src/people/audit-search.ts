/**
 * Searches the audit log. Every kind of search has an index in list order. A search for several keys, such as the names that
 * contain a text, merges the newest entries of each key.
 */
import { and, eq, gte, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { type AnyPgColumn, alias } from 'drizzle-orm/pg-core'
import type { Context } from '../context.ts'
import type { channels } from '../core/enums.ts'
import { likeSubstring, wordsOf } from '../core/fold.ts'
import { UUID } from '../core/ids.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'
import { auditLog, auditWords } from '../db/schema.ts'
import { seesWebhookUrls } from './webhook-url.ts'

/** Newest matching entries that a text search covers. */
export const MAX_NAMED = 200
const MANY_NAMED = 2_000

export type AuditPosition = { at: Date; id: number }

export type AuditSearch = {
  siteId: string | null
  /** A resource's id, or words from a current or former slug, title or name. */
  subject?: string | null | undefined
  actor?: string | null | undefined
  /** `key.created`, or `key` for all of its actions. */
  action?: string | null | undefined
  resourceId?: string | undefined
  actorId?: string | undefined
  channel?: (typeof channels)[number] | undefined
  changesetId?: string | undefined
  since?: Date | undefined
  until?: Date | undefined
  /** `changeset` finds only the first matching entry of each changeset. The default is `entry`. */
  rows?: 'entry' | 'changeset' | undefined
  limit: number
  cursor: AuditPosition | null
}

type Table = { [Name in keyof typeof auditLog.$inferSelect]: AnyPgColumn }

const l = alias(auditLog, 'l')

/** Text searches add `is_cut`: they found more resources than they cover. */
export function selectAuditRows(ctx: Context, search: AuditSearch): SQL {
  const { subject, actor, action } = search
  if (subject) return selectBySubject(ctx, search, subject)
  const newestOfEach = (keys: SQL, where: SQL | undefined) =>
    sql`select e.* from (${keys}) k cross join lateral (${selectNewest(ctx, search, where)}) e`
  if (actor) return newestOfEach(selectNames(actor), and(isAction(action, l), sql`${l.actor} = k.key`))
  if (action && !action.includes('.')) return newestOfEach(selectActions(action), sql`${l.action} = k.key`)
  return selectNewest(ctx, search, isAction(action, l))
}

/** Entries that the reader may see. */
export function isInScope(ctx: Context, siteId: string | null, t: Table): SQL | undefined {
  if (siteId !== null) return eq(t.siteId, siteId)
  // Outside of sites, operators limited to some sites see only their own entries.
  const inReachableSites = ofReachableSites(ctx, t.siteId)
  return inReachableSites && or(inReachableSites, and(isNull(t.siteId), eq(t.actorId, ctx.actor!.id!)))
}

/** All filters except the action and the text search. */
function matchesFilter(ctx: Context, search: AuditSearch, t: Table): SQL | undefined {
  const { siteId, resourceId, actorId, channel, changesetId, since, until } = search
  return and(
    isInScope(ctx, siteId, t),
    resourceId ? eq(t.resourceId, resourceId) : undefined,
    actorId ? eq(t.actorId, actorId) : undefined,
    channel ? eq(t.channel, channel) : undefined,
    changesetId ? eq(t.changesetId, changesetId) : undefined,
    since && gte(t.at, since),
    until && lt(t.at, until),
  )
}

function isAction(action: string | null | undefined, t: Table): SQL | undefined {
  if (!action) return undefined
  return action.includes('.') ? eq(t.action, action) : sql`starts_with(${t.action}, ${`${action}.`})`
}

function isAfter(cursor: AuditPosition | null): SQL | undefined {
  if (!cursor) return undefined
  return sql`(${l.at}, ${l.id}) < (${cursor.at.toISOString()}::timestamptz, ${cursor.id}::bigint)`
}

function selectNewest(ctx: Context, search: AuditSearch, where: SQL | undefined): SQL {
  const { rows, limit, cursor, action } = search
  const part = (isHead: boolean, more?: SQL) => sql`
    select l.* from ${auditLog} l
    where ${and(sql`${l.isHead} = ${isHead}`, matchesFilter(ctx, search, l), where, isAfter(cursor), more)}
    order by l.at desc, l.id desc limit ${limit}`
  if (rows !== 'changeset') return sql`(${part(true)}) union all (${part(false)})`
  const p = alias(auditLog, 'p')
  const isEarlier = sql`p.changeset_id = l.changeset_id and p.is_head and (p.at, p.id) < (l.at, l.id)`
  const earlier = and(isEarlier, matchesFilter(ctx, search, p), isAction(action, p))
  return part(true, sql`not exists (select from ${auditLog} p where ${earlier})`)
}

/**
 * All entries of resources that ever had this name. Entries without a resource, such as refusals, stand alone. A site, its first
 * webhook and its sitemap share an id, so the noun separates their entries.
 */
function selectBySubject(ctx: Context, search: AuditSearch, subject: string): SQL {
  const { siteId, actor, action, rows, limit, cursor } = search
  const subjects = UUID.test(subject)
    ? sql`select ${subject}::uuid as resource_id, null as noun, null::bigint as entry_id, false as is_cut`
    : selectSubjects(ctx, siteId, subject)
  const isNamed = actor ? sql`${l.actor} in (${selectNames(actor)})` : undefined
  const where = and(matchesFilter(ctx, search, l), isNamed, isAction(action, l))
  const part = (is: SQL) =>
    rows === 'changeset'
      ? sql`select l.* from ${auditLog} l where ${and(is, where)}`
      : sql`select l.* from ${auditLog} l where ${and(is, where, isAfter(cursor))}
          order by l.at desc, l.id desc limit ${limit}`
  const found = sql`select e.*, s.is_cut from (${subjects}) s cross join lateral (
    (${part(sql`l.resource_id = s.resource_id and (s.noun is null or starts_with(l.action, s.noun))`)})
    union all (${part(sql`l.id = s.entry_id`)})) e`
  if (rows !== 'changeset') return found
  return sql`select l.* from (select distinct on (e.changeset_id) e.* from (${found}) e order by e.changeset_id, e.at, e.id) l
    where ${isAfter(cursor) ?? sql`true`}`
}

/**
 * Few matches come from the text index and are sorted. Many are found faster by reading the newest entries first, where `strpos`
 * keeps Postgres off that index.
 */
function selectSubjects(ctx: Context, siteId: string | null, search: string): SQL {
  const t = alias(auditLog, 't')
  const words = wordsOf(search).map((word) => word.normalize('NFC'))
  const folded = (text: string) => sql`without_diacritics(lower(${text}))`
  const indexed = words.map((word) => sql`${auditWords(t)} like ${folded(likeSubstring(word))}`)
  // A match on part of a URL would reveal it.
  const isVisible = seesWebhookUrls(ctx) ? undefined : sql`not starts_with(${t.action}, 'webhook.')`
  const read = words.map((word) => sql`strpos(${auditWords(t)}, ${folded(word)}) > 0`)
  const named = (...conditions: (SQL | undefined)[]) => sql`
    select t.resource_id, t.id, t.at, t.site_id, t.action from ${auditLog} t
    where ${and(sql`${t.title} is not null`, isInScope(ctx, siteId, t), isVisible, ...conditions)}`
  const newestNamed = sql`
    ${named(...read, sql`(select n > ${MANY_NAMED} from few)`)} order by t.at desc, t.id desc limit ${MAX_NAMED + 1}`
  return sql`
    with few as materialized (select count(*) as n from (${named(...indexed)} limit ${MANY_NAMED + 1}) n),
    named as (
      select * from ((${named(...indexed, sql`(select n <= ${MANY_NAMED} from few)`)})
        union all (${newestNamed})) all_named
      order by at desc, id desc limit ${MAX_NAMED + 1}
    )
    select distinct resource_id, case when resource_id is null then id end as entry_id,
      case when resource_id = site_id then split_part(action, '.', 1) || '.' end as noun,
      (select count(*) > ${MAX_NAMED} from named) as is_cut
    from named`
}

const selectNames = (part: string) => selectKeys(sql`actor`, sql`strpos(lower(key), lower(${part})) > 0`)

const selectActions = (noun: string) => selectKeys(sql`action`, sql`starts_with(key, ${`${noun}.`})`)

/** Distinct values by a loose index scan: one index step each. */
function selectKeys(column: SQL, where: SQL): SQL {
  const next = (more: SQL) => sql`
    select ${column} as key from ${auditLog} where ${column} is not null ${more} order by ${column} limit 1`
  return sql`with recursive keys as (
    (${next(sql``)}) union all
    select n.key from keys k cross join lateral (${next(sql`and ${column} > k.key`)}) n)
  select key from keys where ${where}`
}
