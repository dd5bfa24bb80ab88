import { randomUUID } from 'node:crypto'
import { MultiRegionRatelimit, Ratelimit } from '@upstash/ratelimit'
import { Redis } from '@upstash/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedRedis } from '../../src/local/embedded-redis.ts'
import type { Gateway } from '../../src/local/gateway.ts'
import { startRedisGateway } from '../../src/local/redis-gateway.ts'
import type { RedisBackEnd } from '../../src/local/redis-session.ts'
import { openServerRedis } from '../../src/local/server-redis.ts'

const token = 'right'
const prefix = `gateway:${randomUUID()}`
const key = (name: string) => `${prefix}:${name}`

let backEnd: RedisBackEnd
let gateway: Gateway
let redis: Redis

const server = process.env.REDIS_URL
const BACK_ENDS = {
  embedded: async () => openEmbeddedRedis(),
  ...(server && { server: async () => openServerRedis(server) }),
}

describe.each(Object.entries(BACK_ENDS))('on the %s Redis', (_, open) => {
  beforeAll(async () => {
    backEnd = await open()
    gateway = await startRedisGateway(backEnd, token)
    redis = new Redis({ url: gateway.url, token, retry: false, enableTelemetry: false })
  })

  afterAll(async () => {
    const keys = await redis.keys(`${prefix}*`)
    if (keys.length > 0) await redis.del(...keys)
    await gateway.close()
    await backEnd.close()
  })

  describe('Ratelimit', () => {
    const limited = (limiter: ReturnType<typeof Ratelimit.fixedWindow>, dynamicLimits = false) =>
      new Ratelimit({ redis, limiter, prefix: key(randomUUID()), ephemeralCache: false, dynamicLimits })

    it('counts a fixed window exactly, also under load', async () => {
      const limiter = limited(Ratelimit.fixedWindow(20, '1 d'))
      const answers = await Promise.all(Array.from({ length: 50 }, () => limiter.limit('site')))
      expect(answers.filter(({ success }) => success)).toHaveLength(20)
      await limiter.limit('site', { rate: -31 })
      expect((await limiter.getRemaining('site')).remaining).toBe(1)
      expect((await limiter.limit('site')).success).toBe(true)
      expect((await limiter.limit('site')).success).toBe(false)
    })

    // The milliseconds of this window do not fit in 32 bits.
    const algorithms = {
      fixedWindow: Ratelimit.fixedWindow(5, '1000 d'),
      slidingWindow: Ratelimit.slidingWindow(5, '1000 d'),
      tokenBucket: Ratelimit.tokenBucket(5, '1000 d', 5),
    }
    it.each(Object.entries(algorithms))('%s: limit, rate, remaining and reset', async (_, algorithm) => {
      const limiter = limited(algorithm)
      expect((await limiter.getRemaining('a')).remaining).toBe(5)
      expect(await limiter.limit('a')).toMatchObject({ success: true, limit: 5, remaining: 4 })
      expect(await limiter.limit('a', { rate: 3 })).toMatchObject({ success: true, remaining: 1 })
      expect((await limiter.getRemaining('a')).remaining).toBe(1)
      expect((await limiter.limit('a')).success).toBe(true)
      expect(await limiter.limit('a')).toMatchObject({ success: false, remaining: 0 })
      expect((await limiter.limit('b')).remaining).toBe(4)
      await limiter.resetUsedTokens('a')
      expect((await limiter.getRemaining('a')).remaining).toBe(5)
      expect((await limiter.getRemaining('b')).remaining).toBe(4)
    })

    it('cachedFixedWindow', async () => {
      const limiter = new Ratelimit({
        redis,
        limiter: Ratelimit.cachedFixedWindow(5, '1000 d'),
        prefix: key('cached'),
      })
      const answers = []
      for (let i = 0; i < 6; i++) {
        const answer = await limiter.limit('a')
        await answer.pending
        answers.push(answer.success)
      }
      expect(answers).toEqual([true, true, true, true, true, false])
      await limiter.resetUsedTokens('a')
      expect((await limiter.getRemaining('a')).remaining).toBe(5)
    })

    it.each(Object.entries(algorithms))('%s: a limit that is changed while it runs', async (_, algorithm) => {
      const limiter = limited(algorithm, true)
      await limiter.limit('a')
      await limiter.setDynamicLimit({ limit: 2 })
      expect(await limiter.getDynamicLimit()).toEqual({ dynamicLimit: 2 })
      expect((await limiter.limit('b', { rate: 2 })).success).toBe(true)
      expect(await limiter.limit('b')).toMatchObject({ success: false, limit: 2 })
      await limiter.setDynamicLimit({ limit: false })
      expect((await limiter.limit('c', { rate: 5 })).success).toBe(true)
    })

    const regional = {
      fixedWindow: MultiRegionRatelimit.fixedWindow(5, '1000 d'),
      slidingWindow: MultiRegionRatelimit.slidingWindow(5, '1000 d'),
    }
    it.each(Object.entries(regional))('in several regions, %s', async (_, limiter) => {
      const regions = new MultiRegionRatelimit({ redis: [redis], limiter, prefix: key(randomUUID()) })
      const { pending, ...answer } = await regions.limit('a', { rate: 3 })
      await pending
      expect(answer).toMatchObject({ success: true, remaining: 2 })
      expect((await regions.getRemaining('a')).remaining).toBe(2)
      await regions.resetUsedTokens('a')
      expect((await regions.getRemaining('a')).remaining).toBe(5)
    })
  })
})
