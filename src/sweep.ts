/**
 * The sweep finishes what was left undone. Each minute one call to Redis tells which sites were marked, and only for
 * those is Postgres asked; once an hour all sites are swept, so that what nobody marked is found too.
 */
import { storeKeyUses } from './activity.ts'
import { pruneAuditLog } from './audit-log.ts'
import { pruneTombstones } from './changes.ts'
import type { Context } from './context.ts'
import { renewSharedAuths } from './keys.ts'
import { describeError } from './log.ts'
import { type Mark, parseMarks, readMarks, removeMarks } from './marks.ts'
import { purgeSitemaps } from './purges.ts'
import { pruneSessions } from './sessions.ts'
import { publishStaleVersions } from './site-versions.ts'
import { rollUpUsage } from './usage.ts'
import { closeInterruptedAttempts } from './webhooks/attempt.ts'
import { reencryptSecrets } from './webhooks/endpoint.ts'
import { pruneEvents, requeueOverdueEvents, sitesWithOpenEvents } from './webhooks/event.ts'

const SWEPT_FOR_S = 3_600
const MAX_MARKS = 5_000
const SITES_AT_ONCE = 500
/** A mark is kept for longer than any write takes, also one that Postgres commits after its writer has given up. */
const MARK_KEPT_MS = 60_000

/** `siteIds` is null for all sites. Returns how many rows or sites there were. */
type Job = (ctx: Context, now: Date, siteIds: string[] | null) => Promise<number>

const SITE_JOBS = {
  // Before events are requeued: a receiver must see the post that its event is about.
  publishStaleVersions,
  closeInterruptedAttempts,
  requeueOverdueEvents,
  storeKeyUses,
  purgeSitemaps,
} satisfies Record<string, Job>

const JOBS = {
  ...SITE_JOBS,
  renewSharedAuths,
  rollUpUsage,
  pruneEvents,
  reencryptSecrets,
  pruneTombstones,
  pruneSessions,
  pruneAuditLog,
} satisfies Record<string, Job>

/** What each job did; null for one that failed. */
export type Swept = Record<string, number | null>

const sweptKey = (ctx: Context) => `${ctx.config.REDIS_PREFIX}:swept`

/** The sweep of a minute: of the marked sites, or of all if that was an hour ago or Redis cannot tell. */
export async function sweep(ctx: Context, now: Date): Promise<Swept> {
  const marks = await findMarks(ctx)
  if (!marks) return sweepAll(ctx, now)
  const swept: Swept = {}
  for (let from = 0; from < marks.length; from += SITES_AT_ONCE) {
    const done = await sweepMarked(ctx, now, marks.slice(from, from + SITES_AT_ONCE))
    for (const [name, count] of Object.entries(done)) {
      swept[name] = swept[name] === null || count === null ? null : (swept[name] ?? 0) + count
    }
  }
  return swept
}

/** Runs every job over all sites. */
export async function sweepAll(ctx: Context, now: Date): Promise<Swept> {
  const swept = await run(ctx, now, JOBS, null)
  if (isComplete(swept)) await noteSweep(ctx, now)
  return swept
}

/** If Redis does not take it, all sites are swept again in the next minute. */
async function noteSweep(ctx: Context, now: Date): Promise<void> {
  try {
    await ctx.redis.set(sweptKey(ctx), now.toISOString(), { ex: SWEPT_FOR_S })
  } catch (error) {
    ctx.log('sweep.unnoted', { error: describeError(error) })
  }
}

/** The oldest marks. Null when all sites are to be swept. */
async function findMarks(ctx: Context): Promise<Mark[] | null> {
  const reading = ctx.redis.pipeline()
  reading.get(sweptKey(ctx))
  readMarks(ctx, reading, 'waiting', MAX_MARKS)
  try {
    const [swept, marks] = await reading.exec<[unknown, unknown]>()
    return swept ? parseMarks(marks) : null
  } catch (error) {
    ctx.log('sweep.without_marks', { error: describeError(error) })
    return null
  }
}

/** Removes the marks of sites with nothing left to do, unless they were marked again meanwhile. */
async function sweepMarked(ctx: Context, now: Date, marks: Mark[]): Promise<Swept> {
  const siteIds = marks.map(({ id }) => id)
  const swept = await run(ctx, now, SITE_JOBS, siteIds)
  const done = marks.filter(({ at }) => at <= now.getTime() - MARK_KEPT_MS)
  // While purges wait, no mark is removed: without any, the next minute would not look for them.
  if (!isComplete(swept) || swept.purgeSitemaps !== 0 || done.length === 0) return swept
  const open = await sitesWithOpenEvents(ctx, siteIds)
  await removeMarks(
    ctx,
    'waiting',
    done.filter(({ id }) => !open.has(id)),
  )
  return swept
}

/** Jobs are independent: one that fails does not stop the others. */
async function run(
  ctx: Context,
  now: Date,
  jobs: Record<string, Job>,
  siteIds: string[] | null,
): Promise<Swept> {
  const swept: Swept = {}
  for (const [name, job] of Object.entries(jobs)) {
    swept[name] = await job(ctx, now, siteIds).catch((error) => {
      ctx.log('sweep.failed', { job: name, error: describeError(error) })
      return null
    })
  }
  return swept
}

function isComplete(swept: Swept): boolean {
  return !Object.values(swept).includes(null)
}
