/** Requests per key and UTC day: a hash in Redis for each site and day, raised and lowered in the calls that do so to the quota. */
import type { Pipeline } from '@upstash/redis'
import type { Context } from '../foundation/context.ts'
import { utcDay } from '../foundation/time.ts'

/** Their keys and counts, one after another. */
const READ = `
  local found = {}
  for i, key in ipairs(KEYS) do
    redis.call('EXPIRE', key, ARGV[1])
    found[i] = redis.call('HGETALL', key)
  end
  return found`

const nameOf = (ctx: Context, site: { id: string }, day: Date) =>
  `${ctx.config.REDIS_PREFIX}:key-requests:${utcDay(day)}:${site.id}`

type Counted = { keyId?: string | null; site: { id: string } }

/** Adds it to the pipeline that counts a request, or with -1 takes it back. Links to drafts and published sitemaps have no key. */
export function addKeyRequest(
  ctx: Context,
  pipeline: Pipeline,
  counted: Counted,
  day: Date,
  by: 1 | -1,
): void {
  const { keyId, site } = counted
  if (keyId) pipeline.hincrby(nameOf(ctx, site, day), keyId, by)
}

export type KeyRequests = { keyId: string; requests: number }

/**
 * The counts of some sites on a day, in their order, which are then kept for `seconds`.
 *
 * @throws Error for what is no count
 */
export async function readKeyRequests(
  ctx: Context,
  sites: { id: string }[],
  day: Date,
  seconds: number,
): Promise<KeyRequests[][]> {
  const names = sites.map((site) => nameOf(ctx, site, day))
  const replies = (await ctx.redis.eval(READ, names, [seconds])) as (string | number)[][]
  return replies.map((flat) =>
    Array.from({ length: flat.length / 2 }, (_, at) => {
      const requests = Number(flat[2 * at + 1])
      if (!Number.isSafeInteger(requests)) throw new Error('Redis answered nonsense')
      // Less than none was counted where a day ended between a request and its refund.
      return { keyId: String(flat[2 * at]), requests: Math.max(0, requests) }
    }),
  )
}
