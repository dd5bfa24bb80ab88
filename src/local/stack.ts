/** Postgres and Redis behind the protocols of Neon and Upstash: embedded by default, or real servers. */
import { randomBytes } from 'node:crypto'
import { migrateEmbedded, migrateServer } from '../../drizzle/migrate.ts'
import { openEmbeddedPostgres } from './embedded-postgres.ts'
import { openEmbeddedRedis } from './embedded-redis.ts'
import { startPostgresGateway } from './postgres-gateway.ts'
import { startRedisGateway } from './redis-gateway.ts'
import { openServerPostgres } from './server-postgres.ts'
import { openServerRedis } from './server-redis.ts'

type StackOptions = {
  /** Folder of the embedded Postgres; in memory by default. */
  dataDir?: string
  databaseUrl?: string
  /** The same database with the owner's role, for migrations, if `databaseUrl` has another. */
  ownerUrl?: string
  redisUrl?: string
  redisToken?: string
  latencyMs?: number
  /** Lag of a Redis replica that answers half of the reads. */
  replicaLagMs?: number | undefined
}

export type Stack = {
  /** The Worker's DATABASE_URL, with a new password at each start. */
  databaseUrl: string
  databaseHttpEndpoint: string
  redisUrl: string
  redisToken: string
  migrate(): Promise<void>
  stop(): Promise<void>
}

/** Rejects when a given Redis server cannot be reached. */
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

/** Host and name of the real database, which the Worker's Redis keys begin with. */
function placeOf(databaseUrl = ''): string {
  const { host, pathname } = URL.parse(databaseUrl) ?? {}
  return host && pathname ? host + pathname : '127.0.0.1/local'
}

export function randomSecret(): string {
  return randomBytes(24).toString('hex')
}
