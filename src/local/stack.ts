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
  /** Folder of the embedded Postgres; in memory when not given. */
  dataDir?: string
  /** A PostgreSQL server to use instead of the embedded one. */
  databaseUrl?: string
  /** The same as its owner, who migrates it, where `databaseUrl` is another role's. */
  ownerUrl?: string
  /** A Redis server to use instead of the embedded one. */
  redisUrl?: string
  /** Milliseconds that both gateways add to each call. */
  latencyMs?: number
}

export type Stack = {
  /** What a Worker is given as DATABASE_URL; its password is new at each start. */
  databaseUrl: string
  /** What a Worker is given as DATABASE_HTTP_ENDPOINT. */
  databaseHttpEndpoint: string
  /** What a Worker is given as UPSTASH_REDIS_REST_URL. */
  redisUrl: string
  /** What a Worker is given as UPSTASH_REDIS_REST_TOKEN. */
  redisToken: string
  /** Brings the database to the newest migration. */
  migrate(): Promise<void>
  /** Closes both gateways and what stands behind them. */
  stop(): Promise<void>
}

/** Starts both gateways. Rejects when a server given for Redis cannot be reached. */
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
    const databaseUrl = `postgresql://local:${secret()}@${placeOf(options.databaseUrl)}`
    const redisToken = secret()
    const { latencyMs } = options
    const postgresGateway = own(await startPostgresGateway(postgres, databaseUrl, { latencyMs }))
    const redisGateway = own(await startRedisGateway(redis, redisToken, { latencyMs }))
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

/** Host and name of the real database: the Worker makes the prefix of its Redis keys of them. */
function placeOf(databaseUrl = ''): string {
  const { host, pathname } = URL.parse(databaseUrl) ?? {}
  return host && pathname ? host + pathname : '127.0.0.1/local'
}

function secret(): string {
  return randomBytes(24).toString('hex')
}
