/**
 * Migrates a database to the latest schema: `node drizzle/migrate.ts` with DATABASE_URL in a deployment, and the embedded
 * one at every start. Uses Drizzle's node-postgres migrator, because the one for Neon's HTTP driver is not atomic.
 */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { drizzle as drizzleEmbedded, type PgliteDatabase } from 'drizzle-orm/pglite'
import { migrate as migrateEmbeddedWith } from 'drizzle-orm/pglite/migrator'
import pg from 'pg'

export const MIGRATIONS = join(import.meta.dirname, 'migrations')
const CONNECT_TIMEOUT_MS = 10_000

// Arbitrary, but the same for every deployment.
const LOCK_KEY = 7_205_911
/** Less than Postgres' `deadlock_timeout`: where a request and the migration wait for each other, the migration gives up. */
const LOCK_TIMEOUT_MS = 900
const PAUSE_MS = 1_000
const PATIENCE_MS = 60_000
/** lock_not_available and deadlock_detected. */
const BUSY = ['55P03', '40P01']

/**
 * Migrates the server at `url` in one transaction. A second migration at the same time waits for the first. Where others
 * hold what it needs, it starts again, for as long as `patienceMs`.
 *
 * @throws Error with the reason in one line
 */
export async function migrateServer(url: string, patienceMs = PATIENCE_MS): Promise<void> {
  const client = new pg.Client({
    connectionString: directUrl(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // Without a listener, a connection lost between queries would end the process; with one, the next query fails.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY])
    await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`)
    const db = drizzle(client)
    await checkHistory(db, 'Use an empty database')
    await migrateBesideOthers(db, Date.now() + patienceMs)
  } catch (error) {
    throw failure(error as Error)
  } finally {
    await client.end()
  }
}

async function migrateBesideOthers(db: NodePgDatabase, deadline: number): Promise<void> {
  for (;;) {
    try {
      return await migrate(db, { migrationsFolder: MIGRATIONS })
    } catch (error) {
      const { code = '', message } = ((error as Error).cause ?? error) as pg.DatabaseError
      if (!BUSY.includes(code)) throw error
      if (Date.now() >= deadline) {
        throw new Error(
          `nothing was changed, since others held what it needs (${message}). It can be run again`,
        )
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

/** Migrates the embedded database in one transaction. @throws Error with the reason in one line */
export async function migrateEmbedded(database: PGlite, migrationsFolder = MIGRATIONS): Promise<void> {
  const db = drizzleEmbedded(database)
  try {
    await checkHistory(db, `To start with an empty one, delete ${database.dataDir}`)
    await migrateEmbeddedWith(db, { migrationsFolder })
  } catch (error) {
    throw failure(error as Error)
  }
}

/** Drizzle compares only the time of the last migration: it would skip ours, or run them over other tables. */
async function checkHistory(db: NodePgDatabase | PgliteDatabase, remedy: string): Promise<void> {
  const table = await db.execute(sql`select to_regclass('drizzle.__drizzle_migrations') as name`)
  if (table.rows[0]!.name === null) return
  const { rows } = await db.execute(
    sql`select hash from drizzle.__drizzle_migrations order by created_at limit 1`,
  )
  const [first] = readMigrationFiles({ migrationsFolder: MIGRATIONS })
  if (rows.length > 0 && rows[0]!.hash !== first!.hash) {
    throw new Error(`an earlier version made it, and there is no upgrade from that version. ${remedy}`)
  }
}

// Drizzle's message is the whole query; the cause has the reason.
function failure(error: Error): Error {
  const { message } = error.cause instanceof Error ? error.cause : error
  return new Error(`The database was not migrated: ${message}`, { cause: error })
}

// The lock is a session's, and Neon's pooled host has no sessions. The direct host has the same name without `-pooler`.
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
