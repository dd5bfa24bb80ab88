import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { migrateEmbedded } from '../../drizzle/migrate.ts'
import { openEmbeddedPostgres } from '../../src/local/embedded-postgres.ts'

const SCRIPT = join(import.meta.dirname, '../../drizzle/migrate.ts')

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
