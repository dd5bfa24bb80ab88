import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { createDatabase, query } from '../support/databases.ts'
import { type Service, startService, type WorkerService } from '../support/service.ts'

type Post = { title: string }

const server = inject('server')!
const PROJECT = join(import.meta.dirname, '../..')
const AFTER_RESTORE = readFileSync(join(PROJECT, 'drizzle/after-restore.sql'), 'utf8')
/** The database commands among the steps of docs/restore.md. */
const STEPS = [
  ...readFileSync(join(PROJECT, 'docs/restore.md'), 'utf8')
    .split('\n## Restore\n')[1]!
    .matchAll(/```sh\n([\s\S]*?)```/g),
].map(([, command]) => command!.trim())

let service: Service
let other: WorkerService
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>

beforeAll(async () => {
  service = await startService()
  other = await service.startAnother()
  receiver = await startCountingReceiver((_, response) => response.writeHead(204).end())
})

afterAll(async () => {
  receiver?.close()
  await query(server, `drop database if exists ${nameOf()}_earlier with (force)`)
  await service?.stop()
})

describe('a database that is restored to an earlier point', () => {
  it('never reuses a version: later writes are never answered by 304 or an old body', async () => {
    const site = await service.makeSite()
    const read = async ({ origin }: WorkerService, etag = '') => {
      const response = await fetch(`${origin}/api/v1${site.path}/posts/a`, {
        headers: { Authorization: `Bearer ${site.key}`, 'If-None-Match': etag },
      })
      const text = await response.text()
      return { etag: response.headers.get('ETag')!, title: text && JSON.parse(text).title }
    }
    const put = (title: string) =>
      service.manage('PUT', `${site.path}/posts/a`, { title, contentHtml: '<p>Words.</p>' })
    await put('Kept')
    await keepAsItIs()
    await put('Lost')
    const lost = [await read(service), await read(other)]
    expect(lost.map(({ title }) => title)).toEqual(['Lost', 'Lost'])

    await restore()
    await service.manage('POST', '/sweep')
    expect(await read(service, lost[0]!.etag)).toMatchObject({ title: 'Kept' })
    await put('Written after it')
    expect(await read(service, lost[0]!.etag)).toMatchObject({ title: 'Written after it' })
    expect(await read(other, lost[1]!.etag)).toMatchObject({ title: 'Written after it' })
  })

  it('is read as it is, whatever isolates and clients have cached at the restored version', async () => {
    const site = await service.makeSite()
    const read = async ({ origin }: WorkerService, etag = '', query = '') => {
      const response = await fetch(`${origin}/api/v1${site.path}/posts${query}`, {
        headers: { Authorization: `Bearer ${site.key}`, 'If-None-Match': etag },
      })
      const text = await response.text()
      return {
        etag: response.headers.get('ETag')!,
        titles: text && JSON.parse(text).items.map((post: Post) => post.title),
      }
    }
    const one = { title: 'one', contentHtml: '<p>Words.</p>', status: 'published' }
    await service.manage('PUT', `${site.path}/posts/a`, one)
    await keepAsItIs()
    for (const worker of [service, other]) await read(worker, '', '?pageSize=1')
    // Neither Redis nor the Workers know about it, so that they request the version from before.
    await service.sql(`update posts set title = 'two' where site_id = '${site.id}'`)
    const two = [await read(service), await read(other)]
    expect(two.map(({ titles }) => titles)).toEqual([['two'], ['two']])
    /** In milliseconds: the `lastmod` of a sitemap's files. */
    const fileDate = async () => {
      const { rows } = await service.sql(`select published_version from sites where id = '${site.id}'`)
      return Number((rows[0] as { published_version: string }).published_version)
    }
    const lost = await fileDate()

    await restore()
    await query(service.database!, AFTER_RESTORE)
    // Crawlers read the restored content again.
    expect((await fileDate()) > lost).toBe(true)
    await service.manage('POST', '/sweep')
    for (const worker of [service, other]) {
      expect((await read(worker)).titles).toEqual(['one'])
      for (const { etag } of two) expect((await read(worker, etag)).titles).toEqual(['one'])
    }
  })

  it('does not resend events that were sent since', async () => {
    const site = await service.makeSite()
    await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url })
    const { rows } =
      await service.sql(`insert into webhook_events (site_id, endpoint_id, event, payload, created_at)
      values ('${site.id}', '${site.id}', 'webhook.test', '{}', now() - interval '1 minute') returning id`)
    const { id } = rows[0] as { id: string }
    await keepAsItIs()
    await service.manage('POST', '/sweep')
    await expect.poll(() => receiver.posts.get(id)).toBe(1)

    await restore()
    await query(service.database!, AFTER_RESTORE)
    await service.manage('POST', '/sweep')
    const log = await service.manage<{ items: object[] }>('GET', `${site.path}/deliveries`)
    expect(log.items).toMatchObject([{ eventId: id, error: 'interrupted' }])
    expect(receiver.posts.get(id)).toBe(1)
  })

  it('publishes posts that became due since at once, with one event', async () => {
    const site = await service.makeSite()
    const post = { title: 'Due', contentHtml: '<p>Words.</p>' }
    await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url, events: ['post.published'] })
    await service.manage('PUT', `${site.path}/posts/a`, post)
    const publishAt = new Date(Date.now() + 3_000).toISOString()
    await service.manage('PUT', `${site.path}/posts/a/publication-schedule`, { publishAt })
    await keepAsItIs()
    const stored = () => service.manage<{ post: Record<string, unknown> }>('GET', `${site.path}/posts/a`)
    await expect
      .poll(async () => {
        await service.cron()
        return (await stored()).post.status
      })
      .toBe('published')

    await restore()
    await query(service.database!, AFTER_RESTORE)
    expect((await stored()).post).toMatchObject({ status: 'draft' })
    await service.manage('POST', '/sweep')
    await service.cron()
    expect((await stored()).post).toMatchObject({ status: 'published', publishedAt: publishAt })
    const { items } = await service.manage<{ items: { id: string }[] }>('GET', `${site.path}/events`)
    expect(items).toHaveLength(1)
    await expect.poll(() => receiver.posts.get(items[0]!.id)).toBe(1)
  })
})

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

    expect(STEPS).toHaveLength(5)
    for (const step of STEPS) expect(run(step), step).toMatchObject({ status: 0 })

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

  it.each(STEPS.filter((step) => / -f /.test(step)))(
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

/** A database of its own, a shell with its URL as DATABASE_URL, and a role for the Worker from the file of grants. */
async function emptyDatabase() {
  const database = await createDatabase(server)
  onTestFinished(database.drop)
  await query(database.url, `grant temporary on database ${database.name} to public`)
  const folder = mkdtempSync(join(tmpdir(), 'restore-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const grants = join(folder, 'worker-role.sql')
  const role = new URL(database.workerUrl).username
  const written = readFileSync(join(PROJECT, 'drizzle/worker-role.sql'), 'utf8')
  writeFileSync(grants, written.replaceAll('hca_worker', role))
  const env = { ...process.env, DATABASE_URL: database.url, BACKUP: join(folder, 'backup') }
  const run = (command: string) => {
    const text = command.replace('drizzle/worker-role.sql', grants)
    return spawnSync('bash', ['-ec', text], { cwd: PROJECT, env, encoding: 'utf8' })
  }
  return { database, run }
}

const nameOf = () => new URL(service.database!).pathname.slice(1)

async function keepAsItIs() {
  const name = nameOf()
  await copyDatabase(name, `${name}_earlier`)
}

/** Replaces the database by the copy while the Workers run. */
async function restore() {
  const name = nameOf()
  await copyDatabase(`${name}_earlier`, name)
}

async function copyDatabase(from: string, to: string) {
  await query(server, `drop database if exists ${to} with (force)`)
  await query(server, `alter database ${from} allow_connections false`)
  await query(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${from}'`)
  await query(server, `create database ${to} template ${from}`)
  await query(server, `alter database ${from} allow_connections true`)
}
