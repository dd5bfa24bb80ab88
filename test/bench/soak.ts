/**
 * `npm run bench:soak`: 20 minutes of a service in use, or `-- --minutes N --sites N`: the Worker of `npm start` on the servers of
 * DATABASE_URL and REDIS_URL, with writers, pollers and events, a cron every 5 s, events that become some days older each time, a year
 * in all, and a Worker that is started anew before memory is judged. Fails when memory, keys in Redis or rows go on growing, or answers slow down.
 * Linux only. Nothing else should be running meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { randomFrom } from '../support/random.ts'
import { cleaningUp } from './cleanups.ts'
import { loadOf } from './load.ts'
import { residentMib } from './memory.ts'
import { type Service, startService } from './npm-start.ts'
import { growthOf } from './soak/growth.ts'
import { makeSites, type Site } from './soak/sites.ts'
import { table } from './table.ts'
import { startReceivers } from './webhooks/receivers.ts'

const TICK_MS = 5_000
/** That pass for events: four times as many as they are kept. */
const DAYS = 360
const READERS = 6
const WRITERS = 2
const WRITE_EVERY_MS = 200
/** A sweep of all sites is due after so many ticks. */
const SWEEP_TICKS = 12
/** By what factor the last tenth's p99 may be above that of an early one: both are noisy. */
const SLOWER = 1.5

type Sample = { seconds: number; [measured: string]: number }

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    sites: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
})
const [minutes, sites, seed] = [Number(options.minutes), Number(options.sites), Number(options.seed)]
if (!(minutes >= 2 && sites >= 10)) throw new Error('--minutes must be 2 or more, and --sites 10 or more')
const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
if (!databaseUrl || !redisUrl) throw new Error('bench:soak needs DATABASE_URL and REDIS_URL')

await cleaningUp(async (cleanups) => {
  const receivers = await startReceivers()
  cleanups.push(receivers.close)
  const service = await startService(cleanups, { databaseUrl, redisUrl })
  const redis = new Redis(redisUrl)
  cleanups.push(() => redis.disconnect())
  const made = await makeSites(service, receivers, sites)
  const random = randomFrom(seed)
  const started = performance.now()
  const until = started + minutes * 60_000
  const isOver = () => performance.now() > until
  const samples: Sample[] = []
  const asked: { at: number; milliseconds: number }[] = []
  const pausing = { until: Promise.resolve() }

  async function read() {
    while (!isOver()) {
      await pausing.until
      const site = made[Math.floor(random() * made.length)]!
      const before = performance.now()
      await poll(service, site, random())
      asked.push({ at: before - started, milliseconds: performance.now() - before })
    }
  }

  async function write() {
    while (!isOver()) {
      await pausing.until
      const site = made[Math.floor(random() * Math.min(50, made.length))]!
      const slug = `post-${Math.floor(random() * 10)}`
      const body = { title: `At ${Date.now()}`, contentHtml: '<p>Some words.</p>', trustScore: 91 }
      const isDraft = random() < 0.3
      await service.manage('PUT /sites/{siteId}/posts/{slug}', [site.id, isDraft ? 'draft' : slug], {
        body: { ...body, status: isDraft ? 'draft' : 'published' },
      })
      if (isDraft) await service.markReady(site.id, ['draft'])
      await sleep(WRITE_EVERY_MS)
    }
  }

  async function passTime() {
    const restarts = [1, 2].map((twelfth) => started + (twelfth * minutes * 60_000) / 12)
    const days = Math.ceil((DAYS * TICK_MS) / (minutes * 60_000))
    for (let tick = 1; !isOver(); tick++) {
      await sleep(TICK_MS)
      await service.sql.query(
        `update webhook_events set created_at = created_at - $1 * interval '1 day', finished_at = finished_at - $1 * interval '1 day'
          where state in ('delivered', 'failed')`,
        [days],
      )
      if (tick % SWEEP_TICKS === 0) await redis.del(`${service.prefix}:sweep`)
      await service.runCron()
      samples.push({ seconds: (performance.now() - started) / 1_000, ...(await sample(service, redis)) })
      if (performance.now() > (restarts[0] ?? Number.POSITIVE_INFINITY)) {
        restarts.shift()
        pausing.until = sleep(500).then(() => service.restart())
        await pausing.until
      }
    }
  }

  await Promise.all([
    ...Array.from({ length: READERS }, read),
    ...Array.from({ length: WRITERS }, write),
    passTime(),
  ])
  const rows = growthOf(samples)
  const tenth = (minutes * 60_000) / 10
  // The first tenth after warm-up.
  const [first, last] = [
    asked.filter(({ at }) => at > 2.5 * tenth && at < 3.5 * tenth),
    asked.filter(({ at }) => at > 9 * tenth),
  ].map((some) =>
    loadOf(
      some.map(({ milliseconds }) => milliseconds),
      tenth / 1_000,
      0,
    ),
  )
  console.log(
    `${asked.length} reads of ${sites} sites in ${minutes} min; growth is that of the second half, by linear regression`,
  )
  console.log(table(tenths(samples)))
  console.log(table(rows.map(({ isGrowing, ...row }) => ({ ...row, grows: isGrowing ? 'yes' : 'no' }))))
  console.log(
    `p99 of reads: ${first!.p99.toFixed(1)} ms in an early tenth, ${last!.p99.toFixed(1)} ms in the last; p50 ${first!.p50.toFixed(1)} and ${last!.p50.toFixed(1)}`,
  )
  if (rows.some(({ isGrowing }) => isGrowing) || last!.p99 > SLOWER * first!.p99) process.exitCode = 1
})

/** A sample of each tenth of the time. */
function tenths(samples: Sample[]): Record<string, string>[] {
  return Array.from({ length: 10 }, (_, n) => samples[Math.floor(((n + 1) * samples.length) / 10) - 1]!).map(
    (each) => Object.fromEntries(Object.entries(each).map(([name, value]) => [name, value.toFixed(0)])),
  )
}

/** A poll of a site by one who goes on from its last answer, or with its tag. */
async function poll({ origin }: Service, site: Site, chance: number): Promise<void> {
  const base = `${origin}/api/v1/sites/${site.id}`
  const question = chance < 0.5 ? '/posts' : chance < 0.8 ? '/posts/post-1' : '/sitemap.xml'
  const headers = { authorization: `Bearer ${site.key}`, 'if-none-match': site.tags.get(question) ?? '""' }
  const after =
    chance > 0.45 && chance < 0.5 ? `?updatedAfter=${new Date(Date.now() - 60_000).toISOString()}` : ''
  const response = await fetch(base + question + after, { headers })
  await response.arrayBuffer()
  if (![200, 304].includes(response.status)) throw new Error(`${question}: ${response.status}`)
  if (!after) site.tags.set(question, response.headers.get('etag')!)
}

/** Memory in MiB, keys in Redis, and rows. */
async function sample({ processes, prefix, sql }: Service, redis: Redis) {
  const sampled: Record<string, number> = {}
  for (const [name, pids] of Object.entries(await processes()))
    sampled[`${name} MiB`] = await residentMib(pids)
  for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1_000 }))
    sampled['keys in Redis'] = (sampled['keys in Redis'] ?? 0) + keys.length
  const { rows } = await sql.query(`select (select count(*) from webhook_events)::integer as events,
    (select count(*) from webhook_deliveries)::integer as deliveries, (select count(*) from posts)::integer as posts,
    (select count(*) from console_sessions)::integer as sessions`)
  return { ...sampled, ...rows[0] }
}
