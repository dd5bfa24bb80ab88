import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startRedisGateway } from '../../../src/local/redis-gateway.ts'
import { openServerRedis } from '../../../src/local/server-redis.ts'
import { startRedisServer } from '../../support/redis-server.ts'
import { type Service, startService, type WorkerService } from '../../support/service.ts'

let database: Awaited<ReturnType<typeof startRedisServer>>
let service: Service
let site: Awaited<ReturnType<Service['makeSite']>>

beforeAll(async () => {
  database = await startRedisServer()
  service = await startService({ redisUrl: database.url })
  site = await service.makeSite()
})

afterAll(async () => {
  await service?.stop()
  await database?.stop()
})

const put = (title: string) =>
  service.ask('PUT', `${site.path}/posts/a`, { title, contentHtml: '<p>Words.</p>' })

async function read({ origin }: WorkerService, key = site.key) {
  const response = await fetch(`${origin}/api/v1${site.path}/posts/a`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  const { title } = (await response.json()) as { title?: string }
  return { status: response.status, title, isCounted: response.headers.has('X-RateLimit-Remaining') }
}

async function makeRevokedKey() {
  const { id, key } = await service.manage<{ id: string; key: string }>('POST', `${site.path}/keys`, {
    name: 'b',
  })
  await put('Words')
  expect(await read(service, key)).toMatchObject({ status: 200 })
  await service.manage('PUT', `${site.path}/keys/${id}/revocation`)
  return key
}

it('1. emptied: reads are right at once, and the next cron repairs the rest', async () => {
  const other = await service.startAnother()
  const revoked = await makeRevokedKey()
  await service.manage('POST', '/sweep')
  await service.cron()
  await put('Before')
  await read(service)
  await read(other)

  await database.redis.flushall()
  await put('After')
  for (const worker of [service, other]) {
    expect(await read(worker)).toMatchObject({ status: 200, title: 'After' })
    expect(await read(worker, revoked)).toMatchObject({ status: 401 })
  }
  expect(await other.health()).toMatchObject({ status: 503, cron: 'failing' })
  await service.cron()
  await expect.poll(other.health, { interval: 1_000 }).toMatchObject({ status: 200 })
})

it('2. and 3. lost: reads are right meanwhile, and a new database with a new token takes over', async () => {
  const revoked = await makeRevokedKey()
  await put('Before')
  await service.redis.become('cut')
  expect(await read(service)).toEqual({ status: 200, title: 'Before', isCounted: false })
  expect(await read(service, revoked)).toMatchObject({ status: 401 })
  expect(await service.health()).toMatchObject({ status: 503, redis: 'failing' })

  const emptyServer = await startRedisServer()
  onTestFinished(emptyServer.stop)
  const backEnd = await openServerRedis(emptyServer.url)
  onTestFinished(backEnd.close)
  const token = randomBytes(24).toString('hex')
  const gateway = await startRedisGateway(backEnd, token)
  onTestFinished(gateway.close)
  const deployed = await service.startAnother({
    secrets: { UPSTASH_REDIS_REST_URL: gateway.url, UPSTASH_REDIS_REST_TOKEN: token },
  })
  await deployed.cron()
  expect(await deployed.health()).toMatchObject({ status: 200 })
  expect(await read(deployed)).toEqual({ status: 200, title: 'Before', isCounted: true })
  expect(await read(deployed, revoked)).toMatchObject({ status: 401 })
  // Everybody signs in again.
  const cookie = await service.cookie()
  const page = await fetch(`${deployed.origin}/console/overview`, {
    redirect: 'manual',
    headers: { Cookie: cookie },
  })
  expect(page.headers.get('Location')).toMatch(/sign-in/)
  await deployed.stop()
  await service.redis.become('sound')
})

it('4. full: writes are stored and say that they are late, until there is room or the database is flushed', async () => {
  await put('Before')
  await read(service)
  await database.redis.config('SET', 'maxmemory', '1')
  const written = await put('While it is full')
  expect(written.status).toBe(200)
  expect(written.headers.get('X-Effective-Within')).toBe('60')
  await database.redis.config('SET', 'maxmemory', '0')
  await database.redis.flushall()
  expect((await put('With room')).headers.get('X-Effective-Within')).toBeNull()
  await service.manage('POST', '/sweep')
  expect(await read(service)).toEqual({ status: 200, title: 'With room', isCounted: true })
})
