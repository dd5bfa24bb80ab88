import { and, eq, gte, inArray, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { optionalEvents } from '../core/enums.ts'
import { sites, webhookEvents } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { enqueueEvents } from './event-messages.ts'
import { purgeHidden } from './purges.ts'
import { type Latest, versionColumns, withSeqlock } from './site-versions.ts'

type Statements = Readonly<[BatchItem<'pg'>, ...BatchItem<'pg'>[]]>

export type EventMode = 'all' | 'none'

type Options<Results> = {
  sending?: EventMode | undefined
  /** Caches are purged at once after such a write. */
  hidesPublished?: (results: Results) => boolean
}

export type Written<Results> = {
  results: Results
  /** Events for the site's first webhook come first. */
  events: { id: string; event: string; resourceId: string }[]
  eventsNotSent: number
}

/** One transaction under the site's lock. Triggers create the versions and events. @throws AppError role_required */
export async function writeSite<Batch extends Statements>(
  ctx: Context,
  siteId: string,
  statements: Batch,
  { sending = 'all', hidesPublished }: Options<BatchResponse<Batch>> = {},
): Promise<Written<BatchResponse<Batch>>> {
  requireRole(ctx, 'editor')
  const all = await withSeqlock(ctx, siteId, async () => {
    const withdrawn = sending === 'none' ? [withdrawEvents(ctx, siteId)] : []
    const batch = [...statements, ...withdrawn, selectOutcome(ctx, siteId)] as const
    const result: readonly unknown[] = await writeAs(ctx, batch, { lock: siteId })
    return { result, versions: (result.at(-1) as Outcome[])[0] }
  })
  const results = all.slice(0, statements.length) as BatchResponse<Batch>
  const [outcome] = all.at(-1) as Outcome[]
  const events = outcome?.events ?? []
  if (outcome?.sitemapId && hidesPublished?.(results)) await purgeHidden(ctx, siteId)
  const eventIds = events.map(({ id }) => id)
  await enqueueEvents(ctx, siteId, eventIds)
  return { results, events, eventsNotSent: sending === 'none' ? (all.at(-2) as unknown[]).length : 0 }
}

type Outcome = Latest & { events: Written<unknown>['events'] | null }

function selectOutcome(ctx: Context, siteId: string) {
  const events = sql<Outcome['events']>`(
    select json_agg(json_build_object('id', ${webhookEvents.id}, 'event', ${webhookEvents.event}, 'resourceId', ${webhookEvents.resourceId})
      order by ${webhookEvents.endpointId} <> ${webhookEvents.siteId}, ${webhookEvents.id})
    from ${webhookEvents} where ${isFromThisWrite(siteId)})`
  return ctx.db
    .select({ ...versionColumns, events })
    .from(sites)
    .where(eq(sites.id, siteId))
}

function withdrawEvents(ctx: Context, siteId: string) {
  return ctx.db
    .delete(webhookEvents)
    .where(and(isFromThisWrite(siteId), inArray(webhookEvents.event, optionalEvents)))
    .returning({ id: webhookEvents.id })
}

/** The indexed time narrows the search. The transaction id decides. */
const isFromThisWrite = (siteId: string) =>
  and(
    eq(webhookEvents.siteId, siteId),
    gte(webhookEvents.createdAt, sql`date_trunc('milliseconds', now())`),
    sql`${webhookEvents.transactionId} = pg_current_xact_id()::text::bigint`,
  )
