import { createHash, randomUUID } from 'node:crypto'
import { Ratelimit } from '@upstash/ratelimit'
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

  describe('a command of the client', () => {
    it('keeps text, numbers and objects', async () => {
      await redis.set(key('text'), 'ü€😀')
      await redis.set(key('ok'), 'OK')
      await redis.set(key('object'), { a: [1, null] })
      expect(await redis.mget(key('text'), key('ok'), key('object'), key('none'))).toEqual([
        'ü€😀',
        'OK',
        { a: [1, null] },
        null,
      ])
      expect(await redis.get(key('ok'))).toBe('OK')
      expect(await redis.incrby(key('number'), 5)).toBe(5)
    })

    it('keeps hashes and expiry', async () => {
      expect(await redis.hset(key('hash'), { a: 1, b: 'x' })).toBe(2)
      expect(await redis.hgetall(key('hash'))).toEqual({ a: 1, b: 'x' })
      await redis.set(key('short'), 1, { ex: 100 })
      expect(await redis.ttl(key('short'))).toBe(100)
    })

    it('accepts numbers, booleans and null as text', async () => {
      await call('/', ['RPUSH', key('list'), 1, true, null, { a: 1 }])
      const response = await call('/', ['LRANGE', key('list'), 0, -1])
      expect(await response.json()).toEqual({ result: ['1', 'true', 'null', '{"a":1}'] })
    })
  })

  describe('a pipeline', () => {
    it('returns a result or an error for each command', async () => {
      const results = await redis
        .pipeline()
        .set(key('p'), 'x')
        .lpush(key('p'), 'y')
        .get(key('p'))
        .exec({ keepErrors: true })
      expect(results).toMatchObject([
        { result: 'OK' },
        { error: expect.stringMatching(/^WRONGTYPE /) },
        { result: 'x' },
      ])
    })
  })

  describe('a transaction', () => {
    it('is atomic', async () => {
      expect(await redis.multi().set(key('m'), 1).incr(key('m')).get(key('m')).exec()).toEqual(['OK', 2, 2])
    })

    it('is refused completely when a command is unknown', async () => {
      const response = await call('/multi-exec', [['SET', key('whole'), '1'], ['NOSUCH']])
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: expect.stringMatching(/^EXECABORT /) },
      ])
      expect(await redis.exists(key('whole'))).toBe(0)
    })
  })

  describe('scripts', () => {
    it('run with the shebang of Upstash, by text and by the SHA-1 of that text', async () => {
      const script = '#!lua flags=allow-key-locking\nreturn {KEYS[1], ARGV[1], 7}'
      const sha = sha1(script)
      await expect(redis.evalsha(sha, ['k'], ['v'])).rejects.toThrow('NOSCRIPT')
      expect(await redis.eval(script, ['k'], ['v'])).toEqual(['k', 'v', 7])
      expect(await redis.evalsha(sha, ['k'], ['v'])).toEqual(['k', 'v', 7])
    })

    it('can be loaded first', async () => {
      const sha = await redis.scriptLoad('#!lua flags=allow-key-locking\nreturn 8')
      expect(await redis.evalsha(sha, [], [])).toBe(8)
    })

    it('convert numbers, nil, booleans and nested lists as Redis does', async () => {
      const script = `
      redis.call('HSET', KEYS[1], 'a', ARGV[1])
      local got = redis.call('HMGET', KEYS[1], 'a', 'none')
      return { got[1], got[2] == false, got[2], true, 3.9, { redis.call('SET', KEYS[2], 5), 10 / 2 .. '' }, nil, 8 }`
      expect(await redis.eval(script, [key('converted'), key('five')], [2 ** 40])).toEqual([
        2 ** 40,
        1,
        null,
        1,
        3,
        ['OK', 5],
      ])
      const sum = "return redis.call('INCRBY', KEYS[1], ARGV[1]) + 2000000000"
      expect(await redis.eval(sum, [key('large')], [2_000_000_000])).toBe(4_000_000_000)
      const scan = "return redis.call('SCAN', '0', 'MATCH', ARGV[1], 'COUNT', 100000)[2]"
      expect(await redis.eval(scan, [], [key('five')])).toEqual([key('five')])
    })

    it("fail with the command's error, unless they catch it", async () => {
      await redis.set(key('no list'), 1)
      const push = (call: string) => `return redis.${call}('LPUSH', KEYS[1], 1)`
      await expect(redis.eval(push('call'), [key('no list')], [])).rejects.toThrow('WRONGTYPE ')
      expect(await redis.eval(`${push('pcall')}.err`, [key('no list')], [])).toMatch(/^WRONGTYPE /)
      await expect(redis.eval("return redis.error_reply('MINE is this')", [], [])).rejects.toThrow(
        'MINE is this',
      )
    })

    it('cannot read files', async () => {
      for (const name of ['dofile', 'loadfile']) {
        const read = redis.eval(`return ${name}('${import.meta.filename}')`, [], [])
        await expect(read).rejects.toThrow(new RegExp(`global( variable)? '${name}'`))
      }
    })

    it('leave nothing behind for their next run, whether or not they fail', async () => {
      const [mine, other] = [key('mine'), key('other')]
      const count = `
      local before = redis.call('INCR', KEYS[1])
      if ARGV[1] == 'fail' then error('on purpose') end
      return { before, KEYS[1], KEYS[2], ARGV[1] }`
      expect(await redis.eval(count, [mine, other], ['a'])).toEqual([1, mine, other, 'a'])
      await expect(redis.eval(count, [mine], ['fail'])).rejects.toThrow('on purpose')
      expect(await redis.eval(count, [other], ['b'])).toEqual([1, other])
      expect(await redis.eval(count, [mine], ['a'])).toEqual([3, mine])
    })

    it('cannot write when they are marked read-only', async () => {
      const write = "return redis.call('SET', KEYS[1], 1)"
      const read = "return redis.call('GET', KEYS[1])"
      const refused = 'Write commands are not allowed from read-only scripts'
      await redis.set(key('read'), 'x')
      await expect(redis.evalRo(write, [key('read')], [])).rejects.toThrow(refused)
      await expect(redis.evalshaRo(sha1(write), [key('read')], [])).rejects.toThrow(refused)
      for (const flags of ['no-writes', 'no-writes,allow-key-locking']) {
        await expect(redis.eval(`#!lua flags=${flags}\n${write}`, [key('read')], [])).rejects.toThrow(refused)
        expect(await redis.eval(`#!lua flags=${flags}\n${read}`, [key('read')], [])).toBe('x')
      }
      expect(await redis.evalRo(read, [key('read')], [])).toBe('x')
      expect(await redis.evalshaRo(sha1(read), [key('read')], [])).toBe('x')
    })

    it('are refused when they are invalid, and not stored', async () => {
      const broken = 'this is broken'
      await expect(redis.scriptLoad(broken)).rejects.toThrow(
        'ERR Error compiling script (new function): user_script:1:',
      )
      await expect(redis.scriptLoad('#!lua flags=no-such\nreturn 1')).rejects.toThrow('ERR Unexpected flag')
      await expect(redis.eval(broken, [], [])).rejects.toThrow('ERR Error compiling script')
      await expect(redis.evalsha(sha1(broken), [], [])).rejects.toThrow('NOSCRIPT')
      expect(await redis.scriptExists(sha1(broken))).toEqual([0])
    })
  })

  describe('Ratelimit', () => {
    const limited = (limiter: ReturnType<typeof Ratelimit.fixedWindow>) =>
      new Ratelimit({ redis, limiter, prefix: key(randomUUID()), ephemeralCache: false })

    it('counts a fixed window exactly, also under load', async () => {
      const limiter = limited(Ratelimit.fixedWindow(20, '1 d'))
      const answers = await Promise.all(Array.from({ length: 50 }, () => limiter.limit('site')))
      expect(answers.filter(({ success }) => success)).toHaveLength(20)
      await limiter.limit('site', { rate: -31 })
      expect((await limiter.getRemaining('site')).remaining).toBe(1)
      expect((await limiter.limit('site')).success).toBe(true)
      expect((await limiter.limit('site')).success).toBe(false)
    })

    it.each([
      // The milliseconds of this window do not fit in 32 bits.
      ['fixed window', Ratelimit.fixedWindow(5, '1000 d')],
      ['sliding window', Ratelimit.slidingWindow(5, '1000 d')],
      ['token bucket', Ratelimit.tokenBucket(5, '1000 d', 5)],
    ])('has the limit, rate, remaining and reset of a %s', async (_, algorithm) => {
      const limiter = limited(algorithm)
      expect(await limiter.limit('a')).toMatchObject({ success: true, limit: 5, remaining: 4 })
      expect(await limiter.limit('a', { rate: 4 })).toMatchObject({ success: true, remaining: 0 })
      expect(await limiter.limit('a')).toMatchObject({ success: false, remaining: 0 })
      expect((await limiter.limit('b')).remaining).toBe(4)
      await limiter.resetUsedTokens('a')
      expect((await limiter.getRemaining('a')).remaining).toBe(5)
      expect((await limiter.getRemaining('b')).remaining).toBe(4)
    })
  })

  describe('base64', () => {
    it('covers strings at every depth, but not OK, numbers, null and errors', async () => {
      const commands = [
        ['SET', key('b'), 'ü'],
        ['GET', key('b')],
        ['MGET', key('b'), key('none')],
        ['INCR', key('c')],
        ['EVALSHA', 'none', 0],
      ]
      const response = await call('/pipeline', commands, { 'upstash-encoding': 'base64' })
      expect(await response.json()).toEqual([
        { result: 'OK' },
        { result: 'w7w=' },
        { result: ['w7w=', null] },
        { result: 1 },
        { error: 'NOSCRIPT No matching script. Please use EVAL.' },
      ])
      expect(response.headers.get('upstash-sync-token')).toBeTruthy()
    })

    it('keeps bytes that are not text', async () => {
      const bytes = '/wBBgA=='
      const write = "return redis.call('SET', KEYS[1], '\\255\\000A\\128')"
      const commands = [
        ['EVAL', write, 1, key('bytes')],
        ['GET', key('bytes')],
        ['MGET', key('bytes')],
        ['EVAL', "return {redis.call('GET', KEYS[1])}", 1, key('bytes')],
      ]
      const expected = [{ result: 'OK' }, { result: bytes }, { result: [bytes] }, { result: [bytes] }]
      for (const path of ['/pipeline', '/multi-exec']) {
        const response = await call(path, commands, { 'upstash-encoding': 'base64' })
        expect([path, await response.json()]).toEqual([path, expected])
      }
    })
  })

  describe('refusals', () => {
    it('401 for a wrong or missing token', async () => {
      const headers: Record<string, string>[] = [
        { authorization: 'Bearer wrong' },
        {},
        { authorization: `Bearer ${token}x` },
      ]
      for (const each of headers) {
        const response = await fetch(gateway.url, { method: 'POST', headers: each, body: '["PING"]' })
        expect([response.status, await response.json()]).toEqual([
          401,
          { error: 'WRONGPASS invalid or missing auth token' },
        ])
      }
    })

    it('401 for a wrong token whatever the body, which is not kept', async () => {
      const body = 'x'.repeat(11 * 1024 * 1024)
      const response = await fetch(gateway.url, {
        method: 'POST',
        headers: { authorization: 'Bearer wrong' },
        body,
      })
      expect(response.status).toBe(401)
      await response.body?.cancel()
    })

    it('400 for a body that is not a command, and for a command that Redis refuses', async () => {
      const bodies: [string, unknown][] = [
        ['/', {}],
        ['/', []],
        ['/pipeline', ['GET', 'x']],
        ['/', ['NOSUCH']],
        ['/', ['SUBSCRIBE', 'x']],
        ['/', ['XREAD', 'BLOCK', '0', 'STREAMS', 'x', '$']],
        ['/', ['psync', '?', '-1']],
        ['/', ['__proto__']],
        ['/', ['CONSTRUCTOR']],
        ['/', ['hasOwnProperty']],
        ['/get/x', []],
      ]
      for (const [path, body] of bodies) {
        const response = await call(path, body)
        expect([path, body, response.status, await response.json()]).toEqual([
          path,
          body,
          400,
          { error: expect.stringMatching(/^ERR /) },
        ])
      }
    })

    it('405 for another method', async () => {
      const response = await fetch(gateway.url, { headers: { authorization: `Bearer ${token}` } })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
      await response.body?.cancel()
    })

    it('413 for a request above 10 MiB', async () => {
      const response = await call('/', ['SET', key('large'), 'x'.repeat(10 * 1024 * 1024)])
      expect([response.status, await response.json()]).toEqual([
        413,
        { error: expect.stringContaining('10485760') },
      ])
    })
  })

  describe('stats and latency', () => {
    it('counts requests, commands and errors, and resets them on DELETE', async () => {
      await fetch(`${gateway.url}/stats`, { method: 'DELETE' })
      await call('/pipeline', [['PING'], ['PING']])
      await call('/', ['NOSUCH'])
      const stats = await fetch(`${gateway.url}/stats`)
      expect(await stats.json()).toEqual({ requests: 2, commands: 3, errors: 1 })
    })

    it('adds the configured latency to each call', async () => {
      const slow = await startRedisGateway(backEnd, token, { latencyMs: 120 })
      const began = performance.now()
      await fetch(slow.url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: '["PING"]',
      })
      expect(performance.now() - began).toBeGreaterThan(115)
      await slow.close()
    })
  })

  describe('a server that is down', () => {
    it('is reported at once', async () => {
      await expect(openServerRedis('redis://127.0.0.1:1')).rejects.toThrow('Redis cannot be reached')
    })
  })
})

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}

function call(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify(body),
  })
}
