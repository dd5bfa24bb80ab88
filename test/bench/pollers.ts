/**
 * `npm run bench:pollers`: what a site's writes cost those who poll it. 1,000 pollers, of one post each or of a page of the
 * list, with the tag of their last answer, while the site publishes once a minute and while it rests. Asked of the production
 * bundle on the servers of DATABASE_URL and REDIS_URL: the polls of those minutes, one after the other without the pauses.
 */
import { parseArgs } from 'node:util'
import { cleaningUp } from './cleanups.ts'
import { type Content, makeContent, slugOf } from './content.ts'
import { loadOf } from './load.ts'
import { whileMetered } from './measure.ts'
import { type Service, startService } from './service.ts'
import { table } from './table.ts'

const POLLERS = 1_000
const PAGES = 10
const AT_ONCE = 16
const WRITE_EVERY_S = 60
/** Intervals of the pollers. */
const POLL_EVERY_S = [10, 60, 300]
const KINDS = {
  post: (n: number) => `/posts/${slugOf(n)}`,
  list: (n: number) => `/posts?page=${(n % PAGES) + 1}`,
}

type Kind = keyof typeof KINDS
type Poller = { url: string; etag: string }

const { values: options } = parseArgs({ options: { polls: { type: 'string', default: '6000' } } })
const polls = Number(options.polls)
if (!(polls >= POLLERS)) throw new Error(`--polls must be at least ${POLLERS}`)
const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
if (!databaseUrl || !redisUrl) throw new Error('bench:pollers needs DATABASE_URL and REDIS_URL')

await cleaningUp(async (cleanups) => {
  const service = await startService(cleanups, { databaseUrl, redisUrl })
  const content = await makeContent(service.manage)
  const rows = []
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const pollers = Array.from({ length: POLLERS }, (_, n) => ({
      url: `${service.origin}/api/v1/sites/${content.blog.id}${KINDS[kind](n)}`,
      etag: '""',
    }))
    await pollAll(content, pollers, POLLERS, { writesAt: 0 })
    for (const every of [null, ...POLL_EVERY_S]) {
      const writesAt = every === null ? 0 : (POLLERS * WRITE_EVERY_S) / every
      rows.push({
        polled: kind,
        'poll every s': every === null ? 'site rests' : String(every),
        ...(await measurePolls(service, content, pollers, writesAt)),
      })
    }
  }
  console.log(`${POLLERS} pollers; CPU in ms, all of them per poll`)
  console.log(table(rows))
})

async function measurePolls({ meters }: Service, content: Content, pollers: Poller[], writesAt: number) {
  let unchanged = 0
  const { perRequest, ...load } = await whileMetered(meters, async () => {
    const started = performance.now()
    const times = await pollAll(content, pollers, polls, { writesAt, onUnchanged: () => void unchanged++ })
    return loadOf(times, (performance.now() - started) / 1_000, 0)
  })
  const number = (value: number | null | undefined, factor = 1) =>
    value == null ? '' : (value * factor).toFixed(2)
  return {
    '304 %': ((100 * unchanged) / load.requests).toFixed(1),
    'p99 ms': load.p99.toFixed(1),
    'Postgres calls': number(perRequest.postgresTrips),
    'Redis calls': number(perRequest.redisTrips),
    Worker: number(perRequest.serverCpu, 1_000),
    Postgres: number(perRequest.postgresCpu, 1_000),
  }
}

/** Polls in turn, `AT_ONCE` at once, with a write before each `writesAt` of them. Returns how many milliseconds each took. */
async function pollAll(
  { blog, edit }: Content,
  pollers: Poller[],
  count: number,
  { writesAt, onUnchanged }: { writesAt: number; onUnchanged?: () => void },
): Promise<number[]> {
  const times: number[] = []
  let asked = 0
  async function poll() {
    while (asked < count) {
      const at = asked++
      const poller = pollers[at % pollers.length]!
      if (writesAt > 0 && at % writesAt === 0) await edit(at / writesAt)
      const started = performance.now()
      const response = await fetch(poller.url, {
        headers: { authorization: `Bearer ${blog.key}`, 'if-none-match': poller.etag },
      })
      await response.arrayBuffer()
      times.push(performance.now() - started)
      if (response.status === 304) onUnchanged?.()
      else if (response.status !== 200) throw new Error(`${poller.url}: ${response.status}`)
      poller.etag = response.headers.get('etag')!
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, poll))
  return times
}
