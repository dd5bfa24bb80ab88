/**
 * The one call to Redis that a request costs: a script that counts the request with Ratelimit's own script, reads the site's
 * versions, and notes the use of the key. It always writes, so that it runs on the leader: a replica may lag.
 */
import type { Redis } from '@upstash/redis'
import type { Context } from '../context.ts'
import { ON_LEADER, runScript } from '../core/redis.ts'
import { versionKey } from '../freshness/site-versions.ts'
import { currentVersions, type Versions } from '../freshness/versions.ts'
import { type DueNotes, NO_NOTES } from './activity.ts'
import { KEY_REQUESTS_KEPT_S, keyRequestsKey } from './key-requests.ts'
import { createLimiter, Ratelimit } from './rate-limiter.ts'

const OWN_ARGUMENTS = 6

/** KEYS: versions, counter, requests by key, and where notes are due. */
const around = (counting: string) => `${ON_LEADER}
  local counted = (function(KEYS, ARGV)
    ${counting.replace(/^#![^\n]*/, '')}
  end)({ KEYS[2] }, { unpack(ARGV, ${OWN_ARGUMENTS + 1}) })
  local id, by, seconds, site, uses, active = unpack(ARGV)
  if id ~= '' and by ~= '0' then
    redis.call('HINCRBY', KEYS[3], id, by)
    redis.call('EXPIRE', KEYS[3], seconds)
  end
  if uses ~= '' then redis.call('ZADD', KEYS[4], uses, id) end
  if active ~= '' then
    redis.call('SADD', KEYS[#KEYS], site)
    redis.call('EXPIRE', KEYS[#KEYS], active)
  end
  return { redis.call('GET', KEYS[1]), unpack(counted) }`

export type Command = {
  site: { id: string }
  keyId?: string | null | undefined
  counter: string
  limit: number
  /** Added to the counter, and to the key's requests of that day. */
  by: 1 | 0 | -1
  day: Date
  notes?: DueNotes | undefined
}

/** `reset` is in Unix seconds. `versions` are null when Redis has none that are current. */
export type Reply = {
  limit: number
  remaining: number
  reset: number
  exceeded: boolean
  versions: Versions | null
}

/** @throws Error when Redis cannot be reached in time, or answers nonsense */
export async function runAdmitScript(ctx: Context, command: Command): Promise<Reply> {
  const { site, keyId, counter, limit, by, day, notes = NO_NOTES } = command
  const keys = [keyRequestsKey(ctx, site, day), ...notes.keys]
  const own = [keyId ?? '', by, KEY_REQUESTS_KEPT_S, site.id, notes.usedAt, notes.activeForSeconds]
  let versions: unknown
  // Ratelimit gives its script only to a client that runs it, after it has asked for it by digest.
  const client = {
    evalsha: async () => {
      throw new Error('NOSCRIPT')
    },
    eval: async (script: string, [counterKey]: string[], args: unknown[]) => {
      const all = [versionKey(ctx, site.id), counterKey!, ...keys]
      const reply = await runScript(ctx.redis, around(script), all, [...own, ...args].map(String))
      if (!Array.isArray(reply)) throw new Error('Redis answered nonsense')
      versions = reply[0]
      return reply.slice(1)
    },
  } as unknown as Redis
  const limiter = createLimiter(ctx, 'quota', Ratelimit.fixedWindow(limit, '1 d'), client)
  const counted = by === 0 ? await limiter.getRemaining(counter) : await limiter.limit(counter, { rate: by })
  return {
    limit,
    remaining: counted.remaining,
    reset: Math.floor(counted.reset / 1_000),
    exceeded: 'success' in counted ? !counted.success : counted.remaining <= 0,
    versions: currentVersions(versions),
  }
}
