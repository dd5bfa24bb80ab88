/** Rate limits, counted in Redis. */
// Its `main` is CommonJS, of which a bundler leaves nothing out.
import { Ratelimit } from '@upstash/ratelimit/dist/index.mjs'
import type { Redis } from '@upstash/redis'
import type { Context } from './context.ts'

export { Ratelimit }

/** `name` is a part of its keys in Redis. `redis` is for a limiter whose calls are not sent on their own. */
export function createLimiter(
  ctx: Context,
  name: string,
  algorithm: ReturnType<typeof Ratelimit.fixedWindow>,
  redis: Redis = ctx.redis,
): Ratelimit {
  return new Ratelimit({
    redis,
    limiter: algorithm,
    prefix: `${ctx.config.REDIS_PREFIX}:${name}`,
    // What is blocked in this isolate would stay so after its limit was raised, or an attempt was refunded.
    ephemeralCache: false,
    enableTelemetry: false,
    // The Redis client has the time limit.
    timeout: 0,
  })
}
