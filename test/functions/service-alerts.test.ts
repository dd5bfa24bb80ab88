import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { expect, it } from 'vitest'
import worker from '../../functions/worker.ts'
import { markSite } from '../../src/freshness/marks.ts'
import { alertWorld } from '../support/alerts.ts'
import { losePostgres } from '../support/calls.ts'
import { bindings, patientRedis } from '../support/context.ts'
import { lostEvent, noteState, rewind, runCron } from '../support/outbox.ts'
import { interceptFetch } from '../support/own-calls.ts'
import { makeSite, ORIGIN } from '../support/site.ts'

const AWAY = 'http://127.0.0.1:1'
const HOUR = Math.ceil(Date.now() / 3_600_000) * 3_600_000
const MINUTE_MS = 60_000

/** A deployment of its own, with Slack as a target. */
const newWorld = (vars = {}) =>
  alertWorld(undefined, { REDIS_PREFIX: `${bindings.REDIS_PREFIX}:${crypto.randomUUID()}`, ...vars })

const textsOf = async (world: Awaited<ReturnType<typeof newWorld>>) =>
  (await world.received()).map(({ json }) => String(json.text))

it('the tenth error within five minutes raises an alert, and more errors raise no second one', async () => {
  const { path, key } = await makeSite()
  const world = await newWorld()
  const lost = losePostgres()
  const fail = async () => {
    const execution = createExecutionContext()
    const request = new Request(`${ORIGIN}/api/v1${path}/posts`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    expect((await worker.fetch(request, world.env, execution)).status).toBe(500)
    await waitOnExecutionContext(execution)
  }
  for (let errors = 1; errors < 10; errors++) await fail()
  expect(await textsOf(world)).toEqual([])
  for (let errors = 10; errors < 22; errors++) await fail()
  expect(await textsOf(world)).toEqual([
    '10 requests within 5 minutes were answered with 500.\nhttps://console.example.com/console/overview',
  ])
  lost.mockRestore()
})

it('jobs of the sweep that fail twice raise an alert that names them, once an hour', async () => {
  const world = await newWorld()
  const lost = losePostgres()
  const pause = { retryAt: HOUR, pauseMs: 30_000 }
  await noteState(world.context().config, { pruneSessions: pause, pruneAuditLog: pause })
  await runCron(world.env, HOUR)
  expect(await textsOf(world)).toEqual([])
  for (const minute of [1, 3, 7]) await runCron(world.env, HOUR + minute * MINUTE_MS)
  lost.mockRestore()
  const [text, ...more] = await textsOf(world)
  expect(text).toMatch(/^Jobs of the sweep failed twice in a row: pruneSessions, pruneAuditLog\n/)
  expect(more).toEqual([])
})

it('without a target, a problem is looked at once an hour, too', async () => {
  const world = await alertWorld({}, { REDIS_PREFIX: `${bindings.REDIS_PREFIX}:${crypto.randomUUID()}` })
  const { config } = world.context()
  await noteState(config, { pruneSessions: { retryAt: HOUR + MINUTE_MS, pauseMs: 2 * MINUTE_MS } })
  await runCron(world.env, HOUR)
  expect(await patientRedis().exists(`${config.REDIS_PREFIX}:alerted:sweep`)).toBe(1)
})

it('Redis that is away raises an alert on the hour', async () => {
  const world = await newWorld({ UPSTASH_REDIS_REST_URL: AWAY })
  for (const minute of [0, 1, 59]) await runCron(world.env, HOUR + minute * MINUTE_MS)
  expect(await textsOf(world)).toEqual([expect.stringMatching(/^Redis does not respond/)])
})

it('Redis that is full raises an alert on the hour', async () => {
  const world = await newWorld()
  await noteState(world.context().config, { pruneSessions: { retryAt: HOUR, pauseMs: 2 * MINUTE_MS } })
  const full = interceptFetch(async (fetch, input, init) =>
    /^\["set"/i.test(String(init?.body))
      ? Response.json({ error: 'ERR DB capacity quota exceeded' }, { status: 400 })
      : fetch(input, init),
  )
  for (const minute of [0, 1]) await runCron(world.env, HOUR + minute * MINUTE_MS)
  full.mockRestore()
  expect(await textsOf(world)).toEqual([expect.stringMatching(/^Redis does not respond, is full/)])
})

it('events that wait for ten minutes raise an alert', async () => {
  const { site, eventId } = await lostEvent()
  await rewind(eventId, 'created_at', '11 minutes')
  const world = await newWorld()
  await noteState(world.context().config)
  await markSite(world.context(), site)
  await runCron(world.env)
  expect(await textsOf(world)).toContainEqual(expect.stringMatching(/^Webhook events have waited/))
})
