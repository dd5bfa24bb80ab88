import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../support/databases.ts'
import { emptyDatabase, RESTORE_STEPS } from '../support/restore-steps.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service?.stop())

describe('a backup', () => {
  it('can be restored into an empty database with the commands of docs/restore.md', async () => {
    const site = await service.makeSite()
    await service.manage('PUT', `${site.path}/posts/a`, { title: 'Kept', contentHtml: '<p>Words.</p>' })
    await service.sql(
      `insert into webhook_events (site_id, endpoint_id, event, payload) values ('${site.id}', '${site.id}', 'webhook.test', '{}')`,
    )
    const { run, database } = await emptyDatabase()
    const dump = run(`pg_dump --format=custom --no-owner --file "$BACKUP" "${service.database}"`)
    expect(dump).toMatchObject({ status: 0, stderr: '' })

    expect(RESTORE_STEPS).toHaveLength(5)
    for (const step of RESTORE_STEPS) expect(run(step), step).toMatchObject({ status: 0 })

    const read = (column: string, table: string) =>
      query(database.workerUrl, `select ${column} from ${table} where site_id = '${site.id}'`)
    expect(await read('title', 'posts')).toEqual([{ title: 'Kept' }])
    expect(await read('state', 'webhook_events')).toEqual([{ state: 'failed' }])
    expect(await query(database.workerUrl, 'show statement_timeout')).toEqual([{ statement_timeout: '1min' }])
    await expect(query(database.workerUrl, 'create temporary table t ()')).rejects.toThrow(
      /permission denied/,
    )
    await expect(query(database.workerUrl, 'drop table posts')).rejects.toThrow(/must be owner/)
  })

  it('is complete if each table of the restored dump has as many rows, and its check fails if one has not', async () => {
    const site = await service.makeSite()
    await service.manage('PUT', `${site.path}/posts/a`, { title: 'Kept', contentHtml: '<p>Words.</p>' })
    const { run } = await emptyDatabase()
    const written = run(`DATABASE_URL="${service.database}" docs/examples/deploy/backup.sh "$BACKUP"`)
    expect(written).toMatchObject({ status: 0, stderr: '' })
    expect(run('grep "^public.posts|[1-9]" "$BACKUP.counts"')).toMatchObject({ status: 0 })

    const check = 'docs/examples/deploy/check-backup.sh "$BACKUP"'
    const checked = run(check)
    expect(checked).toMatchObject({ status: 0, stderr: '' })
    expect(checked.stdout).toMatch(/^The backup is complete: \d+ tables, \d+ rows\n$/)
    run(
      'psql "$DATABASE_URL" -c "drop schema public cascade; drop schema drizzle cascade; create schema public"',
    )
    run('sed -i "s/^public.posts|.*/public.posts|0/" "$BACKUP.counts"')
    expect(run(check)).toMatchObject({ status: 1, stdout: expect.stringContaining('< public.posts|0') })
  })

  it.each(RESTORE_STEPS.filter((step) => / -f /.test(step)))(
    'that is missing: the command fails and changes nothing: %s',
    async (step) => {
      const { run, database } = await emptyDatabase()
      await query(database.url, 'create table operator_tokens (kind text, used_at date, revoked_at date)')
      await query(database.url, "insert into operator_tokens (kind) values ('link')")
      const failed = run(step.replace('worker-role.sql', 'after-restore.sql'))
      expect(failed.status).not.toBe(0)
      expect(failed.stderr).toContain('ERROR')
      expect(await query(database.url, 'select revoked_at from operator_tokens')).toEqual([
        { revoked_at: null },
      ])
    },
  )
})
