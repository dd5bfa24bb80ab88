/** Detects a cron that is late or never ran. Its missing work would cause no errors. */
import type { Context } from '../context.ts'
import { LATE_CRON_MS } from '../freshness/health.ts'
import { readSweepState } from '../freshness/sweep.ts'

/** `since` is null if the last run is older than Redis remembers, or never happened. */
export type LateCron = { since: Date | null }

/** Null while the cron runs or Redis is unreachable, and while all sites are too young for it to have run. */
export async function findLateCron(
  ctx: Context,
  oldestSiteMs: number | null,
  now: Date,
): Promise<LateCron | null> {
  if (oldestSiteMs === null || now.getTime() - oldestSiteMs < LATE_CRON_MS) return null
  const { cronAgeMs } = await readSweepState(ctx).catch(() => ({ cronAgeMs: 0 }))
  if (cronAgeMs < LATE_CRON_MS) return null
  return { since: Number.isFinite(cronAgeMs) ? new Date(now.getTime() - cronAgeMs) : null }
}
