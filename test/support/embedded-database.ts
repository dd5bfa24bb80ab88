/**
 * Databases of PGlite. Creating one takes seconds: the first of a kind is stored in node_modules/.cache, and all others are
 * copies of it.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { MIGRATIONS, migrateEmbedded } from '../../drizzle/migrate.ts'

const PROJECT = join(import.meta.dirname, '../..')
const CACHE = join(PROJECT, 'node_modules/.cache/embedded-databases')
const extensions = { pg_trgm }

const KINDS = {
  empty: async () => {},
  migrated: (database: PGlite) => migrateEmbedded(database),
}

/** In memory, or in the new folder `dataDir`. */
export async function openDatabase(kind: keyof typeof KINDS, dataDir?: string): Promise<PGlite> {
  const file = join(CACHE, `${kind}-${hashOfSources()}.tar.gz`)
  if (!existsSync(file)) await store(kind, file)
  const loadDataDir = new Blob([readFileSync(file)], { type: 'application/x-gzip' })
  return PGlite.create({ ...(dataDir && { dataDir }), extensions, loadDataDir })
}

async function store(kind: keyof typeof KINDS, file: string): Promise<void> {
  const database = await PGlite.create({ extensions })
  await KINDS[kind](database)
  const dump = await database.dumpDataDir('gzip')
  await database.close()
  mkdirSync(CACHE, { recursive: true })
  // Another process may do the same.
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, Buffer.from(await dump.arrayBuffer()))
  renameSync(unfinished, file)
}

/** Changes with PGlite's version and the migrations. */
function hashOfSources(): string {
  const hash = createHash('sha256').update(readFileSync(join(PROJECT, 'package-lock.json')))
  for (const name of globSync('**/*', { cwd: MIGRATIONS }).sort())
    if (/\.(sql|json)$/.test(name)) hash.update(name).update(readFileSync(join(MIGRATIONS, name)))
  return hash.digest('hex').slice(0, 16)
}
