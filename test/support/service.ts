/** The service as real processes: the local stack, a faulty proxy to each gateway, and the Worker on top. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import type { Stack } from '../../src/local/stack.ts'
import { startWorker } from '../../src/local/worker-process.ts'
import { openLine } from './faulty-line.ts'
import { freePort } from './free-port.ts'
import { startOwnStack } from './own-stack.ts'
import { contextOver, webhookKey } from './verbs.ts'

const READY_TIMEOUT_MS = 180_000
const OPERATOR_TOKEN = 'the token of an operator in a test'.replaceAll(' ', '-')

type Json = Record<string, unknown>
export type Service = Awaited<ReturnType<typeof startService>>
/** A Worker process with its own proxies to the database and to Redis. */
export type WorkerService = Awaited<ReturnType<typeof startWorkerService>>

export async function startService({
  embedded = false,
  latencyMs,
  replicaLagMs,
  timeoutFactor = 10,
  vars = {},
  redisUrl,
  server,
}: {
  /** On the embedded stack, also where the other tests use servers. */
  embedded?: boolean
  latencyMs?: number
  replicaLagMs?: number
  /** Multiplies the Worker's timeouts, which a busy machine exceeds. 1 where a test is about them. */
  timeoutFactor?: number
  /** Additional variables of the Worker. */
  vars?: Record<string, string>
  /** Another Redis server than that of the other tests. */
  redisUrl?: string
  /** The same for PostgreSQL. */
  server?: string
} = {}) {
  const stack = await startOwnStack({ embedded, latencyMs, replicaLagMs, redisUrl, server })
  const shared: Version = {
    timeoutFactor,
    bundle: readFileSync(inject('bundle'), 'utf8'),
    vars: {
      // Work that waits in one database must not be looked for in another.
      REDIS_PREFIX: `${inject('bindings').REDIS_PREFIX}:process:${randomUUID()}`,
      ...vars,
    },
    secrets: {
      DATABASE_URL: stack.databaseUrl,
      UPSTASH_REDIS_REST_URL: stack.redisUrl,
      UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
      OPERATOR_TOKEN,
      WEBHOOK_KEYS: webhookKey('k'),
    },
  }
  const first = await startWorkerService(stack, shared)
  const others: WorkerService[] = []
  return {
    ...first,
    stack,
    /** The variables and secrets of its Workers. */
    vars: shared.vars,
    secrets: shared.secrets,
    database: stack.database,
    /** The database behind the Worker, without the proxy. */
    sql: (statement: string) => contextOver(stack).db.execute(statement),
    /** Another Worker process on the same database and Redis, like another isolate, or a deployment with changes. */
    async startAnother({ vars, secrets, ...changes }: Partial<Version> & { on?: Stack } = {}) {
      const other = await startWorkerService(changes.on ?? stack, {
        ...shared,
        ...changes,
        vars: { ...shared.vars, ...vars },
        secrets: { ...shared.secrets, ...secrets },
      })
      others.push(other)
      return other
    },
    async stop() {
      for (const worker of [first, ...others]) await worker.stop()
      await stack.stop()
    },
  }
}

/** A deployed version: its code, variables and secrets. */
type Version = {
  timeoutFactor: number
  bundle: string
  vars: Record<string, string>
  secrets: Record<string, string>
  /** Its queues deliver nothing, as after `queues pause-delivery`. */
  isPaused?: boolean
}

async function startWorkerService(
  { databaseHttpEndpoint }: Stack,
  { timeoutFactor, bundle, vars, secrets, isPaused = false }: Version,
) {
  const { OPERATOR_TOKEN: operatorToken = '' } = secrets
  const postgres = await openLine(databaseHttpEndpoint)
  const redis = await openLine(secrets.UPSTASH_REDIS_REST_URL!)
  const dir = mkdtempSync(join(tmpdir(), 'service-'))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const start = () =>
    startWorker({
      port,
      dir,
      bundle,
      isPaused,
      vars: {
        DATABASE_HTTP_ENDPOINT: postgres.url,
        ALLOW_LOOPBACK_WEBHOOKS: 'true',
        TIMEOUT_FACTOR: String(timeoutFactor),
        ...vars,
      },
      secrets: { ...secrets, UPSTASH_REDIS_REST_URL: redis.url },
    })
  let worker = start()
  await untilReady()

  async function untilReady() {
    for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(50)) {
      const response = await fetch(`${origin}/api/v1/openapi.json`).catch(() => null)
      await response?.body?.cancel()
      if (response?.ok || (response && vars.MAINTENANCE)) return
      if (Date.now() > deadline) throw new Error(`The Worker is not ready:\n${worker.logTail()}`)
    }
  }

  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${origin}/manage/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${operatorToken}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  /**
   * A request to the management API.
   * @throws unless it succeeds
   */
  async function manage<Answer = Json>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await ask(method, path, body)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? null : JSON.parse(text)) as Answer
  }

  const send = (to: string, body: URLSearchParams, headers: Record<string, string> = {}) =>
    fetch(origin + to, {
      method: 'POST',
      redirect: 'manual',
      headers: { Origin: origin, ...headers },
      body,
    })
  let cookie: Promise<string> | undefined

  function signIn(): Promise<string> {
    cookie ??= send('/console/sign-in', new URLSearchParams({ token: operatorToken })).then(
      ({ headers }) => headers.getSetCookie()[0]!.split(';')[0]!,
    )
    return cookie
  }

  /** A page of the console, with the operator token. */
  async function getPage(path: string): Promise<Response> {
    return fetch(origin + path, { redirect: 'manual', headers: { Cookie: await signIn() } })
  }

  /** Posts a form of the console with the operator token. */
  async function postForm(path: string, form: URLSearchParams): Promise<Response> {
    return send(path, form, { Cookie: await signIn() })
  }

  /**
   * The same.
   * @returns the status
   */
  async function post(path: string, form: URLSearchParams): Promise<number> {
    const response = await postForm(path, form)
    await response.body?.cancel()
    return response.status
  }

  return {
    origin,
    post,
    postForm,
    getPage,
    /** The cookie of a console session with the operator token. */
    cookie: signIn,
    /** The Worker's log. */
    logFile: join(dir, 'worker.log'),
    postgres,
    redis,
    operatorToken,
    manage,
    /**
     * The same.
     * @returns the response
     */
    ask,
    /**
     * Runs `npm run -s admin -- COMMAND`.
     * @returns its output
     */
    async admin(command: string, token = operatorToken) {
      const env = { ...process.env, HCA_URL: origin, HCA_TOKEN: token }
      const { stdout } = await promisify(execFile)(
        'npm',
        ['run', '-s', 'admin', '--', ...command.split(' ')],
        { env },
      )
      return stdout.trim()
    },
    /** Its health, with Postgres and the queue. */
    async health() {
      const response = await fetch(`${origin}/healthz?postgres&${randomUUID()}`)
      const { checks } = (await response.json()) as { checks: Record<string, { status: string }> }
      const statuses = Object.entries(checks).map(([name, { status }]) => [name, status])
      return { status: response.status, ...(Object.fromEntries(statuses) as Record<string, string>) }
    },
    /** A site with a key. */
    async makeSite(fields: Json = {}) {
      const site = { name: 'Test', domain: 'site.example.com', plan: 'scale', ...fields }
      const { id } = await manage<{ id: string }>('POST', '/sites', site)
      const { key } = await manage<{ key: string }>('POST', `/sites/${id}/keys`, { name: 'test' })
      return { id, key, path: `/sites/${id}` }
    },
    /** Runs the cron once. */
    async cron() {
      const response = await fetch(`${origin}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`)
      if (!response.ok) throw new Error(`The cron: ${response.status} ${await response.text()}`)
    },
    /** The process of the Worker, the leader of a group with the runtime. */
    pid: () => worker.pid!,
    /** Kills the Worker with SIGKILL and starts it again. */
    async crash() {
      process.kill(-worker.pid!, 'SIGKILL')
      await worker.exited
      worker = start()
      await untilReady()
    },
    async stop() {
      await worker.stop()
      postgres.close()
      redis.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
