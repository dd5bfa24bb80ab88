/** The sweep's work list in Redis, so that it queries Postgres only for work. Only the sweep removes marks. */
import type { Pipeline } from '@upstash/redis'
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { ON_LEADER } from '../core/redis.ts'

/** Sorted sets, scored by the last mark in Unix milliseconds. `waiting`: sites with work for the sweep. */
type MarkSet = 'waiting' | 'key-uses' | 'purges' | 'due'

export type Mark = { id: string; at: number }

/** Ids, then their times. */
const REMOVE = `${ON_LEADER}
  local count, done = #ARGV / 2, {}
  if count > 0 then
    for i, at in ipairs(redis.call('ZMSCORE', KEYS[1], unpack(ARGV, 1, count))) do
      if at and tonumber(at) == tonumber(ARGV[count + i]) then table.insert(done, ARGV[i]) end
    end
  end
  if #done > 0 then redis.call('ZREM', KEYS[1], unpack(done)) end
  return redis.call('ZCARD', KEYS[1])`

export function marksKey(ctx: Context, set: MarkSet): string {
  return `${ctx.config.REDIS_PREFIX}:${set}`
}

/** One command, because Upstash counts them. Needs at least one id. */
export function addMarks(ctx: Context, pipeline: Pipeline, set: MarkSet, ids: string[]): void {
  const [first, ...others] = ids.map((member) => ({ score: Date.now(), member }))
  pipeline.zadd(marksKey(ctx, set), first!, ...others)
}

/** Marks a new site, or a site before one of its events opens. If Redis is down, the hourly sweep finds it. */
export function markSite(ctx: Context, site: { id: string }): Promise<void> {
  return markSites(ctx, [site.id])
}

export async function markSites(ctx: Context, siteIds: string[]): Promise<void> {
  if (siteIds.length === 0) return
  try {
    const pipeline = ctx.redis.pipeline()
    addMarks(ctx, pipeline, 'waiting', siteIds)
    await pipeline.exec()
  } catch (error) {
    for (const siteId of siteIds) ctx.log('site.unmarked', { siteId, error: describeError(error) })
  }
}

/** `at` is Unix milliseconds. */
export type Due = { siteId: string; at: number }

const dueId = ({ siteId, at }: Due) => `${siteId}/${at}`

export const dueSiteId = ({ id }: Mark): string => id.split('/')[0]!

/** The score is the due time. If Redis is down, the hourly sweep finds due posts. */
export async function markDue(ctx: Context, dues: Due[]): Promise<void> {
  const [first, ...others] = dues.map((due) => ({ score: due.at, member: dueId(due) }))
  if (!first) return
  try {
    await ctx.redis.zadd(marksKey(ctx, 'due'), first, ...others)
  } catch (error) {
    ctx.log('due.unmarked', { error: describeError(error) })
  }
}

export function readDue(ctx: Context, pipeline: Pipeline, now: Date, limit: number): void {
  const range = { byScore: true, withScores: true, offset: 0, count: limit } as const
  pipeline.zrange(marksKey(ctx, 'due'), '-inf', now.getTime(), range)
}

export function readMarks(ctx: Context, pipeline: Pipeline, set: MarkSet, limit: number): void {
  pipeline.zrange(marksKey(ctx, set), 0, limit - 1, { withScores: true })
}

export function parseMarks(reply: unknown): Mark[] {
  const flat = reply as string[]
  return Array.from({ length: flat.length / 2 }, (_, i) => ({
    id: flat[2 * i]!,
    at: Number(flat[2 * i + 1]),
  }))
}

/** Takes at most 500, which Lua can unpack. Keeps marks that were renewed since we read them. @returns how many are left in the set */
export async function removeMarks(ctx: Context, set: MarkSet, marks: Mark[]): Promise<number> {
  const values = [...marks.map(({ id }) => id), ...marks.map(({ at }) => at)]
  return Number(await ctx.redis.eval(REMOVE, [marksKey(ctx, set)], values))
}
