import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { migrateEmbedded, migrateServer } from '../../drizzle/migrate.ts'
import { NO_ID } from '../../src/core/ids.ts'
import { openEmbeddedPostgres } from '../../src/local/embedded-postgres.ts'
import { createDatabase, query } from '../support/databases.ts'
import { IN_TIME } from '../support/in-time.ts'
import type {} from '../support/stack.ts'

const SCRIPT = join(import.meta.dirname, '../../drizzle/migrate.ts')

/** A folder with only the baseline. */
function firstMigrations() {
  const migrationsFolder = mkdtempSync(join(tmpdir(), 'migrations-'))
  onTestFinished(() => rmSync(migrationsFolder, { recursive: true }))
  cpSync(join(import.meta.dirname, '../../drizzle/migrations'), migrationsFolder, { recursive: true })
  const journal = join(migrationsFolder, 'meta/_journal.json')
  const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8'))
  writeFileSync(journal, JSON.stringify({ ...rest, entries: entries.slice(0, 1) }))
  return { migrationsFolder }
}

const LAST = 9_000_000_000_000

/** A folder with the baseline, and one more. */
function firstMigrationsAnd(sql: string): string {
  const { migrationsFolder } = firstMigrations()
  const journal = join(migrationsFolder, 'meta/_journal.json')
  const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8'))
  entries.push({ ...entries[0], idx: entries.length, when: LAST, tag: 'last' })
  writeFileSync(journal, JSON.stringify({ ...rest, entries }))
  writeFileSync(join(migrationsFolder, 'last.sql'), sql)
  return migrationsFolder
}

function run(DATABASE_URL: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], {
    env: { ...process.env, DATABASE_URL },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('a migration', () => {
  it('changes nothing the second time', async () => {
    const postgres = await openEmbeddedPostgres()
    await postgres.exclusively(migrateEmbedded)
    const count = { text: 'select count(*) from drizzle.__drizzle_migrations', params: [] }
    const { signal } = new AbortController()
    const { rows } = await postgres.query(count, signal)
    await postgres.exclusively(migrateEmbedded)
    expect((await postgres.query(count, signal)).rows).toEqual(rows)
    await postgres.close()
  })

  it('adopts a database with all migrations before the baseline, and refuses one with only some of them', async () => {
    const postgres = await openEmbeddedPostgres()
    await postgres.exclusively(async (database) => {
      await migrateEmbedded(database, firstMigrations().migrationsFolder)
      const hash = 'c4b5c5165246209d50b284176080200fcf559b04c924bac433f8f887d2c09781'
      await database.exec(`
        insert into sites (name, domain) values ('A', 'a.example.com');
        truncate drizzle.__drizzle_migrations;
        insert into drizzle.__drizzle_migrations (hash, created_at)
          select n::text, n from generate_series(1, 34) n`)
      await expect(migrateEmbedded(database)).rejects.toThrow('another version created it')
      await database.exec(
        `insert into drizzle.__drizzle_migrations (hash, created_at) values ('${hash}', 1000)`,
      )
      await migrateEmbedded(database)
      const { rows } = await database.query('select name from sites')
      expect(rows).toEqual([{ name: 'A' }])
      const { rows: done } = await database.query<{ hash: string }>(
        'select hash from drizzle.__drizzle_migrations',
      )
      expect(done.map((row) => row.hash)).not.toContain(hash)
    })
    await postgres.close()
  })

  it('moves all webhooks of a site into one table, with their events', async () => {
    const postgres = await openEmbeddedPostgres()
    await postgres.exclusively(async (database) => {
      await migrateEmbedded(database, firstMigrations().migrationsFolder)
      const [site, further, post] = ['1', '2', '3'].map((digit) => NO_ID.replaceAll('0', digit))
      await database.exec(`
        insert into sites (id, name, domain) values ('${site}', 'A', 'a.example.com');
        insert into webhook_endpoints (site_id, url, secret) values ('${site}', 'https://first', '1');
        insert into webhook_further_endpoints (id, site_id, url, secret) values ('${further}', '${site}', 'https://further', '2');
        insert into webhook_events (site_id, endpoint_id, event, post_id, payload) values
          ('${site}', null, 'post.updated', '${post}', '{}'), ('${site}', '${further}', 'webhook.test', null, '{}')`)
      const read = async (text: string) => (await database.query(text)).rows
      const entries = await read('select id from audit_log')
      await migrateEmbedded(database)
      expect(await read('select id, site_id, url, secret from webhook_endpoints order by url')).toEqual([
        { id: site, site_id: site, url: 'https://first', secret: '1' },
        { id: further, site_id: site, url: 'https://further', secret: '2' },
      ])
      expect(
        await read('select endpoint_id, resource, resource_id from webhook_events order by endpoint_id'),
      ).toEqual([
        { endpoint_id: site, resource: 'post', resource_id: post },
        { endpoint_id: further, resource: null, resource_id: null },
      ])
      expect(await read('select id from audit_log')).toEqual(entries)
    })
    await postgres.close()
  })

  it('fills computed columns as a write would', async () => {
    const postgres = await openEmbeddedPostgres()
    await postgres.exclusively(async (database) => {
      await migrateEmbedded(database, firstMigrations().migrationsFolder)
      await database.exec(`
        insert into sites (id, name, domain) values ('${NO_ID}', 'A', 'a.example.com');
        insert into posts (site_id, slug, title, content_html, status, language, quality_band, review_status)
        values ('${NO_ID}', 'a', 'Äpfel', '<p>x</p>', 'published', 'de', 'gold', 'changes_requested'),
          ('${NO_ID}', 'b', 'B', '<p>x</p>', 'draft', null, null, null);
        update posts set ready_at = now(), publish_at = now() + interval '1 day' where slug = 'b'`)
      await migrateEmbedded(database)
      const read = async () =>
        Promise.all(
          ['post_titles', 'post_counts'].map(
            async (table) =>
              (await database.query(`select * from ${table} t order by to_jsonb(t)::text`)).rows,
          ),
        )
      const migrated = await read()
      expect(migrated[0]).toHaveLength(2)
      // Triggers compute both again.
      await database.exec(`
        create temporary table kept as select * from posts;
        set session_replication_role = replica; delete from posts; delete from post_titles; delete from post_counts;
        set session_replication_role = origin;
        alter table posts disable trigger posts_prepare; insert into posts select * from kept`)
      expect(await read()).toEqual(migrated)
    })
    await postgres.close()
  })

  it.each([
    ['first', ''],
    ['last', ' where id = (select max(id) from drizzle.__drizzle_migrations)'],
  ])('refuses a database whose %s migration is not ours, with instructions', async (_, which) => {
    const dataDir = join(mkdtempSync(join(tmpdir(), 'migrate-')), 'postgres')
    const postgres = await openEmbeddedPostgres(dataDir)
    await postgres.exclusively(async (database) => {
      await migrateEmbedded(database)
      await database.exec(`update drizzle.__drizzle_migrations set hash = 'another'${which}`)
      await expect(migrateEmbedded(database)).rejects.toThrow(
        `The database was not migrated: another version created it. If that is an earlier one, migrate with the release before this one first. To start with an empty one, delete ${dataDir}`,
      )
    })
    await postgres.close()
    rmSync(dirname(dataDir), { recursive: true })
  })

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

  /** With a site whose slug is not normalized, and a connection of another client. */
  async function usedDatabase() {
    const { url, drop } = await createDatabase(inject('server')!)
    onTestFinished(drop)
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    await migrateServer(url, undefined, firstMigrations().migrationsFolder)
    await client.query(`insert into sites (id, name, domain) values ('${SITE}', 'A', 'a.example.com')`)
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
    const folder = firstMigrationsAnd(`
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
    const folder = firstMigrationsAnd(`
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
    const folder = firstMigrationsAnd(STEPS)
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
    const folder = firstMigrationsAnd(STEPS)
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
    const folder = firstMigrationsAnd(STEPS)
    await Promise.all([1, 2, 3].map(() => migrateServer(url, undefined, folder)))
    await expectSteps(url)
  })
})
