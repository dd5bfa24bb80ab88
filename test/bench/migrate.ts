/**
 * `npm run bench:migrate`: how long an upgrade blocks. On the PostgreSQL of DATABASE_URL it fills a database of an earlier
 * release, migrates it, and meanwhile reads and writes a post every 20 ms. Linux and macOS.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { MIGRATIONS, migrateServer } from '../../drizzle/migrate.ts'
import { createDatabase, query } from '../support/databases.ts'
import { type Cleanups, cleaningUp } from './cleanups.ts'
import { fill, fillGuides } from './scale/fill.ts'
import { table } from './table.ts'

const SITE = '00000000-0000-4000-8000-000000000001'
const PROBE_INTERVAL_MS = 20

const READS = `
  select id, title from posts where site_id = '${SITE}' order by updated_at desc limit 12;
  select id from post_titles where site_id = '${SITE}' and title_folded like '%kubernetes%' limit 12`
const WRITE = `
  begin;
  select lock_site('${SITE}');
  update posts set content_html = content_html || ' ' where id = md5('${SITE}' || 7)::uuid;
  commit`

const { values: options } = parseArgs({
  options: {
    posts: { type: 'string', default: '100000' },
    /** How many of the migrations the earlier release has. */
    from: { type: 'string', default: '1' },
  },
})
const { DATABASE_URL: server } = process.env
if (!server) throw new Error('bench:migrate needs DATABASE_URL')

await cleaningUp(async (cleanups) => {
  const { url, drop } = await createDatabase(server)
  cleanups.push(drop)
  await migrateTo(url, Number(options.from), cleanups)
  await query(url, `insert into sites (id, name, domain) values ('${SITE}', 'A', 'a.example.com')`)
  console.error(`Writing ${options.posts} posts …`)
  await fill(url, SITE, Number(options.posts))
  await fillGuides(url, Math.ceil(Number(options.posts) / 100))
  await query(url, 'vacuum analyze')
  await query(url, 'checkpoint')
  const [size] = await query(url, 'select pg_size_pretty(pg_database_size(current_database())) as size')

  const ended = new AbortController()
  const probes = [probe(url, READS, ended.signal), probe(url, WRITE, ended.signal)]
  await sleep(1_000)
  const start = performance.now()
  await migrateServer(url).finally(() => ended.abort())
  const seconds = (performance.now() - start) / 1_000
  const [read, write] = await Promise.all(probes)
  console.log(
    table([
      {
        posts: options.posts,
        size: size!.size,
        'upgrade, s': seconds.toFixed(1),
        'longest read, ms': read!.longestMs.toFixed(0),
        'longest write, ms': write!.longestMs.toFixed(0),
        failed: String(read!.failures.length + write!.failures.length),
      },
    ]),
  )
  for (const failure of [...read!.failures, ...write!.failures]) console.error(failure)
})

/** Repeats the statements, and measures the longest time that they took. */
async function probe(url: string, statements: string, ended: AbortSignal) {
  const client = new pg.Client(url)
  await client.connect()
  let longestMs = 0
  const failures: string[] = []
  while (!ended.aborted) {
    const start = performance.now()
    await client.query(statements).catch(async ({ message }: Error) => {
      failures.push(message)
      await client.query('rollback')
    })
    longestMs = Math.max(longestMs, performance.now() - start)
    await sleep(PROBE_INTERVAL_MS)
  }
  await client.end()
  return { longestMs, failures }
}

/** The schema of an earlier release. */
async function migrateTo(url: string, count: number, cleanups: Cleanups) {
  const migrationsFolder = mkdtempSync(join(tmpdir(), 'migrations-'))
  cleanups.push(async () => rmSync(migrationsFolder, { recursive: true }))
  cpSync(MIGRATIONS, migrationsFolder, { recursive: true })
  const journal = join(migrationsFolder, 'meta/_journal.json')
  const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8'))
  writeFileSync(journal, JSON.stringify({ ...rest, entries: entries.slice(0, count) }))
  await migrateServer(url, undefined, migrationsFolder)
}
