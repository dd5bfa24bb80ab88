/** The one Redis call per request. It always writes, so that it runs on the leader, because replicas may lag. */
import type { Context } from '../context.ts'
import { ON_LEADER, runScript } from '../core/redis.ts'
import { DAY_MS } from '../core/time.ts'
import { marksKey } from '../freshness/marks.ts'
import { versionKey } from '../freshness/site-versions.ts'
import { currentVersions, type Versions } from '../freshness/versions.ts'
import { ACTIVE_SITES_KEPT_S, activeSitesKey } from './activity.ts'
import { KEY_REQUESTS_KEPT_S, keyRequestsKey } from './key-requests.ts'

/** Keys are arguments, too, because an optional one has no fixed place in KEYS, which Upstash locks. */
const ARGUMENTS = [
  'versionsKey',
  'counterKey',
  'requestsKey',
  'usesKey',
  'activeKey',
  'siteId',
  'keyId',
  'now',
  'expected',
  'limit',
  'counts',
] as const

/** Counts only if the versions start with `expected` and quota is left. */
const ADMIT_SCRIPT = `${ON_LEADER}
  local ${ARGUMENTS.join(', ')} = unpack(ARGV)
  local versions = redis.call('GET', versionsKey)
  local used = tonumber(redis.call('GET', counterKey) or 0)
  local isCurrent = expected == '' or (versions and versions:sub(1, #expected) == expected)
  local isExceeded = used >= tonumber(limit)
  if counts == 'true' and isCurrent and not isExceeded then
    used = redis.call('INCR', counterKey)
    if used == 1 then redis.call('PEXPIRE', counterKey, ${DAY_MS}) end
    if keyId ~= '' then
      redis.call('HINCRBY', requestsKey, keyId, 1)
      redis.call('EXPIRE', requestsKey, ${KEY_REQUESTS_KEPT_S})
    end
  end
  if usesKey ~= '' then redis.call('ZADD', usesKey, now, keyId) end
  if activeKey ~= '' then
    redis.call('SADD', activeKey, siteId)
    redis.call('EXPIRE', activeKey, ${ACTIVE_SITES_KEPT_S})
  end
  return { versions, isCurrent and 1 or 0, isExceeded and 1 or 0, used }`

const USE_NOTED_EVERY_MS = 30 * 60_000

const dayOf = (at: Date) => Math.floor(at.getTime() / DAY_MS)

/** Named as Ratelimit names the counter of a fixed window of one day. */
export function quotaKey(ctx: Context, counter: string, at: Date): string {
  return `${ctx.config.REDIS_PREFIX}:quota:${counter}:${dayOf(at)}`
}

type Command = {
  site: { id: string }
  keyId: string | null
  counter: string
  limit: number
  counts: boolean
  /** A prefix of the site's versions. '' accepts any or none. */
  expected: string
}

/** `reset` is Unix seconds. `versions` is null without current ones in Redis. `isCurrent`: the site's versions match the cached ones. */
type Reply = {
  limit: number
  remaining: number
  reset: number
  exceeded: boolean
  isCurrent: boolean
  versions: Versions | null
}

/** @throws Error when Redis times out or sends an invalid reply */
export async function runAdmitScript(ctx: Context, command: Command): Promise<Reply> {
  const { site, keyId, counter, limit, counts, expected } = command
  const now = new Date()
  const notes = pendingNotes(ctx, command, now)
  const keys = {
    versionsKey: versionKey(ctx, site.id),
    counterKey: quotaKey(ctx, counter, now),
    requestsKey: keyRequestsKey(ctx, site, now),
    usesKey: notes.isUseDue ? marksKey(ctx, 'key-uses') : '',
    activeKey: notes.isSiteDue ? activeSitesKey(ctx, now) : '',
  }
  const args: Record<(typeof ARGUMENTS)[number], unknown> = {
    ...keys,
    siteId: site.id,
    keyId: keyId ?? '',
    now: now.getTime(),
    expected,
    limit,
    counts,
  }
  const locked = Object.values(keys).filter(Boolean)
  const values = ARGUMENTS.map((name) => String(args[name]))
  const reply = await runScript(ctx.redis, ADMIT_SCRIPT, locked, values)
  const [versions, ...numbers] = toReply(reply)
  notes.stored()
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

/**
 * Key use and site activity to note in Redis for the sweep. Rarely due, because Upstash would lock these keys for every request.
 * Call `stored` once Redis has the notes.
 */
function pendingNotes({ caches }: Context, { keyId, site, counts }: Command, at: Date) {
  const now = at.getTime()
  const { skipUntil } = caches
  const isDue = (id: string) => now >= (skipUntil.get(id) ?? 0)
  const isUseDue = keyId !== null && isDue(keyId)
  const isSiteDue = counts && isDue(site.id)
  const stored = () => {
    if (isUseDue) skipUntil.set(keyId, now + USE_NOTED_EVERY_MS)
    if (isSiteDue) skipUntil.set(site.id, (dayOf(at) + 1) * DAY_MS)
  }
  return { isUseDue, isSiteDue, stored }
}
