/** The service as real processes: the local stack, a faulty proxy to each gateway, and the Worker on top. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
}: {
  /** On the embedded stack, also where the other tests use servers. */
  embedded?: boolean
  latencyMs?: number
  replicaLagMs?: number
  /** Multiplies the Worker's timeouts, which a busy machine exceeds. 1 where a test is about them. */
  timeoutFactor?: number
  /** Additional variables of the Worker. */
  vars?: Record<string, string>
} = {}) {
  const stack = await startOwnStack({ embedded, latencyMs, replicaLagMs })
  const shared = {
    timeoutFactor,
    vars,
    bundle: readFileSync(inject('bundle'), 'utf8'),
    webhookKeys: webhookKey('k'),
    // Work that waits in one database must not be looked for in another.
    redisPrefix: `${inject('bindings').REDIS_PREFIX}:process:${randomUUID()}`,
  }
  const first = await startWorkerService(stack, shared)
  const others: WorkerService[] = []
  return {
    ...first,
    database: stack.database,
    /** The database behind the Worker, without the proxy. */
    sql: (statement: string) => contextOver(stack).db.execute(statement),
    /** Another Worker process on the same database and Redis, like another isolate. */
    async startAnother() {
      const other = await startWorkerService(stack, shared)
      others.push(other)
      return other
    },
    async stop() {
      for (const worker of [first, ...others]) await worker.stop()
      await stack.stop()
    },
  }
}

async function startWorkerService(
  stack: Stack,
  shared: {
    timeoutFactor: number
    vars: Record<string, string>
    bundle: string
    webhookKeys: string
    redisPrefix: string
  },
) {
  const postgres = await openLine(stack.databaseHttpEndpoint)
  const redis = await openLine(stack.redisUrl)
  const dir = mkdtempSync(join(tmpdir(), 'service-'))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const start = () =>
    startWorker({
      port,
      dir,
      bundle: shared.bundle,
      vars: {
        DATABASE_HTTP_ENDPOINT: postgres.url,
        ALLOW_LOOPBACK_WEBHOOKS: 'true',
        REDIS_PREFIX: shared.redisPrefix,
        TIMEOUT_FACTOR: String(shared.timeoutFactor),
        ...shared.vars,
      },
      secrets: {
        DATABASE_URL: stack.databaseUrl,
        UPSTASH_REDIS_REST_URL: redis.url,
        UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
        OPERATOR_TOKEN,
        WEBHOOK_KEYS: shared.webhookKeys,
      },
    })
  let worker = start()
  await untilReady()

  async function untilReady() {
    for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(50)) {
      const response = await fetch(`${origin}/api/v1/openapi.json`).catch(() => null)
      await response?.body?.cancel()
      if (response?.ok) return
      if (Date.now() > deadline) throw new Error(`The Worker is not ready:\n${worker.logTail()}`)
    }
  }

  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${origin}/manage/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${OPERATOR_TOKEN}`,
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
    cookie ??= send('/console/sign-in', new URLSearchParams({ token: OPERATOR_TOKEN })).then(
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
    /** The Worker's log. */
    logFile: join(dir, 'worker.log'),
    postgres,
    redis,
    operatorToken: OPERATOR_TOKEN,
    manage,
    /**
     * The same.
     * @returns the response
     */
    ask,
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
