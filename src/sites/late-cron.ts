/** Says that the cron is late or has never run. Nothing else would: what it does is missing without an error. */
import type { Context } from '../context.ts'
import { cronAgeMs } from '../freshness/sweep.ts'

/** Cloudflare calls the cron each minute; a run or two may be late. */
const LATE_MS = 3 * 60_000

/** `since` is null when the last run is longer ago than Redis remembers, or never was. */
export type LateCron = { since: Date | null }

/** Null while the cron runs, and as long as no site is old enough for it to have run. */
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
