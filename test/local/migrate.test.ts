import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { MIGRATIONS, migrateEmbedded, migrateServer } from '../../drizzle/migrate.ts'
import { NO_ID } from '../../src/core/ids.ts'
import { ALERT_SETTINGS_ID } from '../../src/db/schema.ts'
import { openEmbeddedPostgres } from '../../src/local/embedded-postgres.ts'
import { createDatabase, query } from '../support/databases.ts'
import { openDatabase } from '../support/embedded-database.ts'
import { IN_TIME } from '../support/in-time.ts'
import type {} from '../support/stack.ts'

const SCRIPT = join(import.meta.dirname, '../../drizzle/migrate.ts')

const LAST = 9_000_000_000_000

const temporary = mkdtempSync(join(tmpdir(), 'migrate-'))
afterAll(() => rmSync(temporary, { recursive: true }))

/** A folder with the baseline, and one more migration if there is `sql`. */
function firstMigrations(sql?: string): string {
  const folder = mkdtempSync(join(temporary, 'migrations-'))
  cpSync(MIGRATIONS, folder, { recursive: true })
  const journal = join(folder, 'meta/_journal.json')
  const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8'))
  const last = { ...entries[0], idx: 1, when: LAST, tag: 'last' }
  writeFileSync(journal, JSON.stringify({ ...rest, entries: [entries[0], ...(sql ? [last] : [])] }))
  writeFileSync(join(folder, 'last.sql'), sql ?? '')
  return folder
}

function run(DATABASE_URL: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], {
    env: { ...process.env, DATABASE_URL },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('an upgrade from the baseline', () => {
  const [SITE, FURTHER, POST] = ['1', '2', '3'].map((digit) => NO_ID.replaceAll('0', digit))
  const LAST_BEFORE_BASELINE = 'c4b5c5165246209d50b284176080200fcf559b04c924bac433f8f887d2c09781'
  const dataDir = join(temporary, 'postgres')
  let postgres: Awaited<ReturnType<typeof openEmbeddedPostgres>>
  let database: PGlite
  let entriesBefore: unknown[]
  let refusal: Error

  const read = async (text: string) => (await database.query(text)).rows

  beforeAll(async () => {
    await (await openDatabase('empty', dataDir)).close()
    postgres = await openEmbeddedPostgres(dataDir)
    database = await postgres.exclusively(async (opened) => opened)
    await migrateEmbedded(database, firstMigrations())
    await database.exec(`
      insert into sites (id, name, domain) values ('${SITE}', 'A', 'a.example.com');
      insert into posts (site_id, slug, title, content_html, status, language, quality_band, review_status)
        values ('${SITE}', 'a', 'Äpfel', '<p>x</p>', 'published', 'de', 'gold', 'changes_requested'),
          ('${SITE}', 'b', 'B', '<p>x</p>', 'draft', null, null, null);
      update posts set ready_at = now(), publish_at = now() + interval '1 day' where slug = 'b';
      insert into webhook_endpoints (site_id, url, secret) values ('${SITE}', 'https://first', '1');
      insert into webhook_further_endpoints (id, site_id, url, secret) values ('${FURTHER}', '${SITE}', 'https://further', '2');
      insert into webhook_events (site_id, endpoint_id, event, post_id, payload) values
        ('${SITE}', null, 'post.updated', '${POST}', '{}'), ('${SITE}', '${FURTHER}', 'webhook.test', null, '{}');
      insert into audit_log (action, resource_id, before, after) values
        ('alerts.updated', '${ALERT_SETTINGS_ID}', null, '{"email_to": ["ada@example.com"], "after_failures": 3}');
      truncate drizzle.__drizzle_migrations;
      insert into drizzle.__drizzle_migrations (hash, created_at) select n::text, n from generate_series(1, 34) n`)
    entriesBefore = await read('select id from audit_log')
    refusal = await migrateEmbedded(database).then(
      () => new Error('none'),
      (error) => error,
    )
    await database.exec(
      `insert into drizzle.__drizzle_migrations (hash, created_at) values ('${LAST_BEFORE_BASELINE}', 1000)`,
    )
    await migrateEmbedded(database)
  })

  afterAll(() => postgres.close())

  it('adopts a database with all migrations before the baseline, and refuses one with only some of them', async () => {
    expect(refusal.message).toContain('another version created it')
    const hashes = await read('select hash from drizzle.__drizzle_migrations')
    expect(hashes).not.toContainEqual({ hash: LAST_BEFORE_BASELINE })
    expect(await read('select name from sites')).toEqual([{ name: 'A' }])
  })

  it('moves all webhooks of a site into one table, with their events, and logs nothing', async () => {
    expect(await read('select id, site_id, url, secret from webhook_endpoints order by url')).toEqual([
      { id: SITE, site_id: SITE, url: 'https://first', secret: '1' },
      { id: FURTHER, site_id: SITE, url: 'https://further', secret: '2' },
    ])
    expect(
      await read('select endpoint_id, resource, resource_id from webhook_events order by endpoint_id'),
    ).toEqual([
      { endpoint_id: SITE, resource: 'post', resource_id: POST },
      { endpoint_id: FURTHER, resource: null, resource_id: null },
    ])
    expect(await read('select id from audit_log')).toEqual(entriesBefore)
  })

  it('masks the recipients of alerts in the audit log', async () => {
    expect(await read("select before, after::text from audit_log where action = 'alerts.updated'")).toEqual([
      { before: null, after: '{"email_to": "not shown", "after_failures": 3}' },
    ])
  })

  it('fills computed columns as a write would', async () => {
    const computed = () =>
      Promise.all(
        ['post_titles', 'post_counts'].map((table) =>
          read(`select * from ${table} t order by to_jsonb(t)::text`),
        ),
      )
    const migrated = await computed()
    expect(migrated[0]).toHaveLength(2)
    // Triggers compute both again.
    await database.exec(`
      create temporary table kept as select * from posts;
      set session_replication_role = replica; delete from posts; delete from post_titles; delete from post_counts;
      set session_replication_role = origin;
      alter table posts disable trigger posts_prepare; insert into posts select * from kept`)
    expect(await computed()).toEqual(migrated)
  })

  it('changes nothing the second time', async () => {
    const count = 'select count(*) from drizzle.__drizzle_migrations'
    const before = await read(count)
    await migrateEmbedded(database)
    expect(await read(count)).toEqual(before)
  })

  it.each(['min', 'max'])(
    'refuses a database whose %s migration is not ours, with instructions',
    async (end) => {
      await database.exec(`begin; update drizzle.__drizzle_migrations set hash = 'another'
        where id = (select ${end}(id) from drizzle.__drizzle_migrations)`)
      await expect(migrateEmbedded(database)).rejects.toThrow(
        `The database was not migrated: another version created it. If that is an earlier one, migrate with the release before this one first. To start with an empty one, delete ${dataDir}`,
      )
      await database.exec('rollback')
    },
  )
})

describe('the command', () => {
  it('says in one line that DATABASE_URL is missing', () => {
    expect(run('')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^DATABASE_URL is missing.*\n$/),
    })
  })

  it('fails with the reason in one line', () => {
    const failed = run('postgres://nobody@127.0.0.1:1/none')
    expect(failed).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^The database was not migrated: .*ECONNREFUSED.*\n$/),
    })
  })
})

describe.runIf(inject('server'))('a migration of a server that is in use', () => {
  const SITE = '00000000-0000-4000-8000-000000000001'
  let template: Awaited<ReturnType<typeof createDatabase>>

  beforeAll(async () => {
    template = await createDatabase(inject('server')!)
    await migrateServer(template.url, undefined, firstMigrations())
    await query(template.url, `insert into sites (id, name, domain) values ('${SITE}', 'A', 'a.example.com')`)
  })

  afterAll(() => template.drop())

  /** At the baseline, with a site whose slug is not normalized, and a connection of another client. */
  async function usedDatabase() {
    const { url, drop } = await createDatabase(inject('server')!, template.name)
    onTestFinished(drop)
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    await put(client, 'cafe\u0301')
    const isWaiting =
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    return {
      url,
      client,
      migrationWaits: () => vi.waitUntil(async () => (await query(url, isWaiting)).length > 0, IN_TIME),
    }
  }

  const put = (client: pg.Client, slug: string) =>
    client.query("insert into posts (site_id, slug, title, content_html) values ($1, $2, '', '')", [
      SITE,
      slug,
    ])

  it('waits for a writer that has locked its site, and includes that write', async () => {
    const { url, client, migrationWaits } = await usedDatabase()
    await client.query(`begin; select lock_site('${SITE}')`)
    const folder = firstMigrations(`
      SELECT lock_site(id) FROM sites;
      --> statement-breakpoint
      UPDATE posts SET title = 'Migrated'`)
    const migrated = migrateServer(url, undefined, folder)
    await migrationWaits()
    await put(client, 'b')
    await client.query('commit')
    await migrated
    expect(await query(url, 'select distinct title from posts')).toEqual([{ title: 'Migrated' }])
  })

  it('yields to a reader that reads the tables in another order, and restarts', async () => {
    const { url, client, migrationWaits } = await usedDatabase()
    await client.query('begin; select 1 from posts')
    const folder = firstMigrations(`
      ALTER TABLE guides ADD COLUMN words text;
      --> statement-breakpoint
      ALTER TABLE posts ADD COLUMN words text`)
    const migrated = migrateServer(url, undefined, folder)
    await migrationWaits()
    await client.query('select 1 from guides')
    await client.query('commit')
    await migrated
  })

  it('that never ends is cancelled with a note that it can be run again', async () => {
    const { url, client } = await usedDatabase()
    await client.query('begin; select 1 from posts')
    await expect(migrateServer(url, 0)).rejects.toThrow(
      /^The database was not migrated: other sessions hold the locks that it needs \(.*lock timeout\)\. Run it again to resume$/,
    )
  })

  const STEPS = `
    ALTER TABLE posts ADD COLUMN words text;
    --> statement-breakpoint
    -- In batches
    UPDATE posts SET words = slug WHERE id IN (SELECT id FROM posts WHERE words IS NULL LIMIT 2);
    --> statement-breakpoint
    CREATE INDEX CONCURRENTLY "posts_words" ON "posts" ("words");`

  /** The migration of STEPS is complete. */
  async function expectSteps(url: string) {
    expect(await query(url, 'select count(*)::integer from posts where words is null')).toEqual([
      { count: 0 },
    ])
    expect(
      await query(url, "select indisvalid from pg_index where indexrelid = 'posts_words'::regclass"),
    ).toEqual([{ indisvalid: true }])
    expect(
      await query(url, 'select count(*)::integer from drizzle.__drizzle_migrations where created_at > 0'),
    ).toEqual([{ count: 2 }])
  }

  it('allows reads and writes while an index waits for an old transaction', async () => {
    const { url, client, migrationWaits } = await usedDatabase()
    for (const slug of 'bcdef') await put(client, slug)
    const folder = firstMigrations(STEPS)
    await client.query('begin isolation level repeatable read; select 1 from sites')
    const migrated = migrateServer(url, undefined, folder)
    await migrationWaits()
    const another = new pg.Client(url)
    await another.connect()
    onTestFinished(() => another.end())
    await put(another, 'written')
    expect((await another.query("select slug from posts where slug = 'written'")).rowCount).toBe(1)
    await client.query('commit')
    await migrated
    await another.query("update posts set words = '' where slug = 'written'")
    await expectSteps(url)
  })

  it.each([
    ['before its steps', ''],
    ['in a batch', "update posts set words = 'b' where slug = 'b'"],
    [
      'in the build of an index',
      "create index posts_words on posts (words); update pg_index set indisvalid = false where indexrelid = 'posts_words'::regclass",
    ],
  ])('continues where it was interrupted: %s', async (_, done) => {
    const { url, client } = await usedDatabase()
    for (const slug of 'bcdef') await put(client, slug)
    const folder = firstMigrations(STEPS)
    const [first] = STEPS.split('--> statement-breakpoint')
    const { hash } = readMigrationFiles({ migrationsFolder: folder }).at(-1)!
    await client.query(
      `${first}; insert into drizzle.__drizzle_migrations (hash, created_at) values ('${hash}', -${LAST}); ${done}`,
    )
    await migrateServer(url, undefined, folder)
    await expectSteps(url)
    await migrateServer(url, undefined, folder)
    await expectSteps(url)
  })

  it('waits for a concurrent migration', async () => {
    const { url, client } = await usedDatabase()
    for (const slug of 'bcdef') await put(client, slug)
    const folder = firstMigrations(STEPS)
    await Promise.all([1, 2, 3].map(() => migrateServer(url, undefined, folder)))
    await expectSteps(url)
  })
})
