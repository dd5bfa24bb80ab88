/**
 * Runs migrations while the Worker uses the database. Each is one transaction, except for slow statements: `CREATE INDEX
 * CONCURRENTLY`, and updates marked `-- In batches`, which repeat until they change no row. An interrupted one resumes.
 */
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'

export type Database = {
  run(statement: string): Promise<{ rows: Record<string, unknown>[]; count: number }>
  /** Retries work that fails to get a lock. */
  retrying(work: () => Promise<void>): Promise<void>
}

/** lock_not_available and deadlock_detected. */
export const BUSY = ['55P03', '40P01']

/** Requests queue behind a waiting migration. Below `deadlock_timeout` (1 s), so that a deadlock fails no request. */
const LOCK_TIMEOUT_MS = 500
/** Above `deadlock_timeout`, after which Postgres cancels an autovacuum in the way. */
const AUTOVACUUM_TIMEOUT_MS = 1_500
/** CREATE INDEX CONCURRENTLY blocks nobody while it waits for older transactions. */
const INDEX_LOCK_TIMEOUT_MS = 60_000

const INDEX = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+"?(\w+)"?/i
const IN_BATCHES = /^\s*-- In batches/m

/** The migrations that the baseline replaces. `hash` is the hash of the last one. */
const BEFORE_BASELINE = {
  count: 35,
  hash: 'c4b5c5165246209d50b284176080200fcf559b04c924bac433f8f887d2c09781',
}

/** Drizzle's table. A migration's time is negative until its own steps are done. */
const TABLE = 'drizzle.__drizzle_migrations'

/** @param remedy what to do with a database of an earlier version */
export async function migrateDatabase(database: Database, folder: string, remedy: string): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  await database.run('CREATE SCHEMA IF NOT EXISTS drizzle')
  await database.run(
    `CREATE TABLE IF NOT EXISTS ${TABLE} (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
  )
  let rows = await selectDone(database)
  const { count, hash } = BEFORE_BASELINE
  if (rows.length === count && rows.at(-1)!.hash === hash && Number(rows.at(-1)!.at) > 0) {
    await adopt(database, migrations[0]!)
    rows = await selectDone(database)
  }
  if (rows.some(({ hash }, at) => migrations[at] && hash !== migrations[at].hash)) {
    throw new Error(
      `another version created it. If that is an earlier one, migrate with the release before this one first. ${remedy}`,
    )
  }
  const last = (rows.at(-1)?.at as number | undefined) ?? 0
  for (const migration of migrations) {
    if (migration.folderMillis > Math.abs(last)) await begin(database, migration)
    if (migration.folderMillis > Math.abs(last) || migration.folderMillis === -last)
      await finish(database, migration)
  }
}

async function selectDone(database: Database) {
  const { rows } = await database.run(
    `SELECT hash, created_at::float8 AS at FROM ${TABLE} ORDER BY abs(created_at)`,
  )
  return rows
}

function adopt(database: Database, { hash, folderMillis }: MigrationMeta): Promise<void> {
  return inTransaction(database, LOCK_TIMEOUT_MS, [
    `DELETE FROM ${TABLE}`,
    `INSERT INTO ${TABLE} (hash, created_at) VALUES ('${hash}', ${folderMillis})`,
  ])
}

async function begin(database: Database, { sql, hash, folderMillis }: MigrationMeta): Promise<void> {
  const at = sql.some(isStep) ? -folderMillis : folderMillis
  const statements = [
    ...sql.filter((statement) => !isStep(statement)),
    `INSERT INTO ${TABLE} (hash, created_at) VALUES ('${hash}', ${at})`,
  ]
  await database.retrying(async () => {
    await cancelAutovacuum(database)
    await inTransaction(database, LOCK_TIMEOUT_MS, statements)
  })
}

async function finish(database: Database, { sql, folderMillis }: MigrationMeta): Promise<void> {
  for (const step of sql.filter(isStep)) {
    const index = nameOfIndex(step)
    await database.run(`SET lock_timeout = ${index ? INDEX_LOCK_TIMEOUT_MS : LOCK_TIMEOUT_MS}`)
    await database.retrying(() => (index ? createIndex(database, index, step) : fill(database, step)))
  }
  await database.run('RESET lock_timeout')
  await database.run(`UPDATE ${TABLE} SET created_at = ${folderMillis} WHERE created_at = ${-folderMillis}`)
}

/** Drop and rebuild, because an interrupted build leaves an invalid index. */
async function createIndex(database: Database, name: string, statement: string): Promise<void> {
  const { rows } = await database.run(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('public."${name}"')`,
  )
  if (rows[0]?.valid) return
  if (rows[0]) await database.run(`DROP INDEX CONCURRENTLY "${name}"`)
  await database.run(statement)
}

/** Waits with a lock that blocks no requests. */
async function cancelAutovacuum(database: Database): Promise<void> {
  const { rows } = await database.run(`
    SELECT DISTINCT relation::regclass::text AS name FROM pg_locks JOIN pg_class c ON c.oid = relation
    WHERE mode = 'ShareUpdateExclusiveLock' AND granted AND pid <> pg_backend_pid() AND c.relkind = 'r'
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
  for (const { name } of rows) {
    await inTransaction(database, AUTOVACUUM_TIMEOUT_MS, [
      `LOCK TABLE ${name} IN SHARE UPDATE EXCLUSIVE MODE`,
    ])
  }
}

async function inTransaction(database: Database, lockTimeoutMs: number, statements: string[]): Promise<void> {
  await database.run('BEGIN')
  try {
    await database.run(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
    for (const statement of statements) await database.run(statement)
    await database.run('COMMIT')
  } catch (error) {
    await database.run('ROLLBACK').catch(() => {})
    throw error
  }
}

async function fill(database: Database, statement: string): Promise<void> {
  while ((await database.run(statement)).count > 0);
}

const isStep = (statement: string) => nameOfIndex(statement) !== undefined || IN_BATCHES.test(statement)

function nameOfIndex(statement: string): string | undefined {
  return INDEX.exec(statement.replaceAll(/^\s*--.*$/gm, '').trim())?.[1]
}
