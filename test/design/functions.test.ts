import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { Column, is } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import {
  compare,
  describeDifference,
  FUNCTIONS,
  migratedDatabase,
  statementsFor,
} from '../../drizzle/compare.ts'
import { MIGRATIONS } from '../../drizzle/migrate.ts'
import type { FieldTable } from '../../src/content/articles/field.ts'
import { GUIDE_FIELDS } from '../../src/content/guides/fields.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'

let database: PGlite
beforeAll(async () => {
  database = await migratedDatabase()
})
afterAll(() => database.close())

/** A copy of the functions, changed. */
function changed(changes: Record<string, (text: string) => string>): string {
  const folder = copyOf(FUNCTIONS)
  for (const [name, change] of Object.entries(changes)) {
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    expect(change(text)).not.toBe(text)
    writeFileSync(file, change(text))
  }
  return folder
}

function copyOf(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'functions-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(source, folder, { recursive: true })
  return folder
}

/** A copy of the migrations with one more. */
function migrationsAnd(statements: string[]): string {
  const folder = copyOf(MIGRATIONS)
  const path = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(path, 'utf8'))
  const last = journal.entries.at(-1)
  const next = { ...last, idx: last.idx + 1, when: last.when + 1, tag: 'next' }
  writeFileSync(path, JSON.stringify({ ...journal, entries: [...journal.entries, next] }))
  writeFileSync(join(folder, 'next.sql'), statements.join('\n--> statement-breakpoint\n'))
  return folder
}

it('each function and trigger that differs is named, and the migration made from it makes the two the same', async () => {
  const functions = changed({
    'wire.sql': (text) => text.replace("'utf8'", "'UTF8'").replace('%\\1', '%%\\1'),
    'sequence.sql': (text) =>
      text.replace('wire_sequence(sequence', 'wire_sequence(at').replace('FROM sequence)', 'FROM at)'),
    'redirects.sql': (text) => text.replace('AFTER UPDATE ON guides', 'AFTER UPDATE OF slug ON guides'),
    'operators.sql': (text) => text.replace(/CREATE TRIGGER operator_tokens_bound[^;]*;/, ''),
    'guides.sql': (text) =>
      `CREATE FUNCTION before_it() RETURNS text LANGUAGE sql AS 'select after_it()';
      CREATE FUNCTION after_it() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ select '' $$;\n${text}`,
    'audit-log.sql': (text) => text.replace('SECURITY DEFINER', ''),
  })
  const differences = await compare(database, functions)
  expect(differences.map(describeDifference).sort()).toMatchInlineSnapshot(`
    [
      "function after_it() is in drizzle/functions and in no migration",
      "function before_it() is in drizzle/functions and in no migration",
      "function log_row() is not the same in drizzle/functions and after the migrations",
      "function url_component(value text) is not the same in drizzle/functions and after the migrations",
      "function wire_sequence(at timestamp with time zone) is in drizzle/functions and in no migration",
      "function wire_sequence(sequence timestamp with time zone) is in the migrations and not in drizzle/functions",
      "trigger guides_renamed ON guides is not the same in drizzle/functions and after the migrations",
      "trigger operator_tokens_bound ON operator_tokens is in the migrations and not in drizzle/functions",
    ]
  `)
  await using next = await migratedDatabase(migrationsAnd(statementsFor(differences)))
  expect(await compare(next, functions)).toEqual([])
})

it.each([
  [
    'wire.sql',
    (text: string) => text.replace('octet_length', 'octets'),
    /^json_bytes\(value text\): .*octets/,
  ],
  ['wire.sql', (text: string) => text.replace('RETURNS text', 'RETURNS txt'), /^wire\.sql: .*txt/],
  [
    'wire.sql',
    (text: string) => `${text}\nDROP TABLE tombstones;`,
    /^wire\.sql has a statement that makes neither/,
  ],
  [
    'posts.sql',
    (text: string) =>
      `${text}\nCREATE FUNCTION json_bytes(value text) RETURNS integer LANGUAGE sql AS 'select 1';`,
    /^wire\.sql: .*already exists/,
  ],
])('a fault in %s is named', async (file, change, message) => {
  await expect(compare(database, changed({ [file]: change }))).rejects.toThrow(message)
})

it.each([
  ['log_posts', POST_FIELDS],
  ['log_guides', GUIDE_FIELDS],
] as [string, FieldTable][])(
  '%s logs the audited fields, when they come and before and after they change',
  (name, fields) => {
    const audited = Object.values(fields).flatMap(({ audited, column }) =>
      audited && is(column, Column) ? column.name : [],
    )
    const text = readFileSync(join(FUNCTIONS, 'audit-log.sql'), 'utf8')
    const [body = ''] = new RegExp(`CREATE FUNCTION ${name}\\(\\).*?\\n\\$\\$;`, 's').exec(text) ?? []
    const logged = (pattern: RegExp) => [...body.matchAll(pattern)].map(([, field]) => field).sort()
    // The slug of an entry is its subject.
    expect([...logged(/^ +'(\w+)', \1\b/gm), 'slug'].sort()).toEqual(audited.sort())
    expect(logged(/^ +'(\w+)', CASE WHEN o\.\1 .* n\.\1 THEN o\.\1 END/gm)).toEqual(audited)
    expect(logged(/^ +'(\w+)', CASE WHEN o\.\1 .* n\.\1 THEN n\.\1 END/gm)).toEqual(audited)
  },
)

it('statements of the service call only functions that the database has', async () => {
  const { rows } = await database.query<{ proname: string }>('select distinct proname from pg_proc')
  const known = new Set(rows.map(({ proname }) => proname))
  const unknown = globSync('src/!(cli|local|sdk)/**/*.ts').flatMap((file) =>
    // Only SQL has names like these.
    [...readFileSync(file, 'utf8').matchAll(/\b([a-z]+(?:_[a-z]+)+)\(/g)]
      .filter(([, name]) => !known.has(name!))
      .map(([, name]) => `${file}: ${name}`),
  )
  expect(known).toContain('lock_site')
  expect(unknown).toEqual([])
})
