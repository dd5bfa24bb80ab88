/** Sessions of the console: the operator's token, given once, opens twelve hours. */
import { Ratelimit } from '@upstash/ratelimit'
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { Context } from './context.ts'
import { consoleSessions } from './db/schema.ts'
import { base64, equalSecrets, sha256Hex } from './digest.ts'
import { describeError } from './log.ts'

export const SESSION_SECONDS = 12 * 60 * 60
const ID_BYTES = 32
const TRIES = 5
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 1_000

type SignIn =
  | { session: string }
  | { refused: 'wrong_token' }
  | { refused: 'too_many'; retryAfterSeconds: number }

/**
 * Exchanges the operator's token for a session, whose id is in this answer and nowhere else. An address has five
 * wrong tries a minute; after them it is refused, with the right token as well, until the minute is over.
 */
export async function signIn(ctx: Context, input: { token: string; address: string }): Promise<SignIn> {
  // Counted before it is compared, or tries made at once would all see the same count.
  const tries = await countTry(ctx, input.address)
  if (tries.exceeded) {
    const retryAfterSeconds = Math.max(1, Math.ceil((tries.reset - Date.now()) / 1_000))
    return { refused: 'too_many', retryAfterSeconds }
  }
  if (!(await equalSecrets(input.token, ctx.config.OPERATOR_TOKEN))) return { refused: 'wrong_token' }
  ctx.defer(tries.giveBack())
  return { session: await begin(ctx) }
}

async function begin(ctx: Context): Promise<string> {
  const id = base64(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
  await ctx.db.insert(consoleSessions).values({
    idHash: await sha256Hex(id),
    expiresAt: sql`now() + make_interval(secs => ${SESSION_SECONDS})`,
  })
  return id
}

export async function isLive(ctx: Context, id: string): Promise<boolean> {
  const live = await ctx.db
    .select({ idHash: consoleSessions.idHash })
    .from(consoleSessions)
    .where(and(eq(consoleSessions.idHash, await sha256Hex(id)), gt(consoleSessions.expiresAt, sql`now()`)))
  return live.length > 0
}

/** Ends the session for whoever has its id. */
export async function end(ctx: Context, id: string): Promise<void> {
  await ctx.db.delete(consoleSessions).where(eq(consoleSessions.idHash, await sha256Hex(id)))
}

/** Removes the rows of sessions that are over. */
export async function prune(ctx: Context): Promise<number> {
  const removed = await ctx.db
    .delete(consoleSessions)
    .where(lte(consoleSessions.expiresAt, sql`now()`))
    .returning({ idHash: consoleSessions.idHash })
  return removed.length
}

/** `reset` is in Unix milliseconds. */
type Tries = { exceeded: boolean; reset: number; giveBack: () => Promise<unknown> }

async function countTry(ctx: Context, address: string): Promise<Tries> {
  const limiter = new Ratelimit({
    redis: ctx.redis,
    // Filled up at once, a minute after the first try: a window that begins with the client, not with the clock.
    limiter: Ratelimit.tokenBucket(TRIES, `${WINDOW_MS} ms`, TRIES),
    prefix: `${ctx.config.REDIS_PREFIX}:sign-in`,
    ephemeralCache: false,
    // The Redis client has the time limit.
    timeout: 0,
  })
  try {
    const { success, reset } = await limiter.limit(address)
    return { exceeded: !success, reset, giveBack: () => limiter.limit(address, { rate: -1 }) }
  } catch (error) {
    ctx.log('sign_in.uncounted', { error: describeError(error) })
    return countHere(address, Date.now())
  }
}

const triesHere = new Map<string, { count: number; reset: number }>()

/** Counts in this isolate alone, which is better than nothing while Redis is away. */
function countHere(address: string, now: number): Tries {
  const known = triesHere.get(address)
  const tries = known && known.reset > now ? known : { count: 0, reset: now + WINDOW_MS }
  const exceeded = tries.count >= TRIES
  if (!exceeded) tries.count += 1
  triesHere.delete(address)
  triesHere.set(address, tries)
  if (triesHere.size > MAX_ADDRESSES) triesHere.delete(triesHere.keys().next().value!)
  return { exceeded, reset: tries.reset, giveBack: async () => (tries.count -= 1) }
}
