import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from '@upstash/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedRedis } from '../../src/local/embedded-redis.ts'
import type { Gateway } from '../../src/local/gateway.ts'
import { startRedisGateway } from '../../src/local/redis-gateway.ts'
import type { RedisBackEnd } from '../../src/local/redis-session.ts'
import { openServerRedis } from '../../src/local/server-redis.ts'

const LAG_MS = 500
const READS = 40
const token = 'right'

let backEnd: RedisBackEnd
let gateway: Gateway
let redis: Redis

beforeAll(async () => {
  const server = process.env.REDIS_URL
  backEnd = server ? await openServerRedis(server) : openEmbeddedRedis()
  gateway = await startRedisGateway(backEnd, token, { replicaLagMs: LAG_MS })
  redis = new Redis({ url: gateway.url, token, retry: false, enableTelemetry: false })
})

afterAll(async () => {
  const keys = await redis.keys('replica:*')
  if (keys.length > 0) await redis.del(...keys)
  await gateway.close()
  await backEnd.close()
})

const stats = async () => (await (await fetch(`${gateway.url}/stats`)).json()) as Record<string, number>

/** The different replies of many reads right after a write, and of many after the lag. */
async function afterWrite(write: (key: string) => Promise<unknown>, read: (key: string) => Promise<unknown>) {
  const key = `replica:${randomUUID()}`
  const replies = async () => {
    const asked = await Promise.all(Array.from({ length: READS }, () => read(key)))
    return [...new Set(asked.map((reply) => JSON.stringify(reply)))].toSorted()
  }
  await redis.set(key, 'old', { ex: 60 })
  await redis.del(`${key}:list`)
  await sleep(LAG_MS + 100)
  await write(key)
  const soon = await replies()
  await sleep(LAG_MS + 100)
  return { soon, later: await replies() }
}

const overwrite = (key: string) => redis.set(key, 'new', { ex: 60 })
const SHEBANG = '#!lua flags=allow-key-locking\n'

describe('with a lagging replica', () => {
  const reads: [string, (key: string) => Promise<unknown>][] = [
    ['GET', (key) => redis.get(key)],
    ['a pipeline', (key) => redis.pipeline().get(key).exec()],
    [
      'a script that only reads',
      (key) => redis.eval(`${SHEBANG}return redis.call('GET', KEYS[1])`, [key], []),
    ],
  ]
  it.each(reads)('%s may show the state before a write, but not after the lag', async (_, read) => {
    const { soon, later } = await afterWrite(overwrite, read)
    expect(soon).toHaveLength(2)
    expect(later).toHaveLength(1)
  })

  it('a key that was deleted or is new may appear in its old state', async () => {
    const { soon, later } = await afterWrite(
      (key) => redis.del(key),
      (key) => redis.get(key),
    )
    expect(soon).toEqual(['"old"', 'null'])
    expect(later).toEqual(['null'])
    const list = await afterWrite(
      (key) => redis.rpush(`${key}:list`, 'a'),
      (key) => redis.lrange(`${key}:list`, 0, -1),
    )
    expect(list).toEqual({ soon: ['["a"]', '[]'], later: ['["a"]'] })
  })

  it('a script that writes sees the write', async () => {
    const script = `${SHEBANG}redis.call('EXPIRE', KEYS[1], 60) return redis.call('GET', KEYS[1])`
    const { soon } = await afterWrite(overwrite, (key) => redis.eval(script, [key], []))
    expect(soon).toEqual(['"new"'])
  })

  it('stats count the reads of the replica, about half of all', async () => {
    await fetch(`${gateway.url}/stats`, { method: 'DELETE' })
    expect(await stats()).toEqual({ requests: 0, commands: 0, errors: 0, replicaReads: 0 })
    for (let read = 0; read < 60; read++) await redis.get('replica:none')
    const { replicaReads } = await stats()
    expect(replicaReads).toBeGreaterThan(10)
    expect(replicaReads).toBeLessThan(50)
  })
})
