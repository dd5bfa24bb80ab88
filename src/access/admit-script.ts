/** The one Redis call per request. It always writes, so that it runs on the leader, because replicas may lag. */
import type { Context } from '../context.ts'
import { ON_LEADER, runScript } from '../core/redis.ts'
import { DAY_MS } from '../core/time.ts'
import { versionKey } from '../freshness/site-versions.ts'
import { currentVersions, type Versions } from '../freshness/versions.ts'
import { NO_ACTIVITY, type PendingActivity } from './activity.ts'
import { KEY_REQUESTS_KEPT_S, keyRequestsKey } from './key-requests.ts'

/** KEYS: versions, counter, requests by key, activity. Counts only if the versions start with `expected` and quota is left. */
const ADMIT = `${ON_LEADER}
  local id, expected, limit, counts, window, kept, site, uses, active = unpack(ARGV)
  local versions = redis.call('GET', KEYS[1])
  local used = tonumber(redis.call('GET', KEYS[2]) or 0)
  local isCurrent = expected == '' or (versions and versions:sub(1, #expected) == expected)
  local isExceeded = used >= tonumber(limit)
  if counts == '1' and isCurrent and not isExceeded then
    used = redis.call('INCR', KEYS[2])
    if used == 1 then redis.call('PEXPIRE', KEYS[2], window) end
    if id ~= '' then
      redis.call('HINCRBY', KEYS[3], id, 1)
      redis.call('EXPIRE', KEYS[3], kept)
    end
  end
  if uses ~= '' then redis.call('ZADD', KEYS[4], uses, id) end
  if active ~= '' then
    redis.call('SADD', KEYS[#KEYS], site)
    redis.call('EXPIRE', KEYS[#KEYS], active)
  end
  return { versions, isCurrent and 1 or 0, isExceeded and 1 or 0, used }`

const dayOf = (at: Date) => Math.floor(at.getTime() / DAY_MS)

/** Named as Ratelimit names the counter of a fixed window of one day. */
export function quotaKey(ctx: Context, counter: string, at: Date): string {
  return `${ctx.config.REDIS_PREFIX}:quota:${counter}:${dayOf(at)}`
}

export type Command = {
  site: { id: string }
  keyId?: string | null | undefined
  counter: string
  limit: number
  counts: boolean
  /** A prefix of the site's versions. '' accepts any or none. */
  expected: string
  activity?: PendingActivity
}

/** `reset` is Unix seconds. `versions` is null without current ones in Redis. `isCurrent`: the site's versions match the cached ones. */
export type Reply = {
  limit: number
  remaining: number
  reset: number
  exceeded: boolean
  isCurrent: boolean
  versions: Versions | null
}

/** @throws Error when Redis times out or sends an invalid reply */
export async function runAdmitScript(ctx: Context, command: Command): Promise<Reply> {
  const { site, keyId, counter, limit, counts, expected, activity = NO_ACTIVITY } = command
  const now = new Date()
  const keys = [
    versionKey(ctx, site.id),
    quotaKey(ctx, counter, now),
    keyRequestsKey(ctx, site, now),
    ...activity.keys,
  ]
  const counting = [keyId ?? '', expected, limit, counts ? 1 : 0, DAY_MS, KEY_REQUESTS_KEPT_S]
  const args = [...counting, site.id, activity.usedAt, activity.activeForSeconds]
  const [versions, ...numbers] = toReply(await runScript(ctx.redis, ADMIT, keys, args.map(String)))
  const [isCurrent, isExceeded, used] = numbers
  return {
    limit,
    remaining: Math.max(0, limit - used!),
    reset: ((dayOf(now) + 1) * DAY_MS) / 1_000,
    exceeded: isExceeded === 1,
    isCurrent: isCurrent === 1,
    versions: currentVersions(versions),
  }
}

function toReply(reply: unknown): [unknown, ...number[]] {
  if (Array.isArray(reply) && reply.length === 4 && reply.slice(1).every(Number.isFinite))
    return reply as [unknown, ...number[]]
  throw new Error('Redis sent an invalid reply')
}
