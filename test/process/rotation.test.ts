/** Each rotation of docs/secrets.md, while clients use the service: no request fails. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest'
import { startRedisGateway } from '../../src/local/redis-gateway.ts'
import { openServerRedis } from '../../src/local/server-redis.ts'
import { startStack } from '../../src/local/stack.ts'
import { verify } from '../../src/sdk/webhooks.ts'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { query } from '../support/databases.ts'
import { startHttpServer } from '../support/http-server.ts'
import { startRedisServer } from '../support/redis-server.ts'
import { type Service, startService, type WorkerService } from '../support/service.ts'
import { webhookKey } from '../support/verbs.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/secrets.md'), 'utf8')
const STEPS = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, step]) => step!)
const USER_STEPS = [...PAGE.matchAll(/```redis\n([\s\S]*?)```/g)].map(([, step]) => step!.trim())

type Changes = NonNullable<Parameters<Service['startAnother']>[0]>

let redis: Awaited<ReturnType<typeof startRedisServer>>
let service: Service
let site: Awaited<ReturnType<Service['makeSite']>>
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>
const received: Parameters<typeof verify>[0][] = []
let secret: string
/** A person, whose session and token outlive each rotation. */
let ada: { token: string; cookie: string }

/** The Workers that have traffic. */
let live: WorkerService[]
let deployed: Changes = {}
/** Later versions keep the second user. */
const cleanups: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  redis = await startRedisServer()
  service = await startService({ redisUrl: redis.url })
  live = [service]
  receiver = await startCountingReceiver((body, response, headers) => {
    received.push({ body, headers })
    response.writeHead(204).end()
  })
  site = await service.makeSite()
  ;({ secret } = await service.manage<{ secret: string }>('PUT', `${site.path}/webhook`, {
    url: receiver.url,
  }))
  const { tokens } = JSON.parse(await service.admin('--json operator add ada --role admin'))
  ada = { token: tokens[0].token, cookie: await signIn(service, tokens[0].token) }
})

afterAll(async () => {
  receiver?.close()
  await service?.stop()
  for (const cleanUp of cleanups.reverse()) await cleanUp()
  await redis?.stop()
})

/** Deploys a version with the changed secrets: for a while both versions have traffic. */
async function deploy(changes: Changes) {
  deployed = { ...deployed, ...changes, secrets: { ...deployed.secrets, ...changes.secrets } }
  const next = await service.startAnother(deployed)
  const before = live
  live = [...before, next]
  await sleep(1_000)
  live = [next]
  // Requests of the version before end.
  await sleep(500)
  return {
    next,
    /** Ends the version before. */
    stop: () => Promise.all(before.map((worker) => (worker === service ? null : worker.stop()))),
  }
}

/** Reads and writes all the time. @returns the failed ones, and the number of all */
async function whileInUse(work: () => Promise<unknown>, { hasSession = true } = {}) {
  const failed: string[] = []
  let requests = 0
  let isOver = false
  const client = async () => {
    for (let i = 0; !isOver; i++, requests++) {
      const { origin } = live[i % live.length]!
      const [method, path, headers, body] = [
        ['GET', `/api/v1${site.path}/posts`, { Authorization: `Bearer ${site.key}` }],
        ['GET', '/console/overview', hasSession ? { Cookie: ada.cookie } : null],
        [
          'PUT',
          `/manage/v1${site.path}/posts/a`,
          { Authorization: `Bearer ${ada.token}`, 'Content-Type': 'application/json' },
          JSON.stringify({ title: `Title ${i}`, contentHtml: '<p>Words.</p>' }),
        ],
      ][Math.floor(i / live.length) % 3]! as [string, string, HeadersInit | null, string?]
      if (!headers) continue
      const response = await fetch(origin + path, { method, headers, body: body ?? null, redirect: 'manual' })
      await response.arrayBuffer()
      const isCounted = !path.startsWith('/api') || response.headers.has('X-RateLimit-Remaining')
      if (response.status > 201 || !isCounted || response.headers.has('X-Effective-Within'))
        failed.push(`${method} ${path}: ${response.status}${isCounted ? '' : ' uncounted'}`)
    }
  }
  const clients = [client(), client()]
  await work().finally(() => {
    isOver = true
  })
  await Promise.all(clients)
  expect(requests).toBeGreaterThan(10)
  return [...new Set(failed)]
}

async function signIn({ origin }: WorkerService, token: string) {
  const response = await fetch(`${origin}/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: origin },
    body: new URLSearchParams({ token }),
  })
  return response.headers.getSetCookie()[0]!.split(';')[0]!
}

async function console(worker: WorkerService, cookie: string) {
  const response = await fetch(`${worker.origin}/console/overview`, {
    redirect: 'manual',
    headers: { Cookie: cookie },
  })
  return response.status
}

async function testWebhook(worker: WorkerService) {
  received.length = 0
  const headers = { Authorization: `Bearer ${site.key}` }
  await fetch(`${worker.origin}/api/v1/webhooks/test`, { method: 'POST', headers })
  await expect.poll(() => received.length).toBe(1)
  await verify(received[0]!, secret)
}

it('DATABASE_URL: a second role takes over, and the first one is closed', async () => {
  const owner = service.database!
  const [{ usename }] = (await query(
    owner,
    `select usename from pg_stat_activity where datname = current_database() and usename like '%worker' limit 1`,
  )) as [{ usename: string }]
  const url = new URL(owner)
  url.username = `${usename}_2`
  url.password = 'second'
  onTestFinished(async () => void (await query(inject('server')!, `drop role if exists ${url.username}`)))
  const run = (step: string) =>
    spawnSync('bash', ['-ec', step.replaceAll('hca_worker', usename).replace('…', url.password)], {
      env: { ...process.env, DATABASE_URL: owner },
      encoding: 'utf8',
    })
  const first = new URL(owner)
  first.username = usename
  expect(STEPS).toHaveLength(2)

  const failed = await whileInUse(async () => {
    expect(run(STEPS[0]!)).toMatchObject({ status: 0, stderr: '' })
    const stack = await startStack({ databaseUrl: url.href, redisUrl: redis.url })
    onTestFinished(stack.stop)
    const { next, stop } = await deploy({ on: stack, secrets: { DATABASE_URL: stack.databaseUrl } })
    expect(await next.health()).toMatchObject({ postgres: 'ok' })
    await stop()
    expect(run(STEPS[1]!)).toMatchObject({ status: 0, stderr: '' })
    await sleep(500)
  })
  expect(failed).toEqual([])
  expect((await service.ask('GET', '/sites')).status).toBe(500)
  expect(await query(url.href, 'show statement_timeout')).toEqual([{ statement_timeout: '1min' }])
  await expect(query(url.href, 'drop table posts')).rejects.toThrow(/must be owner/)
  await expect(query(url.href, "insert into audit_log (action) values ('x')")).rejects.toThrow(/audit/)
  await query(owner, 'create table later (id int)')
  await query(url.href, 'select from later')

  // The next rotation, back to the first role.
  await query(owner, `alter role ${usename} login`)
  const [back] = live
  live = [service]
  deployed = {}
  await back!.stop()
  expect((await service.ask('GET', '/sites')).status).toBe(200)
  await query(owner, `drop owned by ${url.username}`)
})

it('UPSTASH_REDIS_REST_TOKEN: a second user takes over, and everybody signs in again', async () => {
  // Redis has the users of Upstash, but no tokens for REST: each user has a gateway.
  const gatewayOf = async (user: string, password: string) => {
    const backEnd = await openServerRedis(redis.url.replace('redis://', `redis://${user}:${password}@`))
    cleanups.push(backEnd.close)
    const token = randomBytes(24).toString('hex')
    const gateway = await startRedisGateway(backEnd, token)
    cleanups.push(gateway.close)
    return { UPSTASH_REDIS_REST_URL: gateway.url, UPSTASH_REDIS_REST_TOKEN: token }
  }
  const run = (command: string) => redis.redis.call(...(command.split(' ') as [string]))
  const [, setUser] = USER_STEPS.flatMap((step) => step.split('\n'))
  const users = ['hca_1', 'hca_2'] as const
  let next: WorkerService
  const failed = await whileInUse(
    async () => {
      for (const user of users) {
        await run(setUser!.replace('hca_2', user).replace('TOKEN', `${user}-password`))
        const version = await deploy({ secrets: await gatewayOf(user, `${user}-password`) })
        next = version.next
        await version.stop()
      }
      await run('ACL DELUSER hca_1')
      await sleep(500)
    },
    { hasSession: false },
  )
  expect(failed).toEqual([])
  await next!.cron()
  expect(await console(next!, ada.cookie)).toBe(303)
  ada.cookie = await signIn(next!, ada.token)
  expect(await console(next!, ada.cookie)).toBe(200)
  // Its rights suffice for everything that the service does, and for no more.
  const log = readFileSync(next!.logFile, 'utf8')
  expect(log).not.toContain('NOPERM')
})

it('WEBHOOK_KEYS: both, sweep, the new one alone: webhooks keep their secrets', async () => {
  const old = service.secrets.WEBHOOK_KEYS!
  const both = `${webhookKey('new')},${old}`
  await testWebhook(live[0]!)
  const failed = await whileInUse(async () => {
    const first = await deploy({ secrets: { WEBHOOK_KEYS: both } })
    await testWebhook(first.next)
    await first.stop()
    expect(JSON.parse(await first.next.admin('--json sweep'))).toMatchObject({ countSecretsLeft: 0 })
    const second = await deploy({ secrets: { WEBHOOK_KEYS: both.split(',')[0]! } })
    await testWebhook(second.next)
    await second.stop()
  })
  expect(failed).toEqual([])
})

it('OPERATOR_TOKEN: a new one, or none, ends its sessions, and nobody else notices', async () => {
  const cookie = await live[0]!.cookie()
  expect(await console(live[0]!, cookie)).toBe(200)
  const failed = await whileInUse(async () => {
    const { next, stop } = await deploy({ secrets: { OPERATOR_TOKEN: randomBytes(32).toString('hex') } })
    expect(await console(next, cookie)).toBe(303)
    await next.manage('GET', '/sites')
    await stop()
  })
  expect(failed).toEqual([])
})

it('HEARTBEAT_URL: the next sweep sends to the new one', async () => {
  const beats: string[] = []
  const monitor = await startHttpServer((request, response) => {
    beats.push(request.url!)
    response.writeHead(204).end()
  })
  onTestFinished(monitor.close)
  const failed = await whileInUse(async () => {
    for (const path of ['/old', '/new']) {
      const { next, stop } = await deploy({ secrets: { HEARTBEAT_URL: monitor.url + path } })
      await next.cron()
      await stop()
    }
  })
  expect(failed).toEqual([])
  expect(beats).toEqual(['/old', '/new'])
})

it('ALERT_WEBHOOK_SECRET: a receiver that accepts both gets every alert', async () => {
  const secrets = [32, 32].map((bytes) => `whsec_${randomBytes(bytes).toString('base64')}`)
  const alerts: Parameters<typeof verify>[0][] = []
  const alerted = await startCountingReceiver((body, response, headers) => {
    alerts.push({ body, headers })
    response.writeHead(204).end()
  })
  onTestFinished(alerted.close)
  const failed = await whileInUse(async () => {
    for (const [i, each] of secrets.entries()) {
      const { next, stop } = await deploy({
        vars: { CONSOLE_URL: 'https://content.example.com/console', ALERT_WEBHOOK_URL: alerted.url },
        secrets: { ALERT_WEBHOOK_SECRET: each },
      })
      await next.post('/console/alerts/tests', new URLSearchParams())
      await expect.poll(() => alerts.length).toBe(i + 1)
      await verify(alerts[i]!, secrets)
      await verify(alerts[i]!, each)
      await stop()
    }
  })
  expect(failed).toEqual([])
})

it('ALERT_SLACK_URL: the next alert goes to the new one', async () => {
  const paths: string[] = []
  const slack = await startHttpServer((request, response) => {
    paths.push(request.url!)
    response.end('ok')
  })
  onTestFinished(slack.close)
  const failed = await whileInUse(async () => {
    for (const path of ['/old', '/new']) {
      const { next, stop } = await deploy({ secrets: { ALERT_SLACK_URL: slack.url + path } })
      await next.post('/console/alerts/tests', new URLSearchParams())
      await stop()
    }
  })
  expect(failed).toEqual([])
  expect(paths).toEqual(['/old', '/new'])
})
