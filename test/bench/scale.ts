/**
 * `npm run bench:scale`: a site of a million posts beside one of a thousand and a thousand of a hundred, each asked the
 * same by turns, cold, through the Worker in workerd on the PostgreSQL of DATABASE_URL. Nothing else should be running.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { scope } from '../../src/sites.ts'
import { query } from '../support/databases.ts'
import { contextOver } from '../support/verbs.ts'
import { cleaningUp } from './cleanups.ts'
import { fill, fillNeighbours } from './scale/fill.ts'
import { explainReads, sequentialScans } from './scale/plans.ts'
import { type Ask, commonQuestions, largeQuestions, type Subject } from './scale/questions.ts'
import { startService } from './service.ts'
import { table } from './table.ts'

const SMALL = 1_000
const TRAINING_ROWS = 100_000

const { values: options } = parseArgs({
  options: {
    posts: { type: 'string', default: '1000000' },
    neighbours: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '200' },
    out: { type: 'string', default: '.local/bench-scale' },
  },
})
const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
if (!databaseUrl || !redisUrl) throw new Error('bench:scale needs DATABASE_URL and REDIS_URL')

await cleaningUp(async (cleanups) => {
  const service = await startService(cleanups, { databaseUrl, redisUrl })
  const small = await makeSubject(SMALL)
  const large = await makeSubject(Number(options.posts))
  console.error('Filling …')
  await fillNeighbours(service.databaseUrl, Number(options.neighbours))
  for (const { id, posts } of [small, large]) await fill(service.databaseUrl, id, posts)
  await query(
    service.databaseUrl,
    `insert into training_rows (site_id, prompt, completion) select '${large.id}', 'Prompt ' || n, repeat('Words. ', 300)
     from generate_series(1, ${TRAINING_ROWS}) n`,
  )
  await query(service.databaseUrl, 'vacuum analyze')
  for (const subject of [small, large]) await edit(subject)

  const report: string[] = [await compare(), await askLarge(), await readWhole()]
  const ctx = contextOver(service.gateways as never)
  const plans = await explainReads(service.databaseUrl, ctx, await scope(ctx, large.id))
  const scans = sequentialScans(plans)
  report.push(
    `${plans.length} statements explained; ${scans.length} read all posts: ${scans.map(({ name }) => name)}\n`,
  )
  if (scans.length > 0) process.exitCode = 1
  console.log(report.join('\n'))
  await mkdir(dirname(options.out), { recursive: true })
  await writeFile(`${options.out}.md`, report.join('\n'))
  await writeFile(
    `${options.out}-plans.txt`,
    plans.map(({ name, statement, text }) => `## ${name}\n${statement}\n\n${text}\n`).join('\n'),
  )

  async function makeSubject(posts: number): Promise<Subject> {
    const site = {
      name: 'Scale',
      domain: 'scale.example.com',
      dailyQuota: 1_000_000_000,
      trainingOptIn: true,
    }
    const { id } = await service.manage<{ id: string }>('POST', '/sites', site)
    const { key } = await service.manage<{ key: string }>('POST', `/sites/${id}/keys`, { name: 'scale' })
    return { id, key, posts }
  }

  /** Nothing that was kept of the site holds after it. The newest post is always the same one. */
  async function edit({ id }: Subject) {
    const post = {
      title: 'Edited again and again',
      contentHtml: '<p>Now.</p>',
      status: 'published',
      language: 'en',
    }
    await service.manage('PUT', `/sites/${id}/posts/edited`, { ...post, excerpt: String(performance.now()) })
  }

  function ask({ id, key }: Subject, below: string, headers = {}) {
    const url = `${service.origin}/api/v1/sites/${id}${below}`
    return fetch(url, { headers: { authorization: `Bearer ${key}`, ...headers } })
  }

  /** Milliseconds until the last byte. */
  async function time(subject: Subject, below: string, headers = {}) {
    const started = performance.now()
    const answer = await ask(subject, below, headers)
    const body = await answer.text()
    const milliseconds = performance.now() - started
    if (answer.status !== (headers && 'if-none-match' in headers ? 304 : 200)) {
      throw new Error(`${below}: ${answer.status} ${body.slice(0, 200)}`)
    }
    return { milliseconds, body }
  }

  async function compare(): Promise<string> {
    const asking: Ask = ask
    const paths = [await commonQuestions(asking, small), await commonQuestions(asking, large)]
    const rows: Record<string, string>[] = []
    for (const name of [...Object.keys(paths[0]!), '304'] as (keyof (typeof paths)[0])[]) {
      const times: [number[], number[]] = [[], []]
      const totals: string[] = []
      for (let round = 0; round < Number(options.rounds); round++) {
        for (const [at, subject] of [small, large].entries()) {
          await edit(subject)
          const below = paths[at]![name] ?? '/posts'
          const known = below === paths[at]![name] ? {} : { 'if-none-match': await tagOf(subject) }
          const { milliseconds, body } = await time(subject, below, known)
          times[at]!.push(milliseconds)
          totals[at] = /"total":(\d+)/.exec(body)?.[1] ?? ''
        }
      }
      rows.push(comparison(name, times, totals))
      console.error(name)
    }
    return table(rows)
  }

  async function tagOf(subject: Subject): Promise<string> {
    const answer = await ask(subject, '/posts')
    await answer.body?.cancel()
    return answer.headers.get('etag')!
  }

  async function askLarge(): Promise<string> {
    const rows: Record<string, string>[] = []
    for (const [name, below] of Object.entries(await largeQuestions(ask, large))) {
      const times: number[] = []
      for (let round = 0; round < Number(options.rounds) / 4; round++) {
        await edit(large)
        times.push((await time(large, below)).milliseconds)
      }
      rows.push({ question: name, 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99) })
      console.error(name)
    }
    return table(rows)
  }

  /** What is read from end to end, and the most memory that the Worker took meanwhile. */
  async function readWhole(): Promise<string> {
    const rows: Record<string, string>[] = []
    const whole = async (name: string, read: () => Promise<number[]>) => {
      await writeFile(`/proc/${service.pid}/clear_refs`, '5')
      const before = await peakMemory()
      const times = await read()
      rows.push({
        reading: name,
        answers: String(times.length),
        'slowest ms': quantile(times, 1),
        'total s': (times.reduce((sum, each) => sum + each, 0) / 1_000).toFixed(1),
        'peak MiB': (await peakMemory()).toFixed(0),
        'before MiB': before.toFixed(0),
      })
      console.error(name)
    }
    await edit(large)
    let files = 0
    await whole('sitemap, its index', async () => {
      const { milliseconds, body } = await time(large, '/sitemap.xml')
      files = Math.max(1, body.split('<sitemap>').length - 1)
      return [milliseconds]
    })
    await whole('sitemap, its files', () =>
      inTurn(files, async (n) => (await time(large, `/sitemap.xml?page=${n + 1}`)).milliseconds),
    )
    await whole('changes', () => follow('/changes?limit=500', (_, body) => JSON.parse(body)))
    await whole('export', () =>
      follow('/training/export', (answer) => {
        const next = /after=([0-9a-f-]+)/.exec(answer.headers.get('link') ?? '')?.[1]
        return { hasMore: next !== undefined, cursor: next }
      }),
    )
    return table(rows)
  }

  async function follow(
    start: string,
    next: (answer: Response, body: string) => { hasMore: boolean; cursor: string | undefined },
  ): Promise<number[]> {
    const times: number[] = []
    for (let below = start; ; ) {
      const started = performance.now()
      const answer = await ask(large, below)
      const body = await answer.text()
      times.push(performance.now() - started)
      if (answer.status !== 200) throw new Error(`${below}: ${answer.status}`)
      const { hasMore, cursor } = next(answer, body)
      if (!hasMore) return times
      const parameter = start.includes('export') ? 'after' : 'cursor'
      below = `${start}${start.includes('?') ? '&' : '?'}${parameter}=${cursor}`
    }
  }

  /** Of the process, in MiB. */
  async function peakMemory(): Promise<number> {
    const status = await readFile(`/proc/${service.pid}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1_024
  }
})

async function inTurn(count: number, each: (n: number) => Promise<number>): Promise<number[]> {
  const results: number[] = []
  for (let n = 0; n < count; n++) results.push(await each(n))
  return results
}

function comparison(question: string, [small, large]: [number[], number[]], totals: string[]) {
  return {
    question,
    total: totals.join(' / '),
    'p50 ms, small': quantile(small, 0.5),
    'large ': quantile(large, 0.5),
    'p99 ms, small': quantile(small, 0.99),
    large: quantile(large, 0.99),
    'ratio of p99': (Number(quantile(large, 0.99)) / Number(quantile(small, 0.99))).toFixed(2),
  }
}

function quantile(times: number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1)
}
