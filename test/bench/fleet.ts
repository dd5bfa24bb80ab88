/**
 * `npm run bench:fleet`: the sweep of 20,000 sites, or `-- --sites N`: the Worker of `npm start` on the servers of DATABASE_URL and
 * REDIS_URL. A tenth of the sites have an event whose message was lost, a twentieth a draft that is due. Each sweep is measured while
 * others read 200 of the sites: its calls, the commands of Redis and their busiest second, and how long readers wait. Then posts are
 * written to one site and to several. Fails if an event or a draft stays, a reader waits for more than a second, or a second has more
 * commands than Upstash allows. Nothing else should use the Redis.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { cleaningUp } from './cleanups.ts'
import { loadOf } from './load.ts'
import { type Service, startService } from './npm-start.ts'
import { table } from './table.ts'
import { startReceivers } from './webhooks/receivers.ts'

const READ_SITES = 200
const READERS = 4
const WRITERS = 8
const WRITES = 50
/** A write locks each of its sites, and a transaction can hold some thousand locks. */
const SITES_AT_ONCE = 1_000
const PAUSE_MS = 10
const SAMPLE_MS = 1_000
const MAX_WAIT_MS = 1_000
/** https://upstash.com/docs/redis/overall/billing, which counts the commands of scripts, too. */
const MAX_COMMANDS_PER_SECOND = 10_000
/** For the POSTs of events. */
const MAX_ARRIVAL_MS = 300_000

const { values } = parseArgs({ options: { sites: { type: 'string', default: '20000' } } })
const count = Number(values.sites)
if (!(count >= 1_000)) throw new Error('--sites must be 1000 or more')
const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
if (!databaseUrl || !redisUrl) throw new Error('bench:fleet needs DATABASE_URL and REDIS_URL')

type ReadSite = { id: string; key: string }

await cleaningUp(async (cleanups) => {
  const receivers = await startReceivers()
  cleanups.push(receivers.close)
  const service = await startService(cleanups, { databaseUrl, redisUrl })
  const redis = new Redis(redisUrl)
  cleanups.push(() => redis.disconnect())
  const read = await fill(service, receivers.urlOf('quick'))
  const forget = () => redis.del(`${service.prefix}:sweep`)
  const loseRedis = async () => {
    for await (const keys of redis.scanStream({ match: `${service.prefix}:*`, count: 1_000 }))
      if (keys.length > 0) await redis.unlink(keys)
  }
  const before = performance.now()
  const rows = [
    await measured('all sites, with lost events and due drafts', service, redis, read, forget),
    await measured('of a minute in which nothing changed', service, redis, read),
    await measured('all sites, an hour later', service, redis, read, forget),
    await measured('after a loss of Redis', service, redis, read, loseRedis),
  ]
  const left = await untilSettled(service)
  console.log(
    `${count} sites; events arrived ${((performance.now() - before) / 1_000).toFixed(0)} s after the first sweep began`,
  )
  console.log(table(rows))
  const [first, ...others] = read
  for (const [name, sites] of [
    ['one site', [first!]],
    [`${WRITERS} sites`, others.slice(0, WRITERS)],
  ] as const)
    console.log(
      `Posts written to ${name} by ${WRITERS} writers: ${await writesASecond(service, sites)} per second`,
    )
  if (
    left.events > 0 ||
    left.drafts > 0 ||
    rows.some((row) => Number(row['longest read, ms']) > MAX_WAIT_MS) ||
    rows.some((row) => Number(row['in the busiest second']) > MAX_COMMANDS_PER_SECOND)
  ) {
    console.log(`Left: ${left.events} events, ${left.drafts} drafts`)
    process.exitCode = 1
  }
})

/** Writes to one site wait for its lock, writes to several do not. */
async function writesASecond({ manage }: Service, sites: readonly ReadSite[]): Promise<string> {
  const started = performance.now()
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let write = 0; write < WRITES; write++)
        await manage(
          'PUT /sites/{siteId}/posts/{slug}',
          [sites[writer % sites.length]!.id, `written-${writer}`],
          {
            body: { title: `Edit ${write}`, contentHtml: '<p>Some words.</p>' },
          },
        )
    }),
  )
  return ((WRITERS * WRITES * 1_000) / (performance.now() - started)).toFixed(0)
}

/** As fast as SQL goes. Returns sites with keys. */
async function fill({ sql, manage }: Service, url: string): Promise<ReadSite[]> {
  for (let from = 0; from < count; from += SITES_AT_ONCE) {
    await sql.query(
      `insert into sites (name, domain, daily_quota)
       select 'Fleet ' || n, 'fleet-' || n || '.example.com', 1000000000 from generate_series($1::integer + 1, $2::integer) n`,
      [from, Math.min(from + SITES_AT_ONCE, count)],
    )
    await sql.query(`
      insert into posts (site_id, slug, title, content_html, status, published_at)
      select id, 'post-' || n, 'Post ' || n, '<p>Some words.</p>', 'published', now()
      from sites s, generate_series(1, 5) n where not exists (select from posts where site_id = s.id)`)
  }
  const { rows } = await sql.query(`select id from sites order by name limit ${READ_SITES}`)
  const read: ReadSite[] = []
  for (const { id } of rows) {
    const { key } = await manage('POST /sites/{siteId}/keys', [id], { body: { name: 'fleet' } })
    read.push({ id, key: key! })
  }
  const { secret } = await manage('PUT /sites/{siteId}/webhook', [read[0]!.id], { body: { url } })
  if (!secret) throw new Error('The webhook has no secret')
  await sql.query(`
    insert into posts (site_id, slug, title, content_html, publish_at)
    select id, 'due', 'Due', '<p>Some words.</p>', now() - interval '1 minute' from sites order by id limit ${count / 20}`)
  await sql.query(
    `insert into webhook_events (site_id, endpoint_id, event, payload, created_at)
     select $1::uuid, $1::uuid, 'webhook.test', '{}', now() - interval '2 minutes' from generate_series(1, ${count / 10})`,
    [read[0]!.id],
  )
  await sql.query('analyze')
  return read
}

async function measured(
  name: string,
  service: Service,
  redis: Redis,
  read: ReadSite[],
  prepare: () => Promise<unknown> = async () => {},
): Promise<Record<string, string>> {
  await prepare()
  let isOver = false
  const waits: number[] = []
  const ask = async (at: number) => {
    for (let turn = at; !isOver; turn += READERS) {
      const { id, key } = read[turn % read.length]!
      const from = performance.now()
      const response = await fetch(`${service.origin}/api/v1/sites/${id}/posts`, {
        headers: { Authorization: `Bearer ${key}` },
      })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`A read got ${response.status}`)
      waits.push(performance.now() - from)
      await sleep(PAUSE_MS)
    }
  }
  const [calls, commands, from] = [await service.calls(), await commandsOf(redis), performance.now()]
  const samples: number[] = []
  const sample = async () => {
    for (let last = commands; !isOver; ) {
      await sleep(SAMPLE_MS)
      const now = await commandsOf(redis)
      samples.push(now - last)
      last = now
    }
  }
  const others = [sample(), ...Array.from({ length: READERS }, (_, at) => ask(at))]
  await service.runCron()
  const seconds = (performance.now() - from) / 1_000
  isOver = true
  await Promise.all(others)
  const after = await service.calls()
  const { p99 } = loadOf(waits, seconds, 0)
  return {
    sweep: name,
    seconds: seconds.toFixed(1),
    reads: String(waits.length),
    'calls to Postgres': String(after.postgres - calls.postgres),
    'calls to Redis': String(after.redis - calls.redis),
    'commands of Redis': String((await commandsOf(redis)) - commands),
    'in the busiest second': String(Math.max(...samples)),
    'p99 of reads, ms': p99.toFixed(0),
    'longest read, ms': Math.max(...waits).toFixed(0),
  }
}

async function commandsOf(redis: Redis): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))![1])
}

/** Waits for all to arrive, five minutes at most. Returns what is left. */
async function untilSettled({ sql, runCron }: Service): Promise<{ events: number; drafts: number }> {
  for (const until = performance.now() + MAX_ARRIVAL_MS; ; await sleep(1_000)) {
    const { rows } = await sql.query(`select
      (select count(*) from webhook_events where state in ('pending', 'sending'))::integer as events,
      (select count(*) from posts where publish_at is not null)::integer as drafts`)
    const { events, drafts } = rows[0]
    if (events + drafts === 0 || performance.now() > until) return { events, drafts }
    await runCron()
  }
}
