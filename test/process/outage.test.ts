import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { query } from '../support/databases.ts'
import { type Service, startService } from '../support/service.ts'

const CLIENTS = 16
const RECOVERY_MS = 5_000

type Seen = { kind: string; status: number; body: string; rated: boolean }

let service: Service
let load: Awaited<ReturnType<typeof prepareLoad>>

beforeAll(async () => {
  service = await startService({ timeoutFactor: 1 })
  load = await prepareLoad()
})

afterAll(() => service.stop())

const HEALTHY: Record<string, number> = {
  list: 200,
  post: 200,
  'unchanged list': 304,
  'missing post': 404,
  'unknown key': 401,
}

/** Clients that repeat their requests; answers are collected until `take`. */
async function prepareLoad() {
  const { key, path } = await service.makeSite()
  await service.manage('PUT', `${path}/posts/a`, { title: 'A', contentHtml: '<p>Words.</p>' })
  const ask = (below: string, headers: Record<string, string> = {}) =>
    fetch(`${service.origin}/api/v1${path}${below}`, {
      headers: { Authorization: `Bearer ${key}`, ...headers },
    })
  const first = await ask('/posts')
  await first.body?.cancel()
  const etag = first.headers.get('ETag')!
  const unknown = 'hca_live_abcdefghijklmnopqrstuvwxyzABCDEF2lKoNv'
  const questions: [string, () => Promise<Response>][] = [
    ['list', () => ask('/posts')],
    ['post', () => ask('/posts/a')],
    ['unchanged list', () => ask('/posts', { 'If-None-Match': etag })],
    ['missing post', () => ask('/posts/none')],
    ['unknown key', () => ask('/posts', { Authorization: `Bearer ${unknown}` })],
  ]
  let seen: Seen[] = []
  async function client(number: number, until: () => boolean) {
    for (let i = number; !until(); i++) {
      const [kind, question] = questions[i % questions.length]!
      const response = await question()
      const body = await response.text()
      const rated = response.headers.has('X-RateLimit-Remaining')
      seen.push({ kind, status: response.status, body, rated })
      await sleep(5)
    }
  }
  return {
    /**
     * Runs all clients while `work` runs, which gets the answers so far.
     * @returns all answers
     */
    async during(work: (seen: Seen[]) => Promise<unknown>): Promise<Seen[]> {
      seen = []
      let over = false
      const clients = Array.from({ length: CLIENTS }, (_, i) => client(i, () => over))
      await work(seen)
      over = true
      await Promise.all(clients)
      return seen
    },
  }
}

const isHealthy = ({ kind, status }: Seen) => status === HEALTHY[kind]
const isInternalError = ({ status, body }: Seen) => status === 500 && body === '{"error":"Internal error"}'

/** The database goes down, stays down under load and recovers: the answers during and after that. */
async function outage(go: () => Promise<unknown>, awayMs: number, comeBack: () => Promise<unknown>) {
  let failedBeforeReturn = 0
  const meanwhile = await load.during(async (seen) => {
    await sleep(500)
    await go()
    await sleep(awayMs)
    failedBeforeReturn = seen.filter(isInternalError).length
    await comeBack()
  })
  await untilHealed()
  return { meanwhile, failedBeforeReturn, after: await load.during(() => sleep(500)) }
}

/** Waits until every request succeeds. */
async function untilHealed() {
  for (const deadline = performance.now() + RECOVERY_MS; performance.now() < deadline; ) {
    if ((await load.during(() => sleep(250))).every(isHealthy)) return
  }
}

function expectFailedWell({ meanwhile, failedBeforeReturn, after }: Awaited<ReturnType<typeof outage>>) {
  expect(meanwhile.filter((seen) => !isHealthy(seen) && !isInternalError(seen))).toEqual([])
  // No client waits for the database to return.
  expect(failedBeforeReturn).toBeGreaterThanOrEqual(CLIENTS)
  expect(after.filter((seen) => !isHealthy(seen))).toEqual([])
  expect(after.length).toBeGreaterThanOrEqual(CLIENTS)
}

describe('with a database that', () => {
  it('is down, every answer is a 500 within 7 s or correct, and the service recovers on its own', async () => {
    expectFailedWell(
      await outage(
        () => service.postgres.become('cut'),
        3_000,
        () => service.postgres.become('sound'),
      ),
    )
  })

  it('hangs, the same is true', async () => {
    expectFailedWell(
      await outage(
        () => service.postgres.become('silent'),
        7_000,
        () => service.postgres.become('sound'),
      ),
    )
  })

  it('restarts, the same is true', async () => {
    const server = inject('server')!
    const name = new URL(service.database!).pathname.slice(1)
    expectFailedWell(
      await outage(
        async () => {
          await query(server, `alter database ${name} allow_connections false`)
          await query(
            server,
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
          )
        },
        3_000,
        () => query(server, `alter database ${name} allow_connections true`),
      ),
    )
  })
})

describe('with a Redis that', () => {
  it.each(['cut', 'silent'] as const)(
    'is %s, reads are served without rate headers, and are counted again afterwards',
    async (condition) => {
      await service.redis.become(condition)
      const meanwhile = await load.during(() => sleep(1_500))
      expect(meanwhile.filter((seen) => !isHealthy(seen))).toEqual([])
      expect(meanwhile.filter(({ rated }) => rated)).toEqual([])
      await service.redis.become('sound')
      const counted = new Set<string>()
      const countAgain = async () => {
        const after = await load.during(() => sleep(500))
        expect(after.filter((seen) => !isHealthy(seen))).toEqual([])
        for (const { rated, kind } of after) if (rated) counted.add(kind)
        return counted
      }
      await expect.poll(countAgain).toEqual(new Set(['list', 'post', 'unchanged list', 'missing post']))
    },
  )
})
