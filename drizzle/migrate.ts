/** Run by `node drizzle/migrate.ts` with DATABASE_URL at deployment, and for the embedded database at every start. */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { BUSY, type Database, migrateDatabase } from './steps.ts'

export const MIGRATIONS = join(import.meta.dirname, 'migrations')
const CONNECT_TIMEOUT_MS = 10_000

// An arbitrary number, shared by all deployments.
const LOCK_KEY = 7_205_911
const LOCK_INTERVAL_MS = 500
const PAUSE_MS = 1_000
const PATIENCE_MS = 60_000

/** Simultaneous migrations take turns. Retries steps that don't get their locks. @throws Error with the reason in one line */
export async function migrateServer(
  url: string,
  patienceMs = PATIENCE_MS,
  migrationsFolder = MIGRATIONS,
): Promise<void> {
  const client = new pg.Client({
    connectionString: directUrl(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // Without a listener, a connection lost between queries would end the process. With one, the next query fails.
  client.on('error', () => {})
  try {
    await client.connect()
    await lock(client)
    await migrateDatabase(overServer(client, patienceMs), migrationsFolder, 'Otherwise use an empty database')
  } catch (error) {
    throw failure(error as Error)
  } finally {
    await client.end()
  }
}

/** Polls, because a waiting statement holds a snapshot that CREATE INDEX CONCURRENTLY would wait for. */
async function lock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [LOCK_KEY])
    if (rows[0].locked) return
    await sleep(LOCK_INTERVAL_MS)
  }
}

function overServer(client: pg.Client, patienceMs: number): Database {
  return {
    async run(statement) {
      const { rows, rowCount } = await client.query(statement)
      return { rows, count: rowCount ?? 0 }
    },
    async retrying(work) {
      const deadline = Date.now() + patienceMs
      for (;;) {
        try {
          return await work()
        } catch (error) {
          const { code = '', message } = error as pg.DatabaseError
          if (!BUSY.includes(code)) throw error
          if (Date.now() >= deadline)
            throw new Error(
              `other sessions hold the locks that it needs (${message}). Run it again to resume`,
            )
        }
        await sleep(PAUSE_MS)
      }
    },
  }
}

/** @throws Error with the reason in one line */
export async function migrateEmbedded(database: PGlite, migrationsFolder = MIGRATIONS): Promise<void> {
  try {
    await migrateDatabase(
      {
        async run(statement) {
          const { rows, affectedRows } = await database.query<Record<string, unknown>>(statement)
          return { rows, count: affectedRows ?? 0 }
        },
        retrying: (work) => work(),
      },
      migrationsFolder,
      `To start with an empty one, delete ${database.dataDir}`,
    )
  } catch (error) {
    throw failure(error as Error)
  }
}

function failure(error: Error): Error {
  return new Error(`The database was not migrated: ${error.message}`, { cause: error })
}

// The lock needs a session, and Neon's pooled host has none. The direct host's name is the same without `-pooler`.
function directUrl(url: string): string {
  return url.replace(/-pooler(?=\.[^/@]*neon\.tech)/, '')
}

if (realpathSync(process.argv[1] ?? '') === import.meta.filename) {
  const url = process.env.DATABASE_URL
  if (!url) {
    console.error('DATABASE_URL is missing: set it to the connection string of the database to migrate')
    process.exit(1)
  }
  await migrateServer(url).then(
    () => console.log('The database is at the newest migration'),
    (error: Error) => {
      console.error(error.message)
      process.exitCode = 1
    },
  )
}
