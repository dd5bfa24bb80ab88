/**
 * `npm run bench:webhooks`: 1,000 drafts of 50 sites marked ready at once, on the Worker of `npm start` with its queue and the
 * servers of DATABASE_URL and REDIS_URL: how long until each has its outcome, and what sites with a quick receiver wait because
 * those of others take 5 s or are dead. `-- --events 5000 --sites 50` for others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cleaningUp } from './cleanups.ts'
import { type Service, startService } from './npm-start.ts'
import { type Kind, type Receivers, startReceivers } from './webhooks/receivers.ts'

/** The size of a bulk put, and of a selection in the console. */
const MAX_AT_ONCE = 100
const LOOK_AGAIN_MS = 200
const SETTLED_WITHIN_MS = 600_000
/** Among ten sites. The first slow one gets half of all events in the last round. */
const MIX: Kind[] = [...Array<Kind>(7).fill('quick'), 'slow', 'silent', 'refusing']

/** Times for events of the sites $1, and of the quick sites $2. Throws unless each has one attempt and the right state. */
const OUTCOMES = `
  with e as (
    select e.site_id = any ($2::uuid[]) as quick, extract(epoch from e.finished_at - e.created_at) as seconds,
      e.state = case when d.url ~ 'quick|slow' then 'delivered' else 'failed' end as is_right
    from webhook_events e join webhook_deliveries d on d.event_id = e.id where e.site_id = any ($1::uuid[]))
  select count(*)::integer as attempts, (count(*) filter (where not is_right))::integer as wrong,
    percentile_cont(array[0.5, 0.95]) within group (order by seconds) filter (where quick) as quick
  from e`

type Site = { id: string; kind: Kind; slugs: string[] }

const { values: options } = parseArgs({
  options: { events: { type: 'string', default: '1000' }, sites: { type: 'string', default: '50' } },
})
const [events, sites] = [Number(options.events), Number(options.sites)]
const share = Math.floor(events / sites)
if (!(sites >= MIX.length && share >= 2))
  throw new Error('--sites must be 10 or more, and --events twice that')
const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
if (!databaseUrl || !redisUrl) throw new Error('bench:webhooks needs DATABASE_URL and REDIS_URL')

await cleaningUp(async (cleanups) => {
  const receivers = await startReceivers()
  cleanups.push(receivers.close)
  const service = await startService(cleanups, { databaseUrl, redisUrl })
  const mix = Array.from({ length: sites }, (_, at) => MIX[at % MIX.length]!)
  const alone = mix.filter((kind) => kind === 'quick')
  const uneven = mix.map((_, at) =>
    at === MIX.indexOf('slow') ? share * Math.ceil(sites / 2) : Math.floor(share / 2),
  )
  const rounds: [string, Kind[], number[]?][] = [
    ['quick sites alone', alone],
    ['as many events, all quick', mix.map(() => 'quick')],
    ['3 of 10 slow or dead', mix],
    ['half of all at one slow site', mix, uneven],
    ['half of all, at one quick site alone', ['quick'], [uneven[MIX.indexOf('slow')]!]],
  ]
  const rows = []
  for (const [round, kinds, counts] of rounds) {
    const made: Site[] = []
    for (const [at, kind] of kinds.entries())
      made.push(await makeSite(service, receivers.urlOf(kind), kind, counts?.[at] ?? share))
    rows.push({ round, ...(await markAll(service, receivers, made)) })
  }
  console.log(
    `${sites} sites; p50 and p95 are from marked ready to the outcome at sites with a quick receiver`,
  )
  console.table(rows)
})

async function makeSite({ manage }: Service, url: string, kind: Kind, drafts: number): Promise<Site> {
  const { id } = await manage('POST /sites', [], { body: { name: 'Bench', domain: 'bench.example.com' } })
  await manage('PUT /sites/{siteId}/webhook', [id], { body: { url } })
  const slugs = Array.from({ length: drafts }, (_, at) => `draft-${at}`)
  for (const some of chunked(slugs)) {
    const posts = some.map((slug) => ({
      slug,
      title: slug,
      contentHtml: '<p>Some words.</p>',
      trustScore: 91,
    }))
    await manage('PUT /sites/{siteId}/posts', [id], { body: { posts } })
  }
  return { id, kind, slugs }
}

async function markAll(service: Service, receivers: Receivers, made: Site[]) {
  const total = made.reduce((sum, { slugs }) => sum + slugs.length, 0)
  const ids = made.map(({ id }) => id)
  const quick = made.filter(({ kind }) => kind === 'quick').map(({ id }) => id)
  receivers.take()
  const before = await service.calls()
  const started = performance.now()
  await Promise.all(
    made.map(async ({ id, slugs }) => {
      for (const some of chunked(slugs)) await service.markReady(id, some)
    }),
  )
  const markedMs = performance.now() - started
  await untilSettled(service, ids, total)
  const settledMs = performance.now() - started
  const after = await service.calls()
  const { rows } = await service.sql.query(OUTCOMES, [ids, quick])
  const { attempts, wrong, quick: quantiles } = rows[0]
  const { most, twice } = receivers.take()
  if (attempts !== total || wrong > 0 || twice > 0)
    throw new Error(
      `${attempts} attempts of ${total} events, ${wrong} in a wrong state, ${twice} POSTs too many`,
    )
  const [p50, p95] = quantiles.map((seconds: number) => seconds.toFixed(2))
  return {
    events: total,
    'marked s': (markedMs / 1_000).toFixed(1),
    'all settled s': (settledMs / 1_000).toFixed(1),
    'p50 s': p50,
    'p95 s': p95,
    'most open': most,
    'Postgres calls an event': ((after.postgres - before.postgres) / total).toFixed(2),
    'Redis calls': ((after.redis - before.redis) / total).toFixed(2),
  }
}

async function untilSettled({ sql }: Service, ids: string[], total: number): Promise<void> {
  const count = `select count(*)::integer as settled from webhook_events
    where site_id = any ($1::uuid[]) and state in ('delivered', 'failed')`
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; ; await sleep(LOOK_AGAIN_MS)) {
    const { rows } = await sql.query(count, [ids])
    if (rows[0].settled === total) return
    if (Date.now() > deadline) throw new Error(`${rows[0].settled} of ${total} events are settled`)
  }
}

function chunked(slugs: string[]): string[][] {
  const chunks = []
  for (let at = 0; at < slugs.length; at += MAX_AT_ONCE) chunks.push(slugs.slice(at, at + MAX_AT_ONCE))
  return chunks
}
