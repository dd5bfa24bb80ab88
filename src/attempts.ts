/** Attempts with a wrong operator token: five a minute from an address, on the console and the management API together. */
import type { Context } from './context.ts'
import { describeError } from './log.ts'
import { networkOf } from './network.ts'
import { createLimiter, Ratelimit } from './rate-limiter.ts'
import { secondsUntil } from './time.ts'

const ATTEMPTS = 5
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 1_000

export type Attempt = {
  exceeded: boolean
  retryAfterSeconds: number
  /** For an attempt that turned out to be right after it was counted. */
  refund: () => Promise<unknown>
}

/** Counts an attempt before it is judged, so that simultaneous ones do not all see the same count. */
export async function countAttempt(ctx: Context, address: string): Promise<Attempt> {
  const client = networkOf(address)
  const local = localCount(client)
  // Already refused in this window: no call to Redis.
  if (local.count >= ATTEMPTS) return exceeded(local.reset)
  // Refilled in one step, a minute after the first attempt, so that the window starts with the client and not the clock.
  const bucket = Ratelimit.tokenBucket(ATTEMPTS, `${WINDOW_MS} ms`, ATTEMPTS)
  const limiter = createLimiter(ctx, 'attempts', bucket)
  try {
    const { success, reset } = await limiter.limit(client)
    if (success) {
      return counted(async () => {
        counts.delete(client)
        await limiter.limit(client, { rate: -1 })
      })
    }
    storeLocalCount(client, { count: ATTEMPTS, reset })
    return exceeded(reset)
  } catch (error) {
    ctx.log('attempts.uncounted', { error: describeError(error) })
    return countLocally(client)
  }
}

/** `reset` is in Unix milliseconds. */
type Count = { count: number; reset: number }

const counts = new Map<string, Count>()

/** Counts in this isolate only, while Redis cannot be reached. */
function countLocally(client: string): Attempt {
  const local = localCount(client)
  if (local.count >= ATTEMPTS) return exceeded(local.reset)
  local.count += 1
  storeLocalCount(client, local)
  return counted(async () => (local.count -= 1))
}

function localCount(client: string): Count {
  const stored = counts.get(client)
  return stored && stored.reset > Date.now() ? stored : { count: 0, reset: Date.now() + WINDOW_MS }
}

function storeLocalCount(client: string, count: Count): void {
  counts.delete(client)
  counts.set(client, count)
  if (counts.size > MAX_ADDRESSES) counts.delete(counts.keys().next().value!)
}

function counted(refund: Attempt['refund']): Attempt {
  return { exceeded: false, retryAfterSeconds: 0, refund }
}

function exceeded(reset: number): Attempt {
  return { exceeded: true, retryAfterSeconds: secondsUntil(reset), refund: async () => {} }
}
