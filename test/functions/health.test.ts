import { createExecutionContext } from 'cloudflare:test'
import { expect, it } from 'vitest'
import worker from '../../functions/worker.ts'
import { callsOf, losePostgres } from '../support/calls.ts'
import { bindings } from '../support/context.ts'
import { lostEvent, noteState, rewind, runCron } from '../support/outbox.ts'
import { interceptFetch } from '../support/own-calls.ts'
import { ORIGIN } from '../support/site.ts'

const START = Date.now()
const AWAY = 'http://127.0.0.1:1'

/** A deployment of its own, whose isolate has checked nothing and whose cron never ran. */
const newWorld = (more = {}) => ({
  ...bindings,
  REDIS_PREFIX: `${bindings.REDIS_PREFIX}:${crypto.randomUUID()}`,
  VERSION: { id: 'v7' },
  ...more,
})

/** The sweep of all sites would meet those of other tests. */
async function sweptWorld(more = {}) {
  const world = newWorld(more)
  await noteState(world)
  return world
}

const ask = async (world: typeof bindings, query = '') =>
  worker.fetch(new Request(`${ORIGIN}/healthz${query}`), world, createExecutionContext())

async function checksOf(world: typeof bindings, query = '') {
  const response = await ask(world, query)
  const { status, checks, version } = (await response.json()) as {
    status: string
    version: string
    checks: Record<string, { status: string; ageSeconds?: number | null; failedJobs?: string[] }>
  }
  const states = Object.values(checks).map((check) => check.status)
  expect(status).toBe(states.every((state) => state === 'ok') ? 'ok' : 'failing')
  expect(response.status).toBe(status === 'ok' ? 200 : 503)
  expect(version).toBe('v7')
  return checks
}

it('says which part fails, without a key, and is kept for five seconds', async () => {
  const world = newWorld()
  expect(await checksOf(world)).toEqual({
    redis: { status: 'ok' },
    cron: { status: 'failing', ageSeconds: null },
    sweep: { status: 'failing', ageSeconds: null },
  })
  const response = await ask(world)
  expect(response.headers.get('Cache-Control')).toBe('public, max-age=5')
  expect(await callsOf(() => ask(world))).toMatchObject({ postgres: 0, redis: 0 })
})

it('is checked once for many who ask at the same time', async () => {
  const world = newWorld()
  const calls = await callsOf(async () => {
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(world, `?x=${n}`)))
    return all[0]!
  })
  expect(calls).toMatchObject({ postgres: 0, redis: 1 })
})

it('is well once the cron has run, without a query to Postgres', async () => {
  const world = await sweptWorld()
  await runCron(world)
  expect(await callsOf(() => ask(world))).toEqual({ status: 200, postgres: 0, redis: 1 })
  expect(await checksOf(world)).toEqual({
    redis: { status: 'ok' },
    cron: { status: 'ok', ageSeconds: expect.any(Number) },
    sweep: { status: 'ok', ageSeconds: expect.any(Number) },
  })
})

it('reports a database that is away, and what it alone knows as unknown', async () => {
  const noRedis = await checksOf(newWorld({ UPSTASH_REDIS_REST_URL: AWAY }))
  expect(noRedis).toMatchObject({
    redis: { status: 'failing' },
    cron: { status: 'unknown' },
    sweep: { status: 'unknown' },
  })
  const lost = losePostgres()
  const noPostgres = await checksOf(newWorld(), '?postgres')
  lost.mockRestore()
  expect(noPostgres).toMatchObject({ postgres: { status: 'failing' }, queue: { status: 'unknown' } })
})

it('reports an event that has waited for ten minutes', async () => {
  const { eventId } = await lostEvent()
  await rewind(eventId, 'created_at', '11 minutes')
  expect((await checksOf(newWorld(), '?postgres')).queue).toEqual({
    status: 'failing',
    ageSeconds: expect.any(Number),
  })
})

it('a heartbeat follows each good sweep, and none follows a bad one', async () => {
  const HEARTBEAT_URL = 'https://hc.example.org/ping/a-secret'
  let beats = 0
  let isPostgresAway = false
  const calls = interceptFetch(async (fetch, input, init): Promise<Response> => {
    if (isPostgresAway && String(input) === bindings.DATABASE_HTTP_ENDPOINT) throw new TypeError('away')
    if (String(input) !== HEARTBEAT_URL) return fetch(input, init)
    beats += 1
    return new Response(null)
  })
  await runCron(newWorld({ HEARTBEAT_URL, UPSTASH_REDIS_REST_URL: AWAY }))
  expect(beats).toBe(0)
  const world = await sweptWorld({ HEARTBEAT_URL })
  await runCron(world)
  expect(beats).toBe(1)
  isPostgresAway = true
  await noteState(world, { pruneSessions: { retryAt: START, pauseMs: 60_000 } })
  for (const minute of [0, 1, 2, 3, 4]) await runCron(world, START + minute * 60_000)
  expect(beats).toBe(1)
  calls.mockRestore()
})
