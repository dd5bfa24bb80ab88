import { randomUUID } from 'node:crypto'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { Column, getTableColumns, is } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  compare,
  describeDifference,
  FUNCTIONS,
  migratedDatabase,
  statementsFor,
} from '../../drizzle/compare.ts'
import { MIGRATIONS } from '../../drizzle/migrate.ts'
import type { FieldTable } from '../../src/content/articles/field-table.ts'
import { GUIDE_FIELDS } from '../../src/content/guides/guide.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'
import { postTitles } from '../../src/db/schema.ts'
import { contentScope, siteScope } from '../../src/db/site-scope.ts'
import { auditActions } from '../../src/people/audit-actions.ts'
import { openDatabase } from '../support/embedded-database.ts'

const JSON_BYTES = "CREATE FUNCTION json_bytes(value text) RETURNS integer LANGUAGE sql AS 'SELECT 1';"

let database: PGlite
beforeAll(async () => {
  database = await openDatabase('migrated')
})
afterAll(() => database.close())

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

it('each function and trigger that differs is named, and the migration generated from it makes both equal', async () => {
  const functions = changed({
    'wire.sql': (text) => text.replace("'utf8'", "'UTF8'").replace('%\\1', '%%\\1'),
    'sequence.sql': (text) =>
      text.replace('wire_sequence(sequence', 'wire_sequence(at').replace('FROM sequence)', 'FROM at)'),
    'redirects.sql': (text) => text.replace('UPDATE OF slug ON guides', 'UPDATE ON guides'),
    'operators.sql': (text) => text.replace(/CREATE TRIGGER operator_tokens_made[^;]*;/, ''),
    'guides.sql': (text) =>
      `CREATE FUNCTION before_it() RETURNS text LANGUAGE sql AS 'select after_it()';
      CREATE FUNCTION after_it() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ select '' $$;\n${text}`,
    'audit-log.sql': (text) => text.replace('SECURITY DEFINER', ''),
  })
  const differences = await compare(database, functions)
  expect(differences.map(describeDifference).sort()).toMatchInlineSnapshot(`
    [
      "function after_it() is in drizzle/functions but in no migration",
      "function before_it() is in drizzle/functions but in no migration",
      "function log_row() differs between drizzle/functions and the migrations",
      "function url_component(value text) differs between drizzle/functions and the migrations",
      "function wire_sequence(at timestamp with time zone) is in drizzle/functions but in no migration",
      "function wire_sequence(sequence timestamp with time zone) is in the migrations but not in drizzle/functions",
      "trigger guides_keep_redirects ON guides differs between drizzle/functions and the migrations",
      "trigger operator_tokens_made ON operator_tokens is in the migrations but not in drizzle/functions",
    ]
  `)
  await using next = await migratedDatabase(migrationsAnd(statementsFor(differences)))
  expect(await compare(next, functions)).toEqual([])
})

it.each([
  ['a wrong body', 'wire.sql', 'octet_length', 'octets', /^json_bytes\(value text\): .*octets/],
  ['an unknown type', 'wire.sql', 'RETURNS text', 'RETURNS txt', /^wire\.sql: .*txt/],
  [
    'another statement',
    'wire.sql',
    /^/,
    'DROP TABLE tombstones;',
    /^wire\.sql has a statement that creates neither/,
  ],
  ['an existing function', 'posts.sql', /^/, JSON_BYTES, /^wire\.sql: .*already exists/],
])('%s is named', async (_, file, what, by, message) => {
  const functions = changed({ [file]: (text) => text.replace(what, by) })
  await expect(compare(database, functions)).rejects.toThrow(message)
})

it.each([
  ['prepare_post', 'posts.sql', POST_FIELDS],
  ['prepare_guide', 'guides.sql', GUIDE_FIELDS],
] as [string, string, FieldTable][])('%s counts the bytes of the heavy fields', (name, file, fields) => {
  const heavy = Object.entries(fields).flatMap(([field, { heavy, column }]) =>
    (heavy || field === 'contentHtml') && is(column, Column) ? column.name : [],
  )
  const text = readFileSync(join(FUNCTIONS, file), 'utf8')
  const [body = ''] = new RegExp(`CREATE FUNCTION ${name}\\(\\).*?\\n\\$\\$;`, 's').exec(text) ?? []
  const [sum = ''] = /wire_bytes := [^;]*;/.exec(body) ?? []
  expect([...sum.matchAll(/json_bytes\(NEW\.(\w+)/g)].map(([, column]) => column)).toEqual(heavy)
})

describe('a site', () => {
  /** A value that differs from a new site's. */
  function anotherOf({ columnType, enumValues }: Column): unknown {
    if (columnType === 'PgUUID') return randomUUID()
    if (columnType === 'PgBoolean') return true
    if (columnType === 'PgInteger') return 7
    if (columnType === 'PgTimestampString' || columnType === 'PgTimestamp') return new Date().toISOString()
    if (columnType === 'PgText') return enumValues?.at(-1) ?? '/other/{slug}'
    throw new Error(`no value for ${columnType}`)
  }

  async function versionsAfter(column: Column) {
    const site = randomUUID()
    const versions = async () => {
      const { rows } = await database.query<{ auth: number; content: number; slug: number }>(
        `select auth_version as auth, least(content_version, published_version) as content,
            least(slug_version(slug_versions, 'any'), slug_version(published_slug_versions, 'any')) as slug
          from sites where id = $1`,
        [site],
      )
      return rows[0]!
    }
    await database.query("insert into sites (id, name, domain) values ($1, 'S', 's.example.com')", [site])
    const before = await versions()
    await database.query(`update sites set ${column.name} = $2 where id = $1`, [site, anotherOf(column)])
    const after = await versions()
    return {
      auth: after.auth > before.auth,
      content: after.content > before.content && after.slug > before.slug,
    }
  }

  const { id: _, authVersion: __, contentVersion: ___, slugVersions: ____, ...others } = siteScope
  const { publishedVersion: _____, publishedSlugVersions: ______, ...settings } = others
  it.each(Object.entries(settings))(
    'has a new version for readers when its %s changes, so that isolates drop cached answers',
    async (name, column) => {
      const isContent = (contentScope as readonly string[]).includes(name)
      const { auth, content } = await versionsAfter(column)
      expect(auth).toBe(true)
      if (isContent) expect(content).toBe(true)
    },
  )
})

it('the narrow copy of a post has every column that is not computed', () => {
  const text = readFileSync(join(FUNCTIONS, 'posts.sql'), 'utf8')
  const [, inserted = ''] = /INSERT INTO post_titles \(([^)]*)\)/.exec(text) ?? []
  const copied = Object.values(getTableColumns(postTitles)).filter(({ generated }) => !generated)
  const columns = copied.map(({ name }) => name)
  expect(inserted.split(/,\s*/).sort()).toEqual(columns.sort())
})

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

describe('values as the API shows them', () => {
  /** The function's result for each text. */
  async function resultsFor<Value>(call: string, texts: string[]): Promise<Value[]> {
    const { rows } = await database.query<{ value: Value }>(
      `select ${call} as value from unnest($1::text[]) with ordinality t (text, position) order by position`,
      [texts],
    )
    return rows.map(({ value }) => value)
  }
  // Postgres has no text with a zero byte.
  const anyText = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !text.includes('\0'))
  const texts = [
    '',
    'a/b?c&d',
    "it's (so)!*",
    'ﬁ 𝒶 é e\u0301 日本',
    '\u0001\b\f\n\r\t"\\\u007f\u2028',
    ...fc.sample(anyText, 200),
  ]
  const component = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    )

  it('a slug in a URL is percent-encoded except for RFC 3986’s unreserved characters, and its length is counted that way', async () => {
    expect(await resultsFor('url_component(text)', texts)).toEqual(texts.map(component))
    expect(await resultsFor('url_bytes(text)', texts)).toEqual(texts.map((text) => component(text).length))
  })

  it('the size of a text is that of its JSON', async () => {
    expect(await resultsFor('json_bytes(text)', texts)).toEqual(
      texts.map((text) => Buffer.byteLength(JSON.stringify(text))),
    )
  })

  it('a time is in UTC with milliseconds, and a sequence counts them', async () => {
    const times = ['1970-01-01T00:00:00.000Z', '2026-11-24T23:59:59.999Z', '2024-02-29T12:00:00.001Z']
    await database.exec("set time zone 'Asia/Kathmandu'")
    onTestFinished(async () => {
      await database.exec('reset time zone')
    })
    expect(await resultsFor('wire_time(text::timestamptz)', times)).toEqual(times)
    const sequences = await resultsFor('wire_sequence(text::timestamptz)', times)
    expect(sequences.map(Number)).toEqual(times.map((time) => Date.parse(time)))
  })

  it('a version is later than the last one, and than the clock', async () => {
    const before = Date.now()
    const { rows } = await database.query(
      'select next_version(0) as first, next_version(9e15::bigint) as next',
    )
    const { first, next } = rows[0] as { first: number; next: number }
    expect(Number(next)).toBe(9e15 + 1)
    expect(Number(first)).toBeGreaterThanOrEqual(before - 1)
  })
})

it('all actions that triggers write into the audit log are listed, so that each has a sentence', () => {
  const nouns = [...new Set(auditActions.map((action) => action.split('.')[0]))].join('|')
  const files = globSync(`${FUNCTIONS}/*.sql`).map((file) => readFileSync(file, 'utf8'))
  const written = files.flatMap(
    (text) => text.match(new RegExp(`(?<=')(${nouns})\\.[a-z_]+(?=')`, 'g')) ?? [],
  )
  expect(written).toContain('event.resend_finished')
  const isListed = (action: string) => auditActions.some((listed) => listed === action)
  // An event, not an action.
  expect(written.filter((action) => !isListed(action) && action !== 'webhook.test')).toEqual([])
})
