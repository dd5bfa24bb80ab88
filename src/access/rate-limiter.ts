/** Rate limits, counted in Redis. */
// Its `main` is CommonJS, of which a bundler leaves nothing out.
import { Ratelimit } from '@upstash/ratelimit/dist/index.mjs'
import type { Redis } from '@upstash/redis'
import type { Context } from '../context.ts'

export { Ratelimit }

/** `name` is a part of its keys in Redis. `redis` is for a limiter whose calls are not sent on their own. */
export function createLimiter(
  ctx: Context,
  name: string,
  algorithm: ReturnType<typeof Ratelimit.fixedWindow>,
  redis: Redis = ctx.redis,
): Ratelimit {
  return new Ratelimit({
    redis: numbersFrom(redis),
    limiter: algorithm,
    prefix: `${ctx.config.REDIS_PREFIX}:${name}`,
    // What is blocked in this isolate would stay so after its limit was raised, or an attempt was refunded.
    ephemeralCache: false,
    enableTelemetry: false,
    // The Redis client has the time limit.
    timeout: 0,
  })
}

/** The two methods that Ratelimit uses. It would take a reply without numbers for a limit that is exceeded. */
function numbersFrom(redis: Pick<Redis, 'eval' | 'evalsha'>): Redis {
  return {
    evalsha: async (...script: Parameters<Redis['evalsha']>) => numbersOf(await redis.evalsha(...script)),
    eval: async (...script: Parameters<Redis['eval']>) => numbersOf(await redis.eval(...script)),
  } as unknown as Redis
}

/** At least what is left or used, and the limit. @throws Error for anything else */
function numbersOf(reply: unknown): number[] {
  if (Array.isArray(reply) && reply.length >= 2 && reply.every((each) => Number.isFinite(each))) return reply
  throw new Error('Redis answered nonsense')
}
