/** Compares functions and triggers by their definitions in Postgres. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { MIGRATIONS, migrateEmbedded } from './migrate.ts'

export const FUNCTIONS = join(import.meta.dirname, 'functions')

type Entry = {
  kind: 'function' | 'trigger'
  name: string
  definition: string
  /** CREATE OR REPLACE cannot change it: a different one needs a DROP first. */
  signature: string
}

export type Difference = { migrated?: Entry; file?: Entry }

const ENTRIES = `
  select 'function' as kind, p.oid, format('%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) as name,
    pg_get_functiondef(p.oid) as definition,
    format('(%s) %s', pg_get_function_arguments(p.oid), pg_get_function_result(p.oid)) as signature
  from pg_proc p
  where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  union all
  select 'trigger', t.oid, format('%I ON %I', t.tgname, c.relname), pg_get_triggerdef(t.oid), pg_get_triggerdef(t.oid)
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = 'public'::regnamespace and not t.tgisinternal
  order by kind, oid`

export async function migratedDatabase(migrations = MIGRATIONS): Promise<PGlite> {
  const database = await PGlite.create({ extensions: { pg_trgm } })
  await migrateEmbedded(database, migrations)
  return database
}

/** @throws Error for a file that Postgres refuses */
export async function compare(database: PGlite, functions = FUNCTIONS): Promise<Difference[]> {
  const migrated = await entries(database)
  const files = await entriesOfFiles(database, migrated, functions)
  const names = new Set([...migrated.keys(), ...files.keys()])
  return [...names]
    .map((name) => ({ migrated: migrated.get(name), file: files.get(name) }))
    .filter(({ migrated, file }) => migrated?.definition !== file?.definition)
}

export function statementsFor(differences: Difference[]): string[] {
  const dropped = differences.filter(
    ({ migrated, file }) => migrated && migrated.signature !== file?.signature,
  )
  const made = differences.flatMap(({ file }) => file ?? [])
  const makesFunctions = made.some(({ kind }) => kind === 'function')
  return [
    ...dropped.reverse().map(({ migrated, file }) => dropStatement(migrated!, file)),
    // A function may call one that is created later.
    ...(makesFunctions ? ['SET LOCAL check_function_bodies = off;'] : []),
    ...made.sort(byKind).map(({ definition }) => `${definition.trimEnd()};`),
  ]
}

const byKind = (a: Entry, b: Entry) => a.kind.localeCompare(b.kind)

function dropStatement({ kind, name, signature }: Entry, file?: Entry): string {
  const isTriggers = !file && signature.endsWith(') trigger')
  const reason = isTriggers ? '-- Contract: only triggers called it, and none does now.\n' : ''
  return `${reason}DROP ${kind.toUpperCase()} ${name};`
}

export function describeDifference({ migrated, file }: Difference): string {
  const { kind, name } = (migrated ?? file)!
  if (!migrated) return `${kind} ${name} is in drizzle/functions but in no migration`
  if (!file) return `${kind} ${name} is in the migrations but not in drizzle/functions`
  return `${kind} ${name} differs between drizzle/functions and the migrations`
}

async function entries(database: PGlite): Promise<Map<string, Entry>> {
  const { rows } = await database.query<Entry>(ENTRIES)
  return new Map(rows.map((entry) => [entry.name, entry]))
}

/** Runs the files in a transaction and rolls back. The migrated functions move aside, because columns use them. */
async function entriesOfFiles(database: PGlite, migrated: Map<string, Entry>, folder: string) {
  await database.exec('BEGIN; CREATE SCHEMA set_aside; SET LOCAL check_function_bodies = off')
  try {
    for (const { kind, name } of [...migrated.values()].reverse())
      await database.exec(
        kind === 'trigger' ? `DROP TRIGGER ${name}` : `ALTER FUNCTION ${name} SET SCHEMA set_aside`,
      )
    let made = 0
    for (const file of globSync('*.sql', { cwd: folder }).sort()) {
      const statements = await run(database, readFileSync(join(folder, file), 'utf8'), file)
      made += statements
      if ((await entries(database)).size !== made)
        throw new Error(`${file} has a statement that creates neither a function nor a trigger`)
    }
    const files = await entries(database)
    await database.exec('SET LOCAL check_function_bodies = on')
    for (const { kind, name, definition } of files.values())
      if (kind === 'function') await run(database, definition, name)
    return files
  } finally {
    await database.exec('ROLLBACK')
  }
}

async function run(database: PGlite, text: string, name: string): Promise<number> {
  try {
    return (await database.exec(text)).length
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
}
