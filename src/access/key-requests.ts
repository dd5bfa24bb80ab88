/** Requests per key and UTC day, in one Redis hash per site and day. The call that counts the quota raises them. */
import type { Context } from '../context.ts'
import type { keyAccesses, quotaCounters } from '../core/enums.ts'
import { LOCKS_KEYS } from '../core/redis.ts'
import { DAY_MS, utcDay } from '../core/time.ts'

/** The roll-up also reads yesterday's. */
export const KEY_REQUESTS_KEPT_S = (2 * DAY_MS) / 1_000

/** Keys and counts, alternating. */
const READ = `${LOCKS_KEYS}
  local found = {}
  for i, key in ipairs(KEYS) do
    redis.call('EXPIRE', key, ARGV[1])
    found[i] = redis.call('HGETALL', key)
  end
  return found`

export const keyRequestsKey = (ctx: Context, site: { id: string }, day: Date) =>
  `${ctx.config.REDIS_PREFIX}:key-requests:${utcDay(day)}:${site.id}`

export type KeyRequests = { keyId: string; requests: number }

/** In the order of `sites`. Keeps the counts for `seconds` longer. @throws Error for an invalid count */
export async function readKeyRequests(
  ctx: Context,
  sites: { id: string }[],
  day: Date,
  seconds: number,
): Promise<KeyRequests[][]> {
  const names = sites.map((site) => keyRequestsKey(ctx, site, day))
  const replies = (await ctx.redis.eval(READ, names, [seconds])) as (string | number)[][]
  return replies.map((flat) =>
    Array.from({ length: flat.length / 2 }, (_, at) => {
      const requests = Number(flat[2 * at + 1])
      if (!Number.isSafeInteger(requests)) throw new Error('Redis sent an invalid reply')
      return { keyId: String(flat[2 * at]), requests }
    }),
  )
}

export type BusiestKey = { id: string; name: string; requests: number }

/** Null for preview links, which have no key. */
export function busiestKey(
  counter: (typeof quotaCounters)[number],
  requests: KeyRequests[],
  keys: { id: string; name: string; access: (typeof keyAccesses)[number] }[],
): BusiestKey | null {
  if (counter === 'preview') return null
  const counts = new Map(requests.map((each) => [each.keyId, each.requests]))
  const counted = keys
    .filter(({ access }) => (access === 'sitemap') === (counter === 'sitemap'))
    .map(({ id, name }) => ({ id, name, requests: counts.get(id) ?? 0 }))
    .filter((key) => key.requests > 0)
  return counted.toSorted((one, other) => other.requests - one.requests)[0] ?? null
}
