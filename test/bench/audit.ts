/**
 * `npm run bench:audit`: what the audit log adds to a write. Puts of one post and of 100, new and changed, with its
 * triggers and without, in turns, through the management API on the servers of DATABASE_URL and REDIS_URL. With `--entries 1000000`
 * what pages and searches of so many take, and what entries cost there.
 */
import { parseArgs } from 'node:util'
import pg from 'pg'
import { fillLog, timeEntries, timeSearches } from './audit/searches.ts'
import { cleaningUp } from './cleanups.ts'
import { startService } from './service.ts'

const SENTENCE = 'A paragraph of a post such as people write, with some words in it that somebody may read. '
const TRIGGERS = ['posts_inserted_logged', 'posts_updated_logged']

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '60' }, entries: { type: 'string' } },
})
const rounds = Number(options.rounds)
const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
if (!databaseUrl || !redisUrl) throw new Error('bench:audit needs DATABASE_URL and REDIS_URL')

await cleaningUp(async (cleanups) => {
  const service = await startService(cleanups, { databaseUrl, redisUrl })
  const client = new pg.Client(service.databaseUrl)
  await client.connect()
  cleanups.push(() => client.end())
  if (options.entries) {
    await fillLog(client, Number(options.entries))
    await timeSearches(service, client, rounds)
    return timeEntries(client, rounds)
  }
  const { id } = await service.manage('POST /sites', [], {
    body: {
      name: 'Bench',
      domain: 'bench.example.com',
    },
  })
  const times = new Map<string, { with: number[]; without: number[] }>()
  for (let round = 0; round < rounds; round++) {
    for (const log of round % 2 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
      const change = log === 'with' ? 'enable' : 'disable'
      for (const trigger of TRIGGERS) await client.query(`alter table posts ${change} trigger ${trigger}`)
      for (const count of [1, 100]) {
        for (const what of ['new', 'changed']) {
          const posts = Array.from({ length: count }, (_, i) => ({
            slug: `${log}-${round}-${count}-${i}`,
            title: `Post ${i}, ${what}`,
            contentHtml: `<p>${what} ${SENTENCE.repeat(55)}</p>`,
          }))
          const started = performance.now()
          await service.manage('PUT /sites/{siteId}/posts', [id], { body: { posts } })
          const name = `${count} ${what}`
          const seen = times.get(name) ?? { with: [], without: [] }
          seen[log].push(performance.now() - started)
          times.set(name, seen)
        }
      }
    }
  }
  console.log(`p50 of ${rounds} puts each`)
  console.table(
    [...times].map(([put, seen]) => {
      const [withLog, without] = [median(seen.with), median(seen.without)]
      return {
        put,
        'without ms': without.toFixed(2),
        'with ms': withLog.toFixed(2),
        'more %': ((withLog / without - 1) * 100).toFixed(1),
      }
    }),
  )
})

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
}
