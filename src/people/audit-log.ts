/**
 * Who did what: one entry for each write of an operator, made by triggers in the transaction of the write, so that neither is
 * ever without the other.
 */
import { and, desc, eq, gte, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { prune } from '../db/parts.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'
import { auditLog, doors, sites } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import type { Context } from '../foundation/context.ts'
import type { Page } from '../foundation/paging.ts'
import { wireTime } from '../foundation/time.ts'
import { wireShape } from '../foundation/wire-shape.ts'

/** The triggers refuse to delete what is younger. */
const RETENTION = '400 days'
const RESOURCE_ENTRIES = 50
/** As in `log_refusal`, which need not be asked again so soon. */
const REFUSALS_EVERY_MS = 60_000

const fields = z.nullable(z.record(z.string(), z.unknown()))

export const AuditEntry = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      id: z.int(),
      at: z.iso.datetime(),
      siteId: z.nullable(z.uuid()).check(z.describe('Null for what belongs to no site')),
      siteName: z.nullable(z.string()).check(z.describe('Its name now; null once it is gone')),
      action: z.string().check(z.describe('What was done, such as `post.published`')),
      resourceId: z.nullable(z.uuid()),
      subject: z.nullable(z.string()).check(z.describe('The slug or name of the resource at that time')),
      before: fields.check(z.describe('The fields that changed, as they were: no content, and no secret')),
      after: fields.check(z.describe('The same fields after it')),
      actorId: z.nullable(z.uuid()).check(z.describe('The operator, or the API key')),
      actor: z.nullable(z.string()).check(z.describe("The operator's name at that time")),
      door: z
        .enum(doors)
        .check(
          z.describe(
            '`schedule` publishes what the actor has scheduled; `database` is SQL by hand, and what else the service does by itself',
          ),
        ),
      address: z.nullable(z.string()).check(z.describe("The client's IP address")),
    })
    .register(z.globalRegistry, { id: 'AuditEntry' }),
)

export type AuditEntry = z.infer<typeof AuditEntry>

export type AuditFilter = {
  /** Null for the whole workspace. */
  siteId: string | null
  /** Part of the operator's name. */
  actor?: string | null | undefined
  /** An action, or the noun of several: `key` for `key.created` and `key.revoked`. */
  action?: string | null | undefined
  resourceId?: string | undefined
  /** Of an operator, whatever its name was, or of an API key. */
  actorId?: string | undefined
  since?: Date | undefined
  until?: Date | undefined
}

type Row = Awaited<ReturnType<typeof selectAuditEntries>>[number]

/** Newest first. `cursor` is the `next` of the page before. */
export async function listAuditEntries(
  ctx: Context,
  paging: { limit: number; cursor: number | null },
  filter: AuditFilter,
): Promise<Page<AuditEntry>> {
  return toAuditPage(await selectAuditEntries(ctx, paging, filter), paging)
}

function selectAuditEntries(
  ctx: Context,
  { limit, cursor }: { limit: number; cursor: number | null },
  { siteId, actor, actorId, action, resourceId, since, until }: AuditFilter,
) {
  return ctx.db
    .select({ entry: auditLog, siteName: sites.name })
    .from(auditLog)
    .leftJoin(sites, eq(sites.id, auditLog.siteId))
    .where(
      and(
        siteId === null ? isReached(ctx) : eq(auditLog.siteId, siteId),
        resourceId ? eq(auditLog.resourceId, resourceId) : undefined,
        actorId ? eq(auditLog.actorId, actorId) : undefined,
        cursor === null ? undefined : lt(auditLog.id, cursor),
        actor ? sql`strpos(lower(${auditLog.actor}), lower(${actor})) > 0` : undefined,
        action ? isAction(action) : undefined,
        since && gte(auditLog.at, since),
        until && lt(auditLog.at, until),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit + 1)
}

/** Of what belongs to no site, whoever reaches some sites only reads what they did themselves. */
function isReached(ctx: Context): SQL | undefined {
  const ofSites = ofReachableSites(ctx, auditLog.siteId)
  return ofSites && or(ofSites, and(isNull(auditLog.siteId), eq(auditLog.actorId, ctx.actor!.id!)))
}

function isAction(action: string): SQL {
  return action.includes('.')
    ? eq(auditLog.action, action)
    : sql`starts_with(${auditLog.action}, ${`${action}.`})`
}

function toAuditPage(rows: Row[], { limit }: { limit: number }): Page<AuditEntry> {
  const shown = rows.slice(0, limit)
  return { items: shown.map(toEntry), next: rows.length > limit ? String(shown.at(-1)!.entry.id) : null }
}

/** The newest entries of some resources, to put in a batch. `ids` is a subquery. */
export function selectResourceEntries({ db }: Context, ids: SQL) {
  const { at, action, resourceId, before, after, actor, door } = auditLog
  return db
    .select({ at, action, resourceId, before, after, actor, door })
    .from(auditLog)
    .where(sql`${resourceId} in ${ids}`)
    .orderBy(desc(auditLog.id))
    .limit(RESOURCE_ENTRIES)
}

export type ResourceEntry = Awaited<ReturnType<typeof selectResourceEntries>>[number]

type Refusal = 'operator.refused' | 'operator.sign_in_failed'

/**
 * Logs that something was refused, which no trigger sees. Whoever asks again and again fills no table: the same is logged
 * once a minute, and of each operator, and of all wrong tokens, at most 60 a minute and 300 an hour.
 *
 * @param what the write; null for a sign-in
 */
export async function logRefusal(
  ctx: Pick<Context, 'db' | 'actor' | 'actId' | 'caches'>,
  kind: Refusal,
  what: string | null,
): Promise<void> {
  const { actor, caches } = ctx
  const key = JSON.stringify([kind, actor?.id, actor?.address, what])
  if (Date.now() < (caches.noted.get(key) ?? 0)) return
  caches.noted.set(key, Date.now() + REFUSALS_EVERY_MS)
  // Of what was refused nothing is committed.
  const ownCtx = { ...ctx, written: { committed: 'no' as const } }
  await writeAs(ownCtx, [ctx.db.execute(sql`select log_refusal(${kind}, ${what})`)])
}

/** Deletes entries that are older than 400 days. @returns how many */
export function pruneAuditLog(ctx: Context): Promise<number> {
  return prune(ctx, auditLog, sql`at < now() - ${RETENTION}::interval`)
}

function toEntry({
  entry: { title: _title, actId: _actId, isHead: _isHead, ...entry },
  siteName,
}: Row): AuditEntry {
  const { at, before, after } = entry
  return { ...entry, siteName, at: wireTime(at), before: toWire(before), after: toWire(after) }
}

/** With the names that fields have on the wire: `lastFour` for `last_four`. */
function toWire(columns: Record<string, unknown> | null): Record<string, unknown> | null {
  if (!columns) return null
  const entries = Object.entries(columns).map(([column, value]) => [
    column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    column.endsWith('_at') ? wireTime(new Date(String(value))) : value,
  ])
  return Object.fromEntries(entries)
}
