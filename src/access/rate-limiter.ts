// The package's `main` is CommonJS, which bundlers cannot tree-shake.
import { Ratelimit } from '@upstash/ratelimit/dist/index.mjs'
import type { Redis } from '@upstash/redis'
import type { Context } from '../context.ts'

export { Ratelimit }

/** `name` is part of its Redis keys. */
export function createLimiter(
  ctx: Context,
  name: string,
  algorithm: ReturnType<typeof Ratelimit.fixedWindow>,
): Ratelimit {
  return new Ratelimit({
    redis: withValidReplies(ctx.redis),
    limiter: algorithm,
    prefix: `${ctx.config.REDIS_PREFIX}:${name}`,
    // A cached block would outlast a raised limit or a refund.
    ephemeralCache: false,
    enableTelemetry: false,
    // The Redis client has its own timeout.
    timeout: 0,
  })
}

/** Ratelimit treats a reply without numbers as an exceeded limit, so check replies here. */
function withValidReplies(redis: Pick<Redis, 'eval' | 'evalsha'>): Redis {
  return {
    evalsha: async (...script: Parameters<Redis['evalsha']>) => parseNumbers(await redis.evalsha(...script)),
    eval: async (...script: Parameters<Redis['eval']>) => parseNumbers(await redis.eval(...script)),
  } as unknown as Redis
}

function parseNumbers(reply: unknown): number[] {
  if (Array.isArray(reply) && reply.length >= 2 && reply.every((each) => Number.isFinite(each))) return reply
  throw new Error('Redis sent an invalid reply')
}
