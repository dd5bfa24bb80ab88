/** The state of the service for monitors: the databases it needs, and its work in the background. */
import { sql } from 'drizzle-orm'
import { SingleFlight } from '../cache/single-flight.ts'
import type { Caches } from '../caches.ts'
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { webhookEvents } from '../db/schema.ts'
import { readSweepState, type SweepState } from './sweep.ts'

/** Cloudflare calls the cron each minute, but may skip a run or two. */
export const LATE_CRON_MS = 3 * 60_000
/** A sweep of all sites is due each hour, and then takes up to some minutes. */
const LATE_SWEEP_MS = 75 * 60_000
/** The sweep sends a lost message after a minute, so an older event means that the queue does not work. */
export const LATE_EVENT_MS = 10 * 60_000
/** How long an isolate reuses a result, and caches may. */
export const HEALTH_KEPT_S = 5

/** `unknown` where the database that knows it does not respond. */
type Status = 'ok' | 'failing' | 'unknown'
type Check = { status: Status; ageSeconds?: number | null; failedJobs?: string[] }

/** Ages are seconds, null if it never happened. Contains nothing about sites or people. */
export type Health = {
  status: 'ok' | 'failing'
  checkedAt: string
  version: string | null
  checks: Record<'redis' | 'cron' | 'sweep', Check> & { postgres?: Check; queue?: Check }
}

type Kept = { checking: SingleFlight<Health>; last: { health: Health; until: number } | null }

/** Longer than a check takes. */
const MAX_WAIT_MS = 10_000

/** By the caches of the isolate, then by `withPostgres`. */
const kept = new WeakMap<Caches, Map<boolean, Kept>>()

const HEARTBEAT_TIMEOUT_MS = 8_000

/** For a monitor that raises an alarm when it hears nothing. Sent after each sweep without a failed job. */
export async function sendHeartbeat(ctx: Context): Promise<void> {
  const url = ctx.config.HEARTBEAT_URL
  if (!url) return
  try {
    const response = await ctx.fetch(url, { signal: AbortSignal.timeout(HEARTBEAT_TIMEOUT_MS) })
    await response.body?.cancel()
    if (!response.ok) ctx.log('heartbeat.failed', { status: response.status })
  } catch (error) {
    // Its URL is a credential, so the message, which may contain it, is not logged.
    ctx.log('heartbeat.failed', { error: (error as Error).name })
  }
}

/**
 * One check at a time in an isolate, because anyone may ask. `withPostgres` wakes a sleeping database, so it is not asked by
 * default.
 */
export async function getHealth(ctx: Context, now: Date, { withPostgres = false } = {}): Promise<Health> {
  const ofIsolate = kept.get(ctx.caches) ?? new Map<boolean, Kept>()
  kept.set(ctx.caches, ofIsolate)
  const own: Kept = ofIsolate.get(withPostgres) ?? { checking: new SingleFlight(MAX_WAIT_MS), last: null }
  ofIsolate.set(withPostgres, own)
  if (own.last && own.last.until > now.getTime()) return own.last.health
  const pending = own.checking.pending('health')
  const shared = pending && (await pending)
  if (shared) return shared
  const health = await own.checking.lead('health', () => checkHealth(ctx, now, withPostgres), ctx.defer)
  own.last = { health, until: now.getTime() + HEALTH_KEPT_S * 1_000 }
  return health
}

async function checkHealth(ctx: Context, now: Date, withPostgres: boolean): Promise<Health> {
  const [ofRedis, ofPostgres] = await Promise.all([
    readSweepState(ctx).then(
      (state) => checkSweeps(state, now),
      (error) => ({ redis: refused(ctx, error), cron: UNKNOWN, sweep: UNKNOWN }),
    ),
    withPostgres &&
      readOldestEventMs(ctx).then(
        (ageMs) => ({ postgres: OK, queue: checkAge(ageMs, LATE_EVENT_MS) }),
        (error) => ({ postgres: refused(ctx, error), queue: UNKNOWN }),
      ),
  ])
  const checks = { ...ofRedis, ...ofPostgres }
  const isOk = Object.values(checks).every(({ status }) => status === 'ok')
  return { status: statusOf(isOk), checkedAt: now.toISOString(), version: ctx.config.version, checks }
}

const OK: Check = { status: 'ok' }
const UNKNOWN: Check = { status: 'unknown' }

const statusOf = (isOk: boolean): 'ok' | 'failing' => (isOk ? 'ok' : 'failing')

function refused(ctx: Context, error: unknown): Check {
  ctx.log('health.failing', { error: describeError(error) })
  return { status: 'failing' }
}

const toSeconds = (ms: number) => (Number.isFinite(ms) ? Math.max(0, Math.round(ms / 1_000)) : null)

const checkAge = (ageMs: number, lateMs: number): Check => ({
  status: statusOf(ageMs < lateMs),
  ageSeconds: toSeconds(ageMs),
})

/** One failed run of a job is not reported, because the next minute retries it. */
function checkSweeps({ cronAgeMs, sweptAt, failing }: SweepState, now: Date) {
  const sweep = checkAge(sweptAt === 0 ? Infinity : now.getTime() - sweptAt, LATE_SWEEP_MS)
  return {
    redis: OK,
    cron: checkAge(cronAgeMs, LATE_CRON_MS),
    sweep: { ...sweep, ...(failing.length > 0 && { status: 'failing' as const, failedJobs: failing }) },
  }
}

/** The age of the oldest event that waits for the queue, 0 without one. */
export async function readOldestEventMs({ db }: Context): Promise<number> {
  const { rows } = await db.execute(sql`
    select coalesce(extract(epoch from now() - min(greatest(created_at, claimed_at))) * 1000, 0)::float8 as age
    from ${webhookEvents} where state in ('pending', 'sending')`)
  return Number(rows[0]!.age)
}
