/**
 * Runs a resend in turns. A turn is a queue message: it takes the next events, enqueues them, and then enqueues the next turn. A
 * duplicate or late message does nothing, and the sweep replaces a lost one.
 */
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { auditLog, sites, webhookEvents, webhookResends } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { writeAs } from '../db/write.ts'
import { sendEventMessages } from '../freshness/event-messages.ts'
import type { Sweep } from '../freshness/sweep.ts'
import { authorColumns, continueAs } from '../people/audit-log.ts'
import { enqueueTurn, hasWebhook, isToSend, releaseUnsent } from './resend.ts'

/** The limit of one queue call. Events of other sites get in between turns. */
const TAKEN_AT_ONCE = 100
/** Between turns that only wait for events that are being sent. */
const WAIT_SECONDS = 1
/** Longer than any pause between turns. */
const STOPPED_AFTER = '30 seconds'
const MAX_CONTINUED = 100

type Turn = { siteId: string; hasEnded: boolean; perSecond: number | null; eventIds: string[] }

export async function continueResend(ctx: Context, id: string, turn: number): Promise<void> {
  const taken = await takeTurn(ctx, id, turn)
  if (!taken) return
  const { siteId, hasEnded, perSecond, eventIds } = taken
  if (hasEnded) return void (await releaseUnsent(ctx, { id: siteId }, id))
  if (eventIds.length > 0) {
    await sendEventMessages(ctx, eventIds)
    return enqueueTurn(ctx, id, turn + 1, perSecond === null ? 0 : 1)
  }
  if (!(await finish(ctx, siteId, id))) await enqueueTurn(ctx, id, turn + 1, WAIT_SECONDS)
}

/** @returns null if the turn was already taken or the resend has ended */
async function takeTurn(ctx: Context, id: string, turn: number): Promise<Turn | null> {
  const isOver = sql`(not ${hasWebhook} or exists (
    select from ${sites} s where s.id = r.site_id and s.deletion_started_at is not null))`
  const { rows } = await ctx.db.execute(sql`
    with r as (
      update ${webhookResends} r set turn = turn + 1, turned_at = now(),
        ended_at = case when ${isOver} then now() end, ending = case when ${isOver} then 'webhook_removed' end
      where id = ${id} and turn = ${turn} and ended_at is null
      returning *
    ),
    next as (
      select e.id from r join ${webhookEvents} e on ${isToSend} and e.resend_id is distinct from r.id
      where r.ended_at is null
      order by e.finished_at, e.id limit (select coalesce(per_second, ${TAKEN_AT_ONCE}) from r)
    ),
    taken as (
      update ${webhookEvents} e set state = 'pending', resend_id = r.id, claimed_at = now()
      from r where e.site_id = r.site_id and e.state = 'failed' and e.id in (select id from next)
      returning e.id
    )
    select site_id as "siteId", ended_at is not null as "hasEnded", per_second as "perSecond",
      (select coalesce(json_agg(id), '[]') from taken) as "eventIds"
    from r`)
  return (rows[0] as Turn | undefined) ?? null
}

/** Ends a resend in the changeset that started it. @returns false while its events are pending or being sent */
async function finish(ctx: Context, siteId: string, id: string): Promise<boolean> {
  const [started] = await ctx.db
    .select(authorColumns)
    .from(auditLog)
    .where(and(eq(auditLog.resourceId, id), eq(auditLog.action, 'event.resend_started')))
    .orderBy(desc(auditLog.id))
    .limit(1)
  const [ended] = await writeAs(continueAs(ctx, started, 'editor'), [
    ctx.db.execute(sql`
      update ${webhookResends} set ended_at = now(), ending = 'done'
      where id = ${id} and site_id = ${siteId} and ended_at is null and not exists (
        select from ${webhookEvents} e
        where e.site_id = ${siteId} and e.resend_id = ${id} and e.state in ('pending', 'sending'))`),
  ])
  return ended.rowCount > 0
}

/** Replaces lost messages of stalled resends. */
export async function continueResends(ctx: Context, { siteIds }: Pick<Sweep, 'siteIds'>): Promise<number> {
  const { rows } = await ctx.db.execute(sql`
    select id, turn from ${webhookResends}
    where ended_at is null and turned_at < now() - ${STOPPED_AFTER}::interval and ${isOfSites(siteIds)}
    limit ${MAX_CONTINUED}`)
  for (const { id, turn } of rows as { id: string; turn: number }[]) await enqueueTurn(ctx, id, turn)
  return rows.length
}
