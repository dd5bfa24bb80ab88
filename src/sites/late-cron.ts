/** Detects a cron that is late or never ran. Its missing work would cause no errors. */
import type { Context } from '../context.ts'
import { cronAgeMs } from '../freshness/sweep.ts'

/** Cloudflare calls the cron each minute, but may skip a run or two. */
const LATE_MS = 3 * 60_000

/** `since` is null if the last run is older than Redis remembers, or never happened. */
export type LateCron = { since: Date | null }

/** Null while the cron runs, and while all sites are too young for it to have run. */
export async function findLateCron(
  ctx: Context,
  oldestSiteMs: number | null,
  now: Date,
): Promise<LateCron | null> {
  if (oldestSiteMs === null || now.getTime() - oldestSiteMs < LATE_MS) return null
  const ageMs = await cronAgeMs(ctx)
  if (ageMs === null || ageMs < LATE_MS) return null
  return { since: Number.isFinite(ageMs) ? new Date(now.getTime() - ageMs) : null }
}
