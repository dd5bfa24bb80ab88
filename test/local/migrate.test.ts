import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { migrateEmbedded } from '../../drizzle/migrate.ts'
import { openEmbeddedPostgres } from '../../src/local/embedded-postgres.ts'

const SCRIPT = join(import.meta.dirname, '../../drizzle/migrate.ts')

function migrationNamed(topic: string): string {
  const folder = join(import.meta.dirname, '../../drizzle/migrations')
  return readFileSync(
    join(folder, readdirSync(folder).find((file) => file.endsWith(`_${topic}.sql`))!),
    'utf8',
  )
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
  }, 60_000)

  it('normalises slugs, as if they were renamed, and leaves none that cannot be reached', async () => {
    const postgres = await openEmbeddedPostgres()
    await postgres.exclusively(async (database) => {
      await migrateEmbedded(database)
      await database.exec(`
        alter table posts drop constraint posts_slug_normalized;
        alter table guides drop constraint guides_slug_normalized;
        insert into sites (name, domain) values ('A', 'a.example.com');
        insert into posts (id, site_id, slug, title, content_html, status, published_at)
          select n::uuid, sites.id, slug, '', '', 'published', now()
          from sites, (values ('11111111-0000-4000-8000-000000000000', U&'cafe\\0301'),
            ('22222222-0000-4000-8000-000000000000', U&'nai\\0308ve'),
            ('33333333-0000-4000-8000-000000000000', U&'na\\00efve'), ('44444444-0000-4000-8000-000000000000', 'plain')) t (n, slug);
        insert into guides (site_id, slug, title, content_html) select id, U&'cafe\\0301', '', '' from sites`)
      await database.exec(migrationNamed('normalized_slugs'))
      const { rows } = await database.query<{ slug: string }>(
        'select slug from posts union all select slug from guides order by 1',
      )
      const slugs = ['café', 'café', 'naïve', 'naïve-22222222', 'plain'].map((slug) => slug.normalize('NFC'))
      expect(rows.map(({ slug }) => slug)).toEqual(slugs)
      const { rows: redirects } = await database.query<{ slug: string }>('select slug from redirects')
      expect(redirects.map(({ slug }) => slug.normalize('NFC'))).toEqual(['café', 'naïve'])
    })
    await postgres.close()
  }, 60_000)

  it('refuses a database whose first migration is not ours, and says what to do', async () => {
    const dataDir = join(mkdtempSync(join(tmpdir(), 'migrate-')), 'postgres')
    const postgres = await openEmbeddedPostgres(dataDir)
    await postgres.exclusively(async (database) => {
      await migrateEmbedded(database)
      await database.exec("update drizzle.__drizzle_migrations set hash = 'another'")
      await expect(migrateEmbedded(database)).rejects.toThrow(
        `The database was not migrated: an earlier version made it, and there is no upgrade from that version. To start with an empty one, delete ${dataDir}`,
      )
    })
    await postgres.close()
    rmSync(dirname(dataDir), { recursive: true })
  }, 60_000)

  it('says in one line that DATABASE_URL is missing', () => {
    expect(run('')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^DATABASE_URL is missing.*\n$/),
    })
  })

  it('says in one line why it failed', () => {
    const failed = run('postgres://nobody@127.0.0.1:1/none')
    expect(failed).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^The database was not migrated: .*ECONNREFUSED.*\n$/),
    })
  })
})
