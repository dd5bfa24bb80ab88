/** The one Redis call per request. It always writes, so that it runs on the leader, because replicas may lag. */
import type { Redis } from '@upstash/redis'
import type { Context } from '../context.ts'
import { ON_LEADER, runScript } from '../core/redis.ts'
import { versionKey } from '../freshness/site-versions.ts'
import { currentVersions, type Versions } from '../freshness/versions.ts'
import { NO_ACTIVITY, type PendingActivity } from './activity.ts'
import { KEY_REQUESTS_KEPT_S, keyRequestsKey } from './key-requests.ts'
import { createLimiter, Ratelimit } from './rate-limiter.ts'

const OWN_ARGUMENTS = 8

/** KEYS: versions, counter, requests by key, activity. Counts only at expected versions with quota left: no refund needed. */
const wrapCounting = (counting: string) => `${ON_LEADER}
  local function count(KEYS, ARGV)
    ${counting.replace(/^#![^\n]*/, '')}
  end
  local id, expected, limit, counts, seconds, site, uses, active = unpack(ARGV)
  local versions = redis.call('GET', KEYS[1])
  local used = tonumber(redis.call('GET', KEYS[2]) or 0)
  local isCurrent = expected == '' or (versions and versions:sub(1, #expected) == expected)
  local isExceeded = used >= tonumber(limit)
  if counts == '1' and isCurrent and not isExceeded then
    used = count({ KEYS[2] }, { unpack(ARGV, ${OWN_ARGUMENTS + 1}) })[1]
    if id ~= '' then
      redis.call('HINCRBY', KEYS[3], id, 1)
      redis.call('EXPIRE', KEYS[3], seconds)
    end
  end
  if uses ~= '' then redis.call('ZADD', KEYS[4], uses, id) end
  if active ~= '' then
    redis.call('SADD', KEYS[#KEYS], site)
    redis.call('EXPIRE', KEYS[#KEYS], active)
  end
  return { versions, isCurrent and 1 or 0, isExceeded and 1 or 0, used, tonumber(limit) }`

/** Ratelimit's script is the same for all requests. */
let admitScript: string | undefined

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
  const keys = [keyRequestsKey(ctx, site, new Date()), ...activity.keys]
  const own = [keyId ?? '', expected, limit, counts ? 1 : 0, KEY_REQUESTS_KEPT_S, site.id]
  const due = [activity.usedAt, activity.activeForSeconds]
  let found: unknown[] = []
  // Ratelimit reveals its script only to a client that runs it, after evalsha fails.
  const client = {
    evalsha: async () => {
      throw new Error('NOSCRIPT')
    },
    eval: async (script: string, [counterKey]: string[], args: unknown[]) => {
      const all = [versionKey(ctx, site.id), counterKey!, ...keys]
      admitScript ??= wrapCounting(script)
      const reply = await runScript(ctx.redis, admitScript, all, [...own, ...due, ...args].map(String))
      if (!Array.isArray(reply)) throw new Error('Redis sent an invalid reply')
      found = reply
      return reply.slice(3)
    },
  } as unknown as Redis
  const limiter = createLimiter(ctx, 'quota', Ratelimit.fixedWindow(limit, '1 d'), client)
  const { remaining, reset } = await limiter.limit(counter)
  const [versions, isCurrent, isExceeded] = found
  return {
    limit,
    remaining,
    reset: Math.floor(reset / 1_000),
    exceeded: Number(isExceeded) === 1,
    isCurrent: Number(isCurrent) === 1,
    versions: currentVersions(versions),
  }
}
