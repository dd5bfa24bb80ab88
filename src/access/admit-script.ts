/**
 * The one call to Redis that a request costs: a script that counts the request with Ratelimit's own script, reads the site's
 * versions, and notes the use of the key. It always writes, so that it runs on the leader: a replica may lag.
 */
import type { Redis } from '@upstash/redis'
import type { Context } from '../context.ts'
import { ON_LEADER, runScript } from '../core/redis.ts'
import { versionKey } from '../freshness/site-versions.ts'
import { type DueNotes, NO_NOTES } from './activity.ts'
import { KEY_REQUESTS_KEPT_S, keyRequestsKey } from './key-requests.ts'

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

export type Admitted = {
  site: { id: string }
  keyId?: string | null
  /** How much the request adds to the count of its key on that day. */
  by: 1 | 0 | -1
  day: Date
  notes?: DueNotes
}

/**
 * A client for Ratelimit, which asks by digest first. Only then does it give the text of its script, which runs inside ours.
 *
 * @param onVersions called with what Redis has under the key of the versions
 */
export function admittingRedis(
  ctx: Context,
  { site, keyId, by, day, notes = NO_NOTES }: Admitted,
  onVersions: (value: unknown) => void = () => {},
): Redis {
  const keys = [keyRequestsKey(ctx, site, day), ...notes.keys]
  const own = [keyId ?? '', by, KEY_REQUESTS_KEPT_S, site.id, notes.usedAt, notes.activeForSeconds]
  return {
    evalsha: async () => {
      throw new Error('NOSCRIPT')
    },
    eval: async (script: string, [counter]: string[], args: unknown[]) => {
      const all = [versionKey(ctx, site.id), counter!, ...keys]
      const found = await runScript(ctx.redis, around(script), all, [...own, ...args].map(String))
      if (!Array.isArray(found)) throw new Error('Redis answered nonsense')
      const [versions, ...counted] = found
      onVersions(versions)
      return counted
    },
  } as unknown as Redis
}
