/** `npm run db:generate -- --name NAME` writes the next migration. `--check` fails if something is not migrated. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { renderArticleLog } from './article-log.ts'
import {
  compare,
  type Difference,
  describeDifference,
  FUNCTIONS,
  migratedDatabase,
  statementsFor,
} from './compare.ts'
import config from './drizzle.config.ts'
import { renderEvents } from './events.ts'
import { MIGRATIONS } from './migrate.ts'

const RENDERED = { 'events.sql': renderEvents, 'article-log.sql': renderArticleLog }
const PROJECT = join(import.meta.dirname, '..')
const DRIZZLE_KIT = join(PROJECT, 'node_modules/.bin/drizzle-kit')
const SAME = 'Tables, functions and triggers match the migrations'
const BREAKPOINT = '\n--> statement-breakpoint\n'

const { values: options } = parseArgs({
  options: { name: { type: 'string' }, check: { type: 'boolean', default: false } },
})

if (options.check) await check().catch(fail)
else if (options.name) await generate(options.name).catch(fail)
else fail(new Error('Give the migration a name: npm run db:generate -- --name posts-have-tags'))

async function check(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'))
  cpSync(MIGRATIONS, folder, { recursive: true })
  try {
    const tables = drizzleKit(folder, 'check')
    const problems = (await comparedWith(folder)).map(describeDifference)
    for (const [file, render] of Object.entries(RENDERED)) {
      const path = join(FUNCTIONS, file)
      if (!existsSync(path) || readFileSync(path, 'utf8') !== render())
        problems.push(`${relative(PROJECT, path)} is not what its TypeScript tables render`)
    }
    if (tables)
      problems.unshift(
        `${config.schema} differs from the migrations:\n${readFileSync(join(folder, tables), 'utf8')}`,
      )
    if (problems.length > 0)
      throw new Error(`${problems.join('\n')}\nTo write the migration: npm run db:generate -- --name NAME`)
    console.log(SAME)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function generate(name: string): Promise<void> {
  for (const [file, render] of Object.entries(RENDERED)) writeFileSync(join(FUNCTIONS, file), render())
  const tables = drizzleKit(MIGRATIONS, name)
  const differences = await comparedWith(MIGRATIONS)
  for (const difference of differences) console.log(describeDifference(difference))
  const functions = statementsFor(differences).join(BREAKPOINT)
  const file = tables ?? (functions ? drizzleKit(MIGRATIONS, name, '--custom') : undefined)
  if (!file) return console.log(`${SAME}: nothing to migrate`)
  const path = join(MIGRATIONS, file)
  if (!tables) writeFileSync(path, `${functions}\n`)
  else {
    writeFileSync(path, buildIndexesConcurrently(readFileSync(path, 'utf8')))
    if (functions) appendFileSync(path, `${BREAKPOINT}${functions}\n`)
  }
  const left = await comparedWith(MIGRATIONS)
  if (left.length > 0) throw new Error(`${path} does not make ${left.map(describeDifference).join('\n')}`)
  console.log(`Wrote ${relative(PROJECT, path)}. Read it, and docs/contributing/migrations.md`)
}

/** steps.ts runs these statements outside of the migration's transaction. Indexes of new tables stay in it. */
function buildIndexesConcurrently(migration: string): string {
  return migration.replaceAll(
    /\b(CREATE (?:UNIQUE )?INDEX) ("\w+" ON ("\w+"))/g,
    (statement, create, rest, table) =>
      migration.includes(`CREATE TABLE ${table}`) ? statement : `${create} CONCURRENTLY ${rest}`,
  )
}

async function comparedWith(migrations: string): Promise<Difference[]> {
  await using database = await migratedDatabase(migrations)
  return await compare(database)
}

function drizzleKit(out: string, name: string, ...more: string[]): string | undefined {
  const before = readdirSync(out)
  const { dialect, schema } = config
  const flags = [
    '--dialect',
    dialect,
    '--schema',
    `${schema}`,
    '--out',
    relative(PROJECT, out),
    '--name',
    name,
  ]
  const said = execFileSync(DRIZZLE_KIT, ['generate', ...flags, ...more], {
    cwd: PROJECT,
    stdio: [options.check ? 'ignore' : 'inherit', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  const made = readdirSync(out).find((file) => !before.includes(file))
  // drizzle-kit exits with 0 even if it cannot read the schema.
  if (!made && !said.includes('No schema changes')) throw new Error(`drizzle-kit failed: ${said}`)
  return made
}

function fail(error: Error): void {
  console.error(error.message)
  process.exitCode = 1
}
