/** `npm start`: the whole service on 127.0.0.1, with nothing but Node. All its data is in LOCAL_DIR. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import { parseConfig } from '../core/config.ts'
import { customError } from '../core/zod.ts'
import { type Demo, prepareDemo } from './demo.ts'
import { takeLock } from './lock.ts'
import { readJson, writePrivateJson } from './private-file.ts'
import { randomSecret, startStack } from './stack.ts'
import { startWorker, untilUnanswered, type WorkerProcess } from './worker-process.ts'

const READY_TIMEOUT_MS = 60_000
const CRON_INTERVAL_MS = 60_000
const RESPONSE_TIMEOUT_MS = 30_000
const STOP_DEADLINE_MS = 4_700

/** Variables of the Worker that are passed on. */
const VARS = [
  'ALERT_EMAIL_TO',
  'ALERT_EMAIL_FROM',
  'ALERT_AFTER_FAILURES',
  'REDIS_PREFIX',
  'RETENTION_AUDIT_DAYS',
  'RETENTION_DELIVERY_DAYS',
  'TIMEOUT_FACTOR',
]
const SECRETS = ['ALERT_SLACK_URL', 'ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET', 'HEARTBEAT_URL']

const USAGE =
  'npm start takes no arguments. These environment variables configure it: PORT, LOCAL_DIR, DATABASE_URL, REDIS_URL, GATEWAY_LATENCY_MS, REDIS_REPLICA_LAG_MS, INSPECT and variables of the Worker.'

/** The console signs its cookies with `redisToken`: a new one would sign everyone out. */
type Secrets = { operatorToken: string; webhookKeys: string; redisToken: string }

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
// npm sends signals to a shell that exits without forwarding them, so poll for its exit.
const parent = process.ppid
if (process.env.npm_lifecycle_event) setInterval(() => process.ppid === parent || stop(), 200).unref()
// The terminal may be closed before the service ends.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

const cleanups: (() => unknown)[] = []
let exitCode = 0
try {
  await serve(stopping.signal)
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error((error as Error).message)
    exitCode = 1
  }
} finally {
  for (const cleanUp of cleanups.reverse()) await Promise.resolve(cleanUp()).catch(() => {})
  process.exit(exitCode)
}

function stop(): void {
  if (stopping.signal.aborted) return
  stopping.abort()
  setTimeout(() => process.exit(0), STOP_DEADLINE_MS).unref()
}

/** Runs until `signal`. Rejects when it cannot start or the Worker dies. `cleanups` collects the undo steps. */
async function serve(signal: AbortSignal): Promise<void> {
  const [argument] = process.argv.slice(2)
  if (argument === '--help') return console.log(USAGE)
  if (argument !== undefined) throw new Error(`${argument}: ${USAGE}`)
  const port = whole('PORT', 8787, 1, 65_535)
  const latencyMs = whole('GATEWAY_LATENCY_MS', 0, 0, 60_000)
  const replicaLagMs = whole('REDIS_REPLICA_LAG_MS', 0, 0, 60_000)
  const dir = resolve(process.env.LOCAL_DIR || '.local')
  const origin = `http://127.0.0.1:${port}`
  await checkPort(port)
  cleanups.push(await takeLock(dir))

  const secrets = loadSecrets(join(dir, 'secrets.json'))
  const stack = await startStack({
    dataDir: join(dir, 'postgres'),
    databaseUrl: process.env.DATABASE_URL || undefined,
    redisUrl: process.env.REDIS_URL || undefined,
    redisToken: secrets.redisToken,
    latencyMs,
    replicaLagMs,
  })
  cleanups.push(stack.stop)
  signal.throwIfAborted()
  await stack.migrate()
  signal.throwIfAborted()

  const bindings = {
    vars: {
      DATABASE_HTTP_ENDPOINT: stack.databaseHttpEndpoint,
      ALLOW_LOOPBACK_WEBHOOKS: 'true',
      CONSOLE_URL: `${origin}/console`,
      ...given(VARS),
    },
    secrets: {
      DATABASE_URL: stack.databaseUrl,
      UPSTASH_REDIS_REST_URL: stack.redisUrl,
      UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
      OPERATOR_TOKEN: secrets.operatorToken,
      WEBHOOK_KEYS: secrets.webhookKeys,
      ...given(SECRETS),
    },
  }
  z.config({ customError })
  parseConfig({ ...bindings.vars, ...bindings.secrets })
  const worker = startWorker({ port, dir, inspect: process.env.INSPECT === '1', ...bindings })
  cleanups.push(worker.stop)
  await untilReady(`${origin}/api/v1/openapi.json`, worker, signal)

  const serviceFile = join(dir, 'service.json')
  const previous = readJson(serviceFile) as { demo?: Demo } | null
  const service = {
    baseUrl: `${origin}/api/v1`,
    manageUrl: `${origin}/manage/v1`,
    consoleUrl: `${origin}/console`,
    operatorToken: secrets.operatorToken,
  }
  const demo = await prepareDemo({ ...service, previous: previous?.demo, signal })
  const gateways = { postgres: new URL(stack.databaseHttpEndpoint).origin, redis: stack.redisUrl }
  writePrivateJson(serviceFile, { ...service, demo, gateways })
  announce(service.baseUrl, service.consoleUrl, demo, serviceFile)

  await Promise.race([once(signal, 'abort'), worker.exited, everyMinute(origin)])
  if (!signal.aborted) throw died(worker)
}

function given(names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

function whole(name: string, byDefault: number, min: number, max: number): number {
  const text = process.env[name] || String(byDefault)
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) throw new Error(`${name} must be a whole number from ${min} to ${max}`)
  return value
}

async function checkPort(port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${error.code})`
      reject(new Error(`Port ${port} on 127.0.0.1 ${why}: set PORT to another one`))
    })
    server.listen(port, '127.0.0.1', resolve)
  })
  await new Promise((resolve) => server.close(resolve))
}

// Created once: other webhook keys could not decrypt the stored webhook secrets.
function loadSecrets(file: string): Secrets {
  const secrets: Secrets = {
    operatorToken: `hca_operator_${randomSecret()}`,
    webhookKeys: `local:${randomBytes(32).toString('base64')}`,
    redisToken: randomSecret(),
    ...(readJson(file) as Partial<Secrets> | null),
  }
  writePrivateJson(file, secrets)
  return secrets
}

async function untilReady(url: string, worker: WorkerProcess, signal: AbortSignal): Promise<void> {
  let exited = false
  worker.exited.then(() => {
    exited = true
  })
  for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(100)) {
    signal.throwIfAborted()
    if (exited) throw died(worker)
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
    await response?.body?.cancel()
    if (response?.ok) return
    if (Date.now() > deadline) {
      const answer = response ? `${url} answers ${response.status}` : `${url} does not answer`
      throw new Error(
        `The Worker is not ready after ${READY_TIMEOUT_MS / 1000} s: ${answer}\n${worker.logTail()}`,
      )
    }
  }
}

function died(worker: WorkerProcess): Error {
  return new Error(`The Worker has stopped unexpectedly. The end of its log:\n${worker.logTail()}`)
}

// Calls the Worker's cron as Cloudflare does, and once at the start, since the console reports a cron that never ran. Resolves
// when the Worker is gone: Miniflare restarts a crashed runtime, but that may fail.
async function everyMinute(origin: string): Promise<void> {
  await untilUnanswered(async () => {
    answers(`${origin}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`)
    await sleep(CRON_INTERVAL_MS)
    return answers(`${origin}/api/v1/openapi.json`)
  })
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) }).catch(() => null)
  await response?.body?.cancel()
  return response !== null
}

function announce(baseUrl: string, consoleUrl: string, demo: Demo, serviceFile: string): void {
  const site = `${baseUrl}/sites/${demo.siteId}`
  const curl = (path: string) => `  curl -i -H 'Authorization: Bearer ${demo.apiKey}' '${site}${path}'`
  console.log(`
The service is ready. Ctrl-C stops it.

  base URL   ${baseUrl}
  console    ${consoleUrl}
  docs       ${new URL('/docs', baseUrl)}
  demo site  ${demo.siteId}
  API key    ${demo.apiKey}

${curl('/posts?pageSize=3')}
${curl('/posts/how-to-clean-a-chain')}
${curl('/sitemap.xml')}

These values and the operator token are in ${serviceFile}
`)
}
