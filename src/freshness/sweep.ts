/** The sweep finishes interrupted work: each minute for marked sites, each hour for all sites, in case a mark is missing. */
import { inArray, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { activeImportPhases } from '../core/enums.ts'
import { describeError } from '../core/log.ts'
import { imports, sites, webhookEvents, webhookResends } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { dueSiteId, type Mark, parseMarks, readDue, readMarks, removeMarks } from './marks.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const STATE_KEPT_S = (2 * HOUR_MS) / 1_000
/** PTTL's reply for a missing key. */
const NO_KEY = -2
const MAX_MARKS = 5_000
const SITES_AT_ONCE = 500
const MAX_DUE = 500
/** Longer than any write takes, even if Postgres commits it after its writer timed out. */
const MARK_KEPT_MS = MINUTE_MS

/** `siteIds` is null for all sites. */
export type Sweep = { now: Date; siteIds: string[] | null }

/** Returns the number of rows or sites. */
type Job = (ctx: Context, sweep: Sweep) => Promise<number>

/** In running order. `ofSites` also run each minute for marked sites. */
export type Jobs = {
  all: Record<string, Job>
  ofSites: Record<string, Job>
  /** This job also runs for sites with something due. */
  due: string
  /** All marks stay while one of these has work, because it runs only while a site is marked. */
  keepMarks: string[]
}

/** Null for a failed job. */
export type Swept = Record<string, number | null>

type State = { sweptAt: number; failed: Record<string, { retryAt: number; pauseMs: number }> }

const UNKNOWN: State = { sweptAt: 0, failed: {} }

const stateKey = (ctx: Context) => `${ctx.config.REDIS_PREFIX}:sweep`

/** While Redis is down, sweeps all sites on the hour only. */
export async function sweep(ctx: Context, jobs: Jobs, now: Date): Promise<Swept> {
  const found = await readState(ctx, now)
  if (!found) return { ...(now.getUTCMinutes() === 0 && (await sweepAll(ctx, jobs, now))), readMarks: null }
  const { state, marks, due } = found
  // First, because people wait for it.
  const done = await runDue(ctx, jobs, now, due)
  const swept = await sweepDue(ctx, jobs, now, state)
  add(swept, done)
  const areAllSwept = Object.keys(jobs.ofSites).every((name) => name in swept)
  if (areAllSwept) return withWaiting(swept, state)
  for (let from = 0; from < marks.length; from += SITES_AT_ONCE) {
    add(swept, await sweepMarked(ctx, jobs, now, marks.slice(from, from + SITES_AT_ONCE)))
  }
  return withWaiting(swept, state)
}

/** Jobs that failed and wait for their retry are failed jobs. */
function withWaiting(swept: Swept, { failed }: State): Swept {
  return { ...Object.fromEntries(Object.keys(failed).map((name) => [name, null])), ...swept }
}

function add(swept: Swept, more: Swept): void {
  for (const [name, count] of Object.entries(more)) {
    swept[name] = swept[name] === null || count === null ? null : (swept[name] ?? 0) + count
  }
}

export type SweepState = {
  /** Infinity after more than two hours or without any run. */
  cronAgeMs: number
  /** The start of the last sweep of all sites in Unix milliseconds, or 0. */
  sweptAt: number
  /** The jobs whose last two runs failed. */
  failing: string[]
}

/** @throws Error if Redis is unreachable */
export async function readSweepState(ctx: Context): Promise<SweepState> {
  const reading = ctx.redis.pipeline()
  reading.pttl(stateKey(ctx))
  reading.get(stateKey(ctx))
  const [leftMs, text] = await reading.exec<[unknown, unknown]>()
  if (!Number.isInteger(leftMs)) throw new TypeError('Redis sent an invalid reply')
  const { sweptAt, failed } = parseState(text)
  return {
    cronAgeMs: leftMs === NO_KEY ? Number.POSITIVE_INFINITY : STATE_KEPT_S * 1_000 - Number(leftMs),
    sweptAt,
    failing: Object.keys(failed).filter((name) => failed[name]!.pauseMs > MINUTE_MS),
  }
}

export function sweepAll(ctx: Context, jobs: Jobs, now: Date): Promise<Swept> {
  return sweepDue(ctx, jobs, now, UNKNOWN)
}

/** Records the jobs as failed until they succeed, because this Worker may die. Pauses between retries double. */
async function sweepDue(ctx: Context, jobs: Jobs, now: Date, { sweptAt, failed }: State): Promise<Swept> {
  const at = now.getTime()
  const areAllDue = Math.abs(at - sweptAt) >= HOUR_MS
  const isDue = ([name]: [string, Job]) => areAllDue || at >= (failed[name]?.retryAt ?? Infinity)
  const due = Object.entries(jobs.all).filter(isDue)
  if (due.length === 0) return {}
  const next: State = { sweptAt: areAllDue ? at : sweptAt, failed: areAllDue ? {} : { ...failed } }
  for (const [name] of due) {
    const pauseMs = Math.min((failed[name]?.pauseMs ?? MINUTE_MS / 2) * 2, HOUR_MS)
    next.failed[name] = { retryAt: at + pauseMs, pauseMs }
  }
  const isNoted = await writeState(ctx, next)
  const swept = await run(ctx, Object.fromEntries(due), { now, siteIds: null })
  for (const [name, count] of Object.entries(swept)) if (count !== null) delete next.failed[name]
  // If Redis lost its data meanwhile, the jobs' results are lost too, so don't recreate the state.
  await writeState(ctx, next, { isEnd: true })
  return isNoted ? swept : { ...swept, noteState: null }
}

/** If Redis refuses or loses the state, the same jobs are due in the next minute. @returns false if Redis refuses it */
async function writeState(ctx: Context, state: State, { isEnd = false } = {}): Promise<boolean> {
  try {
    const options = isEnd ? ({ ex: STATE_KEPT_S, xx: true } as const) : { ex: STATE_KEPT_S }
    await ctx.redis.set(stateKey(ctx), JSON.stringify(state), options)
    return true
  } catch (error) {
    ctx.log('sweep.unnoted', { error: describeError(error) })
    return false
  }
}

/** Null if Redis is unreachable: we cannot know what is due. */
async function readState(
  ctx: Context,
  now: Date,
): Promise<{ state: State; marks: Mark[]; due: Mark[] } | null> {
  const reading = ctx.redis.pipeline()
  // Renews the TTL, from which `readSweepState` derives the last run, without an extra command.
  reading.getex(stateKey(ctx), { ex: STATE_KEPT_S })
  readMarks(ctx, reading, 'waiting', MAX_MARKS)
  readDue(ctx, reading, now, MAX_DUE)
  try {
    const [state, marks, due] = await reading.exec<[unknown, unknown, unknown]>()
    if (!Array.isArray(marks) || !Array.isArray(due)) throw new TypeError('Redis sent an invalid reply')
    return { state: parseState(state), marks: parseMarks(marks), due: parseMarks(due) }
  } catch (error) {
    ctx.log('sweep.without_marks', { error: describeError(error) })
    return null
  }
}

function parseState(text: unknown): State {
  try {
    const state = JSON.parse(String(text))
    return Number.isInteger(state?.sweptAt) ? state : UNKNOWN
  } catch {
    return UNKNOWN
  }
}

/** Keeps a mark until late writers have finished. */
async function runDue(ctx: Context, jobs: Jobs, now: Date, marks: Mark[]): Promise<Swept> {
  if (marks.length === 0) return {}
  const siteIds = marks.length < MAX_DUE ? [...new Set(marks.map(dueSiteId))] : null
  const swept = await run(ctx, { [jobs.due]: jobs.all[jobs.due]! }, { now, siteIds })
  const old = marks.filter(({ at }) => at <= now.getTime() - MARK_KEPT_MS)
  if (swept[jobs.due] === 0 && old.length > 0) {
    await removeMarks(ctx, 'due', old).catch((error) =>
      ctx.log('sweep.unnoted', { error: describeError(error) }),
    )
  }
  return swept
}

async function sweepMarked(ctx: Context, jobs: Jobs, now: Date, marks: Mark[]): Promise<Swept> {
  const siteIds = marks.map(({ id }) => id)
  const swept = await run(ctx, jobs.ofSites, { now, siteIds })
  const done = marks.filter(({ at }) => at <= now.getTime() - MARK_KEPT_MS)
  const isBusy = jobs.keepMarks.some((name) => swept[name] !== 0)
  if (!isComplete(swept) || isBusy || done.length === 0) return swept
  const open = await openSites(ctx, siteIds)
  await removeMarks(
    ctx,
    'waiting',
    done.filter(({ id }) => !open.has(id)),
  )
  return swept
}

async function openSites({ db }: Context, siteIds: string[]): Promise<Set<string>> {
  const { rows } = await db.execute(sql`
    select distinct site_id from ${webhookEvents} where state in ('pending', 'sending') and ${isOfSites(siteIds)}
    union select site_id from ${webhookResends} where ended_at is null and ${isOfSites(siteIds)}
    union select site_id from ${imports} where ${inArray(imports.phase, activeImportPhases)} and ${isOfSites(siteIds)}
    union select id from (select id, id as site_id from ${sites} where deletion_started_at is not null) s
    where ${isOfSites(siteIds)}`)
  return new Set((rows as { site_id: string }[]).map((row) => row.site_id))
}

async function run(ctx: Context, jobs: Record<string, Job>, sweep: Sweep): Promise<Swept> {
  const swept: Swept = {}
  for (const [name, job] of Object.entries(jobs)) {
    swept[name] = await job(ctx, sweep).catch((error) => {
      ctx.log('sweep.failed', { job: name, error: describeError(error) })
      return null
    })
  }
  return swept
}

export function isComplete(swept: Swept): boolean {
  return !Object.values(swept).includes(null)
}
