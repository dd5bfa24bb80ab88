/**
 * The sweep finishes what was left undone. Each minute one call to Redis tells which sites were marked, and only for
 * those is Postgres asked; once an hour all sites are swept, so that what nobody marked is found too. A job of that sweep
 * that fails is tried again by itself, after longer and longer pauses.
 */
import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { sites, webhookEvents, webhookResends } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { dueSiteId, type Mark, parseMarks, readDue, readMarks, removeMarks } from './marks.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const STATE_KEPT_S = (2 * HOUR_MS) / 1_000
/** The answer of PTTL for a key that is not there. */
const NO_KEY = -2
const MAX_MARKS = 5_000
const SITES_AT_ONCE = 500
const MAX_DUE = 500
/** A mark is kept for longer than any write takes, also one that Postgres commits after its writer has given up. */
const MARK_KEPT_MS = MINUTE_MS

/** `siteIds` is null for all sites. Returns how many rows or sites there were. */
type Job = (ctx: Context, now: Date, siteIds: string[] | null) => Promise<number>

/** By name, in the order in which they run. Those `ofSites` also run each minute, for the marked sites. */
export type Jobs = {
  all: Record<string, Job>
  ofSites: Record<string, Job>
  /** The name of the one that is also run when something is due, for the sites in which it is. */
  due: string
  /** Jobs whose work list is in Redis. No mark of a site is removed while one of them finds work. */
  keepMarks: string[]
}

/** What each job did; null for one that failed. */
export type Swept = Record<string, number | null>

/** When all sites were swept last, and the jobs that failed then, in Unix milliseconds. */
type State = { sweptAt: number; failed: Record<string, { retryAt: number; pauseMs: number }> }

const UNKNOWN: State = { sweptAt: 0, failed: {} }

const stateKey = (ctx: Context) => `${ctx.config.REDIS_PREFIX}:sweep`

/**
 * The sweep of a minute: first what was marked for a time that has come, then the jobs over all sites that are due, which are all
 * of them an hour after the last time, or if Redis does not know when that was, and otherwise those of the marked sites too. If Redis
 * does not answer, all sites are swept at the full hour only.
 */
export async function sweep(ctx: Context, jobs: Jobs, now: Date): Promise<Swept> {
  const found = await readState(ctx, now)
  if (!found) return now.getUTCMinutes() === 0 ? sweepAll(ctx, jobs, now) : {}
  const { state, marks, due } = found
  // First, since somebody waits for it.
  const done = await runDue(ctx, jobs, now, due)
  const swept = await sweepDue(ctx, jobs, now, state)
  add(swept, done)
  const areAllSwept = Object.keys(jobs.ofSites).every((name) => name in swept)
  if (areAllSwept) return swept
  for (let from = 0; from < marks.length; from += SITES_AT_ONCE) {
    add(swept, await sweepMarked(ctx, jobs, now, marks.slice(from, from + SITES_AT_ONCE)))
  }
  return swept
}

function add(swept: Swept, more: Swept): void {
  for (const [name, count] of Object.entries(more)) {
    swept[name] = swept[name] === null || count === null ? null : (swept[name] ?? 0) + count
  }
}

/** How long ago the cron last ran: Infinity for more than two hours, or never. Null when Redis cannot say. */
export async function cronAgeMs(ctx: Context): Promise<number | null> {
  try {
    const leftMs = Number(await ctx.redis.pttl(stateKey(ctx)))
    if (leftMs === NO_KEY) return Number.POSITIVE_INFINITY
    return leftMs >= 0 ? STATE_KEPT_S * 1_000 - leftMs : null
  } catch {
    return null
  }
}

/** Runs every job over all sites. */
export function sweepAll(ctx: Context, jobs: Jobs, now: Date): Promise<Swept> {
  return sweepDue(ctx, jobs, now, UNKNOWN)
}

/** The jobs count as failed until they have succeeded, since this Worker may die. */
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
  await writeState(ctx, next)
  const swept = await run(ctx, now, Object.fromEntries(due), null)
  for (const [name, count] of Object.entries(swept)) if (count !== null) delete next.failed[name]
  // If Redis has lost its data meanwhile, it has also lost what the jobs published there.
  await writeState(ctx, next, { isEnd: true })
  return swept
}

/** If Redis does not take it, or has lost what was there, the same is due in the next minute. */
async function writeState(ctx: Context, state: State, { isEnd = false } = {}): Promise<void> {
  try {
    const options = isEnd ? ({ ex: STATE_KEPT_S, xx: true } as const) : { ex: STATE_KEPT_S }
    await ctx.redis.set(stateKey(ctx), JSON.stringify(state), options)
  } catch (error) {
    ctx.log('sweep.unnoted', { error: describeError(error) })
  }
}

/** With the oldest marks, and those of what is due. Null when Redis does not answer, which says nothing of what there is to do. */
async function readState(
  ctx: Context,
  now: Date,
): Promise<{ state: State; marks: Mark[]; due: Mark[] } | null> {
  const reading = ctx.redis.pipeline()
  // Each run renews the time to live, by which `cronAgeMs` knows when the last one was: it costs no command more.
  reading.getex(stateKey(ctx), { ex: STATE_KEPT_S })
  readMarks(ctx, reading, 'waiting', MAX_MARKS)
  readDue(ctx, reading, now, MAX_DUE)
  try {
    const [state, marks, due] = await reading.exec<[unknown, unknown, unknown]>()
    if (!Array.isArray(marks) || !Array.isArray(due)) throw new TypeError('Redis answers nonsense')
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

/** A mark goes once the job finds nothing any more, and whoever may have set it late has written. */
async function runDue(ctx: Context, jobs: Jobs, now: Date, marks: Mark[]): Promise<Swept> {
  if (marks.length === 0) return {}
  const siteIds = marks.length < MAX_DUE ? [...new Set(marks.map(dueSiteId))] : null
  const swept = await run(ctx, now, { [jobs.due]: jobs.all[jobs.due]! }, siteIds)
  const old = marks.filter(({ at }) => at <= now.getTime() - MARK_KEPT_MS)
  if (swept[jobs.due] === 0 && old.length > 0) {
    await removeMarks(ctx, 'due', old).catch((error) =>
      ctx.log('sweep.unnoted', { error: describeError(error) }),
    )
  }
  return swept
}

/** Removes the marks of sites with nothing left to do, unless they were marked again meanwhile. */
async function sweepMarked(ctx: Context, jobs: Jobs, now: Date, marks: Mark[]): Promise<Swept> {
  const siteIds = marks.map(({ id }) => id)
  const swept = await run(ctx, now, jobs.ofSites, siteIds)
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

/** Those of the sites that have an event or a resend that is not finished, or that are being deleted. */
async function openSites({ db }: Context, siteIds: string[]): Promise<Set<string>> {
  const { rows } = await db.execute(sql`
    select distinct site_id from ${webhookEvents} where state in ('pending', 'sending') and ${isOfSites(siteIds)}
    union select site_id from ${webhookResends} where ended_at is null and ${isOfSites(siteIds)}
    union select id from (select id, id as site_id from ${sites} where deletion_started_at is not null) s
    where ${isOfSites(siteIds)}`)
  return new Set((rows as { site_id: string }[]).map((row) => row.site_id))
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
