/** The Worker as `npm start` runs it, with its queue and its cron, before the servers of a bench. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { apiOf } from '../../src/cli/client.ts'
import { startWorker } from '../../src/local/worker-process.ts'
import { createDatabase } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { removeKeys } from '../support/redis-keys.ts'
import { webhookKey } from '../support/verbs.ts'
import type { Cleanups } from './cleanups.ts'
import { startGateways } from './gateways.ts'
import { treeOf } from './process-tree.ts'

const READY_TIMEOUT_MS = 60_000
const CRON_INTERVAL_MS = 60_000
const OPERATOR_TOKEN = 'x'.repeat(32)

export type Service = Awaited<ReturnType<typeof startService>>

/** Starts it in a database and a key space of its own. */
export async function startService(cleanups: Cleanups, servers: { databaseUrl: string; redisUrl: string }) {
  const database = await createDatabase(servers.databaseUrl)
  cleanups.push(database.drop)
  const prefix = database.name
  cleanups.push(() => removeKeys(servers.redisUrl, `${prefix}:*`))
  const gateways = await startGateways({ databaseUrl: database.url, redisUrl: servers.redisUrl })
  cleanups.push(gateways.stop)
  const dir = await mkdtemp(join(tmpdir(), 'bench-'))
  cleanups.push(() => rm(dir, { recursive: true }))
  const port = await freePort()
  const options = {
    port,
    dir,
    vars: {
      DATABASE_HTTP_ENDPOINT: gateways.databaseHttpEndpoint,
      ALLOW_LOOPBACK_WEBHOOKS: 'true',
      REDIS_PREFIX: prefix,
    },
    secrets: {
      DATABASE_URL: gateways.databaseUrl,
      UPSTASH_REDIS_REST_URL: gateways.redisUrl,
      UPSTASH_REDIS_REST_TOKEN: gateways.redisToken,
      OPERATOR_TOKEN,
      WEBHOOK_KEYS: webhookKey('k'),
    },
  }
  let worker = startWorker(options)
  cleanups.push(() => worker.stop())
  const origin = `http://127.0.0.1:${port}`
  async function untilReady() {
    for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(100)) {
      const response = await fetch(`${origin}/api/v1/openapi.json`).catch(() => null)
      await response?.body?.cancel()
      if (response?.ok) break
      if (Date.now() > deadline) throw new Error(`The Worker is not ready:\n${worker.logTail()}`)
    }
  }
  await untilReady()
  const runCron = () => fetch(`${origin}/cdn-cgi/local/scheduled`).catch(() => {})
  const cron = setInterval(runCron, CRON_INTERVAL_MS)
  cleanups.push(() => clearInterval(cron))
  const sql = new pg.Client(database.url)
  await sql.connect()
  cleanups.push(() => sql.end())

  const send = (path: string, form: URLSearchParams, cookie = '') =>
    fetch(origin + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { Origin: origin, Cookie: cookie },
      body: form,
    })
  const signedIn = await send('/console/sign-in', new URLSearchParams({ token: OPERATOR_TOKEN }))
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!

  return {
    origin,
    /** The prefix of its Redis keys. */
    prefix,
    /** By name. */
    async processes() {
      const [runtime, ...workerd] = await treeOf(worker.pid!)
      return { workerd, runtime: [runtime!], gateways: [gateways.pid] }
    },
    /** Stops the Worker, and starts it again. */
    async restart() {
      await worker.stop()
      worker = startWorker(options)
      await untilReady()
    },
    /** Before the minute is over. */
    runCron,
    manage: apiOf({ fetch, stderr: process.stderr }, { url: `${origin}/manage/v1`, token: OPERATOR_TOKEN }),
    /** Past the gateway, whose calls are counted. */
    sql,
    /** Marks drafts of a site ready, at most 100, as the console does. */
    async markReady(siteId: string, slugs: string[]): Promise<void> {
      const form = new URLSearchParams([['change', 'ready'], ...slugs.map((slug) => ['slug', slug])])
      const response = await send(`/console/sites/${siteId}/content/selection`, form, cookie)
      if (response.status !== 303)
        throw new Error(`Marking ready: ${response.status} ${await response.text()}`)
    },
    /** Calls of the Worker so far. */
    async calls() {
      const [postgres, redis] = [await gateways.stats('postgres'), await gateways.stats('redis')]
      return { postgres: postgres.requests, redis: redis.requests }
    },
  }
}
