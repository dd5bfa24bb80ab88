/** Postgres and Redis behind Neon's and Upstash's protocols: embedded by default, real servers when given. */
import { randomBytes } from 'node:crypto'
import { migrateEmbedded, migrateServer } from '../../drizzle/migrate.ts'
import { openEmbeddedPostgres } from './embedded-postgres.ts'
import { openEmbeddedRedis } from './embedded-redis.ts'
import { startPostgresGateway } from './postgres-gateway.ts'
import { startRedisGateway } from './redis-gateway.ts'
import { openServerPostgres } from './server-postgres.ts'
import { openServerRedis } from './server-redis.ts'

type StackOptions = {
  /** Folder of the embedded Postgres. In memory by default. */
  dataDir?: string
  /** A PostgreSQL server to use instead of the embedded one. */
  databaseUrl?: string
  /** The same database as its owner, who migrates it, if `databaseUrl` is of another role. */
  ownerUrl?: string
  /** A Redis server to use instead of the embedded one. */
  redisUrl?: string
  /** The Worker's UPSTASH_REDIS_REST_TOKEN. A new one by default. */
  redisToken?: string
  /** Milliseconds that both gateways add to each call. */
  latencyMs?: number
  /** Milliseconds by which a replica of Redis lags, which then answers half of the reads. */
  replicaLagMs?: number | undefined
}

export type Stack = {
  /** The Worker's DATABASE_URL. The password is new at each start. */
  databaseUrl: string
  /** The Worker's DATABASE_HTTP_ENDPOINT. */
  databaseHttpEndpoint: string
  /** The Worker's UPSTASH_REDIS_REST_URL. */
  redisUrl: string
  /** The Worker's UPSTASH_REDIS_REST_TOKEN. */
  redisToken: string
  /** Migrates the database. */
  migrate(): Promise<void>
  /** Closes both gateways and the servers behind them. */
  stop(): Promise<void>
}

/** Starts both gateways. Rejects when a given Redis server cannot be reached. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const opened: { close(): Promise<void> }[] = []
  const stop = async () => {
    for (const each of opened.splice(0).reverse()) await each.close()
  }
  const own = <T extends { close(): Promise<void> }>(each: T): T => {
    opened.push(each)
    return each
  }
  try {
    const redis = own(options.redisUrl ? await openServerRedis(options.redisUrl) : openEmbeddedRedis())
    const { postgres, migrate } = await openPostgres(options)
    own(postgres)
    const databaseUrl = `postgresql://local:${randomSecret()}@${placeOf(options.databaseUrl)}`
    const { latencyMs, replicaLagMs, redisToken = randomSecret() } = options
    const postgresGateway = own(await startPostgresGateway(postgres, databaseUrl, { latencyMs }))
    const redisGateway = own(await startRedisGateway(redis, redisToken, { latencyMs, replicaLagMs }))
    const databaseHttpEndpoint = `${postgresGateway.url}/sql`
    return { databaseUrl, databaseHttpEndpoint, redisUrl: redisGateway.url, redisToken, migrate, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function openPostgres({ databaseUrl, ownerUrl, dataDir }: StackOptions) {
  if (databaseUrl) {
    return {
      postgres: openServerPostgres(databaseUrl),
      migrate: () => migrateServer(ownerUrl ?? databaseUrl),
    }
  }
  const postgres = await openEmbeddedPostgres(dataDir)
  return { postgres, migrate: () => postgres.exclusively(migrateEmbedded) }
}

/** Host and name of the real database, from which the Worker makes the prefix of its Redis keys. */
function placeOf(databaseUrl = ''): string {
  const { host, pathname } = URL.parse(databaseUrl) ?? {}
  return host && pathname ? host + pathname : '127.0.0.1/local'
}

export function randomSecret(): string {
  return randomBytes(24).toString('hex')
}
