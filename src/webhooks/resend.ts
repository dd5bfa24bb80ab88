/**
 * Resends failed events. An operator starts a resend, and the queue runs it (resend-turns.ts). A site has one at a time. Events
 * that it has taken are pending, so that nothing else sends them.
 */
import { and, desc, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { describeError } from '../core/log.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { prune } from '../db/batches.ts'
import { afterCursor, cutPage, type Paging } from '../db/paging.ts'
import {
  auditLog,
  resendEndings,
  webhookDeliveries,
  webhookEndpoints,
  webhookEvents,
  webhookResends,
} from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { markSite } from '../freshness/marks.ts'

type Site = { id: string }

export type Failed = {
  /** The site's id for the first webhook. */
  webhookId?: string | null | undefined
  failedSince?: Date | undefined
  /** Defaults to now, which is also the latest. */
  failedUntil?: Date | undefined
  includeInterrupted?: boolean | undefined
}

export const Resend = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      webhookId: z
        .nullable(z.uuid())
        .check(z.describe("Null for all webhooks. The site's id for the first webhook")),
      failedSince: z.nullable(z.iso.datetime()),
      failedUntil: z.iso
        .datetime()
        .check(z.describe('Events that fail again after this time are not resent a second time')),
      includeInterrupted: z.boolean(),
      perSecond: z.nullable(z.int()),
      total: z.int().check(z.describe('The number of events to send when the resend started')),
      arrived: z.int(),
      failed: z.int().check(z.describe('The number of events that failed again')),
      notSent: z
        .int()
        .check(
          z.describe(
            'The number of events not sent yet. Once the resend has ended, the number of events it did not send',
          ),
        ),
      interrupted: z
        .int()
        .check(
          z.describe(
            'The number of events skipped because the service crashed while sending them, so they may have been delivered',
          ),
        ),
      startedAt: z.iso.datetime(),
      startedBy: z.nullable(z.string()),
      endedAt: z.nullable(z.iso.datetime()),
      ending: z.nullable(z.enum(resendEndings)).check(z.describe('Null while the resend is running')),
    })
    .register(z.globalRegistry, { id: 'Resend' }),
)

export type Resend = z.infer<typeof Resend>

export const FailedCount = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      failedUntil: z.iso.datetime(),
      total: z.int().check(z.describe('The number of events that a resend would send')),
      interrupted: z
        .int()
        .check(z.describe('The number of events that it would skip because they may have been delivered')),
    })
    .register(z.globalRegistry, { id: 'FailedCount' }),
)

/** SQL for an event `e` and a resend `r`. Nobody waits for a test. */
const isFailed = sql`e.site_id = r.site_id and e.state = 'failed' and e.event <> 'webhook.test'
  and e.finished_at <= r.failed_until and e.finished_at >= coalesce(r.failed_since, '-infinity')
  and e.endpoint_id = coalesce(r.endpoint_id, e.endpoint_id)
  and exists (select from ${webhookEndpoints} w where w.site_id = e.site_id and w.id = e.endpoint_id)`

const wasInterrupted = sql`exists (
  select from ${webhookDeliveries} d where d.event_id = e.id and d.error = 'interrupted')`

export const isToSend = sql`${isFailed} and (r.include_interrupted or not ${wasInterrupted})`

/** SQL for a resend `r`. */
export const hasWebhook = sql`exists (select from ${webhookEndpoints} w
  where w.site_id = r.site_id and w.id = coalesce(r.endpoint_id, w.id))`

/** CTEs: the row `r` of a resend, by the database's clock, and the number of events to send, by webhook and in total. */
const withCounts = (site: Site, { webhookId, failedSince, failedUntil, includeInterrupted }: Failed) => sql`
  r as (
    select ${site.id}::uuid as site_id, ${webhookId ?? null}::uuid as endpoint_id,
      ${failedSince?.toISOString() ?? null}::timestamptz as failed_since,
      date_trunc('milliseconds', least(now(), ${failedUntil?.toISOString() ?? null}::timestamptz)) as failed_until,
      ${includeInterrupted ?? false}::boolean as include_interrupted
  ),
  webhooks as (
    select endpoint_id as id, count(*) filter (where is_sent)::integer as count,
      count(*) filter (where not is_sent)::integer as interrupted,
      wire_time(max(finished_at) filter (where is_sent)) as until
    from (select e.endpoint_id, e.finished_at, r.include_interrupted or not ${wasInterrupted} as is_sent
      from r join ${webhookEvents} e on ${isFailed}) failed
    group by 1
  ),
  found as (
    select coalesce(sum(count), 0)::integer as total, coalesce(sum(interrupted), 0)::integer as interrupted from webhooks
  )`

/** `until` is when the last event failed. */
type FailedOfWebhook = { id: string; count: number; until: string }

export async function countFailed(ctx: Context, site: Site, failed: Failed) {
  const { rows } = await ctx.db.execute(sql`
    with ${withCounts(site, failed)}
    select wire_time(failed_until) as "failedUntil", total, found.interrupted,
      (select coalesce(jsonb_agg(to_jsonb(w) order by count desc, id) filter (where count > 0), '[]') from webhooks w) as webhooks
    from r, found`)
  const [{ webhooks, ...count }] = rows as [z.infer<typeof FailedCount> & { webhooks: FailedOfWebhook[] }]
  return { count, webhooks }
}

/** Starts a resend, or returns the running one. Ends at once if there is nothing to send. @throws AppError webhook_not_found */
export async function startResend(
  ctx: Context,
  site: Site,
  { perSecond = null, ...failed }: Failed & { perSecond?: number | null | undefined },
): Promise<{ resend: Resend; isNew: boolean }> {
  requireRole(ctx, 'editor')
  const id = crypto.randomUUID()
  await markSite(ctx, site)
  const [inserted, [row], webhooks] = await writeAs(ctx, [
    ctx.db.execute(sql`
      with ${withCounts(site, failed)}
      insert into ${webhookResends} (id, site_id, endpoint_id, failed_since, failed_until, include_interrupted, per_second,
        total, interrupted, ended_at, ending)
      select ${id}, r.site_id, r.endpoint_id, r.failed_since, r.failed_until, r.include_interrupted, ${perSecond}::integer,
        total, found.interrupted, case when total = 0 then now() end, case when total = 0 then 'done' end
      from r, found
      where ${hasWebhook} and not exists (
        select from ${webhookResends} where site_id = ${site.id} and ended_at is null)
      on conflict (site_id) where ended_at is null do nothing`),
    selectResends(ctx, site, or(eq(webhookResends.id, id), isNull(webhookResends.endedAt))).limit(1),
    ctx.db.execute(sql`
      with r as (select ${site.id}::uuid as site_id, ${failed.webhookId ?? null}::uuid as endpoint_id)
      select from r where ${hasWebhook}`),
  ] as const)
  if (webhooks.rowCount === 0) throw new AppError('webhook_not_found')
  // Another resend was running and has ended since.
  if (!row) return startResend(ctx, site, { perSecond, ...failed })
  const isNew = inserted.rowCount > 0
  if (isNew && row.endedAt === null) await enqueueTurn(ctx, id, 0)
  return { resend: toResend(row), isNew }
}

/** If the message is lost, the sweep sends another, because the site is marked. */
export async function enqueueTurn(ctx: Context, id: string, turn: number, delaySeconds = 0): Promise<void> {
  try {
    await ctx.queue.send({ kind: 'resend', resendId: id, turn }, { delaySeconds })
  } catch (error) {
    ctx.log('queue.unreachable', { resendId: id, error: describeError(error) })
  }
}

/** @throws AppError resend_not_found */
export async function stopResend(ctx: Context, site: Site, id: string): Promise<Resend> {
  requireRole(ctx, 'editor')
  const isRunning = and(
    eq(webhookResends.siteId, site.id),
    eq(webhookResends.id, id),
    isNull(webhookResends.endedAt),
  )
  const [, , [row]] = await writeAs(ctx, [
    ctx.db.update(webhookResends).set({ endedAt: sql`now()`, ending: 'stopped' }).where(isRunning),
    releaseUnsent(ctx, site, id),
    selectResends(ctx, site, eq(webhookResends.id, id)),
  ] as const)
  if (!row) throw new AppError('resend_not_found')
  return toResend(row)
}

/** Run it after the statement that ends the resend, so that it sees the events of the last turn. */
export function releaseUnsent({ db }: Context, site: Site, id: string) {
  return db.execute(sql`
    update ${webhookEvents} set state = 'failed', resend_id = null
    where site_id = ${site.id} and resend_id = ${id} and state = 'pending'`)
}

/** @throws AppError resend_not_found */
export async function getResend(ctx: Context, site: Site, id: string): Promise<Resend> {
  const [row] = await selectResends(ctx, site, eq(webhookResends.id, id))
  if (!row) throw new AppError('resend_not_found')
  return toResend(row)
}

export async function listResends(ctx: Context, site: Site, paging: Paging) {
  const after = afterCursor(paging.cursor, webhookResends.startedAt, webhookResends.id)
  const rows = await selectResends(ctx, site, after).limit(paging.limit + 1)
  return cutPage(rows, paging, (row) => row.startedAt, toResend)
}

/** Query for a batch. `toResend` reads its row. */
export function selectNewestResend(ctx: Context, site: Site) {
  return selectResends(ctx, site).limit(1)
}

/** Newest first. */
function selectResends({ db }: Context, site: Site, where?: SQL) {
  const { endpointId, id, startedAt, ...columns } = webhookResends
  const attempts = (where: SQL) =>
    sql`(select count(*) from ${webhookDeliveries} d
      where d.site_id = ${site.id} and d.resend_id = webhook_resends.id and ${where})`.mapWith(Number)
  return db
    .select({
      id,
      webhookId: endpointId,
      failedSince: columns.failedSince,
      failedUntil: columns.failedUntil,
      includeInterrupted: columns.includeInterrupted,
      perSecond: columns.perSecond,
      total: columns.total,
      sent: attempts(sql`true`),
      arrived: attempts(sql`d.error is null and d.status is not null`),
      failed: attempts(sql`d.error is not null`),
      interrupted: columns.interrupted,
      startedAt,
      startedBy: sql<string | null>`(select l.actor from ${auditLog} l
        where l.resource_id = webhook_resends.id and l.action = 'event.resend_started' limit 1)`,
      endedAt: columns.endedAt,
      ending: columns.ending,
    })
    .from(webhookResends)
    .where(and(eq(webhookResends.siteId, site.id), where))
    .orderBy(desc(startedAt), desc(id))
    .$dynamic()
}

export function toResend({ sent, ...row }: Awaited<ReturnType<typeof selectResends>>[number]): Resend {
  return {
    ...row,
    failedSince: wireTime(row.failedSince),
    failedUntil: wireTime(row.failedUntil),
    notSent: Math.max(0, row.total - sent),
    startedAt: wireTime(row.startedAt),
    endedAt: wireTime(row.endedAt),
  }
}

export function pruneResends(ctx: Context): Promise<number> {
  const isOld = sql`started_at < now() - ${`${ctx.config.RETENTION_DELIVERY_DAYS} days`}::interval and ended_at is not null`
  return prune(ctx, webhookResends, isOld)
}
