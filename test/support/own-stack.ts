/** A stack over a migrated database that no other test uses. */
import { inject } from 'vitest'
import { startStack } from '../../src/local/stack.ts'
import { createDatabase } from './databases.ts'

type Options = {
  /** Also where the other tests use servers. */
  embedded?: boolean
  latencyMs?: number | undefined
  replicaLagMs?: number | undefined
  redisUrl?: string | undefined
  /** Another PostgreSQL server, as its owner. */
  server?: string | undefined
}

export async function startOwnStack(options: Options = {}) {
  const { embedded = false, latencyMs, replicaLagMs, redisUrl } = options
  const server = options.server ?? (embedded ? null : inject('server'))
  const template = options.server ? undefined : (inject('template') ?? undefined)
  const database = server ? await createDatabase(server, template) : null
  const stack = await startStack({
    databaseUrl: database?.workerUrl,
    ownerUrl: database?.url,
    redisUrl: redisUrl ?? (server ? process.env.REDIS_URL : undefined),
    ...(latencyMs && { latencyMs }),
    replicaLagMs,
  })
  await stack.migrate()
  return {
    ...stack,
    /** As its owner; null on the embedded stack. */
    database: database?.url ?? null,
    async stop() {
      await stack.stop()
      await database?.drop()
    },
  }
}
