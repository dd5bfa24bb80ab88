/**
 * Brings a database to the newest migration: `node drizzle/migrate.ts` with DATABASE_URL in a deployment, the embedded
 * one at every start. Drizzle's node-postgres migrator is used because its Neon HTTP one is not atomic.
 */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { drizzle as drizzleEmbedded } from 'drizzle-orm/pglite'
import { migrate as migrateEmbeddedWith } from 'drizzle-orm/pglite/migrator'
import pg from 'pg'

const MIGRATIONS = { migrationsFolder: join(import.meta.dirname, 'migrations') }
const CONNECT_TIMEOUT_MS = 10_000

// Any number will do, as long as every deployment takes the same.
const LOCK_KEY = 7_205_911

/** Migrates the server at `url`, all or nothing; of two at a time the second waits for the first. */
export async function migrateServer(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: directUrl(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // A connection lost between queries fails the next one; unheard it would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY])
    await migrate(drizzle(client), MIGRATIONS)
  } catch (error) {
    throw failure(error as Error)
  } finally {
    await client.end()
  }
}

/** Migrates the embedded database, all or nothing. */
export async function migrateEmbedded(database: PGlite): Promise<void> {
  await migrateEmbeddedWith(drizzleEmbedded(database), MIGRATIONS).catch((error) => {
    throw failure(error)
  })
}

// Drizzle's own message is the whole query; the reason is in the cause.
function failure(error: Error): Error {
  const { message } = error.cause instanceof Error ? error.cause : error
  return new Error(`The database was not migrated: ${message}`, { cause: error })
}

// The lock belongs to a session, and Neon's pooled host gives none; the direct one has the same name without `-pooler`.
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
