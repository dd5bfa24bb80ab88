/** The service as production runs it: its bundle in workerd, its database and its Redis behind the gateways. */
import { randomBytes } from 'node:crypto'
import type { SourceMap } from 'node:module'
import { apiOf } from '../../src/cli/client.ts'
import type { Api } from '../../src/transfer/api.ts'
import { createDatabase } from '../support/databases.ts'
import { removeKeys } from '../support/redis-keys.ts'
import { webhookKey } from '../support/verbs.ts'
import { makeBundle } from './bundle.ts'
import type { Cleanups } from './cleanups.ts'
import { cpuSeconds, watchDatabase } from './cpu.ts'
import { type Gateways, startGateways } from './gateways.ts'
import type { Meters } from './measure.ts'
import { startWorker, type Worker } from './worker.ts'

export type Service = {
  /** The database behind the gateway. */
  databaseUrl: string
  origin: string
  manage: Api
  /** The operator's. */
  token: string
  /** Starts another Worker beside the one of `origin`, over the same gateways. */
  startIsolate(): Promise<Worker>
  gateways: Gateways
  meters: Meters
  /** The Worker's process. */
  pid: number
  /** Null unless requested. */
  inspector: string | null
  /** The source map of the bundle. */
  sourceMap: SourceMap
}

/** Starts it in a database and a key space of its own. */
export async function startService(
  cleanups: Cleanups,
  servers: { databaseUrl: string; redisUrl: string },
  { inspected = false } = {},
): Promise<Service> {
  const database = await createDatabase(servers.databaseUrl)
  cleanups.push(database.drop)
  const prefix = new URL(database.url).pathname.slice(1)
  cleanups.push(() => removeKeys(servers.redisUrl, `${prefix}:*`))
  const gateways = await startGateways({ databaseUrl: database.url, redisUrl: servers.redisUrl })
  cleanups.push(gateways.stop)
  const bundle = await makeBundle()
  cleanups.push(bundle.remove)
  const token = randomBytes(24).toString('hex')
  const bindings = {
    DATABASE_URL: gateways.databaseUrl,
    DATABASE_HTTP_ENDPOINT: gateways.databaseHttpEndpoint,
    UPSTASH_REDIS_REST_URL: gateways.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: gateways.redisToken,
    REDIS_PREFIX: prefix,
    OPERATOR_TOKEN: token,
    WEBHOOK_KEYS: webhookKey('k'),
  }
  const { cacheUrl } = gateways
  const worker = await startWorker(bundle, { bindings, cacheUrl, inspected })
  cleanups.push(worker.stop)
  return {
    databaseUrl: database.url,
    origin: worker.origin,
    manage: apiOf({ fetch, stderr: process.stderr }, { url: `${worker.origin}/manage/v1`, token }),
    token,
    startIsolate: () => startWorker(bundle, { bindings, cacheUrl }),
    gateways,
    pid: worker.pid,
    inspector: worker.inspector,
    sourceMap: await bundle.sourceMap(),
    meters: {
      serverCpu: () => cpuSeconds(worker.pid),
      gatewaysCpu: () => cpuSeconds(gateways.pid),
      postgresCpu: watchDatabase(database.url),
      postgresTrips: async () => (await gateways.stats('postgres')).requests,
      redisTrips: async () => (await gateways.stats('redis')).requests,
      queries: async () => (await gateways.stats('postgres')).queries!,
      commands: async () => (await gateways.stats('redis')).commands!,
    },
  }
}

/** The limits: a Worker that answers `body` at /constant, and after one call to Redis at /called. */
export async function startConstant(cleanups: Cleanups, { gateways }: Service, body: string) {
  const bundle = await makeBundle('test/bench/constant.ts')
  cleanups.push(bundle.remove)
  const { redisUrl: REDIS_URL, redisToken: REDIS_TOKEN, cacheUrl } = gateways
  const worker = await startWorker(bundle, { bindings: { BODY: body, REDIS_URL, REDIS_TOKEN }, cacheUrl })
  cleanups.push(worker.stop)
  return { origin: worker.origin, meters: { serverCpu: () => cpuSeconds(worker.pid) } as Meters }
}
