/**
 * `npm run bench:move`: how long 10,000 posts of 5 KB take to come in from a file and to leave to one, by the command line
 * and the management API, on the servers of DATABASE_URL and REDIS_URL; and what readers of another site wait meanwhile.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { FORMAT } from '../../src/transfer/export.ts'
import { PROJECT } from './bundle.ts'
import { cleaningUp } from './cleanups.ts'
import { startService } from './service.ts'

const run = promisify(execFile)
const QUIET_MS = 10_000
const PAUSE_MS = 20
const SENTENCE = 'A paragraph of a post such as people write, with some words in it that somebody may read. '

const { values: options } = parseArgs({ options: { posts: { type: 'string', default: '10000' } } })
const posts = Number(options.posts)
const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
if (!databaseUrl || !redisUrl) throw new Error('bench:move needs DATABASE_URL and REDIS_URL')

await cleaningUp(async (cleanups) => {
  const dir = await mkdtemp(join(tmpdir(), 'bench-move-'))
  cleanups.push(() => rm(dir, { recursive: true }))
  const service = await startService(cleanups, { databaseUrl, redisUrl })
  const file = join(dir, 'in.ndjson')
  await writeExport(file)
  const read = await readerOf(service.origin, service.manage)
  const site = await makeSite(service.manage)
  const rows = [{ what: 'nothing else', ...(await meanwhile(read, () => sleep(QUIET_MS))) }]
  for (const [what, ...args] of [
    ['import ndjson', 'import', 'ndjson', site, file],
    ['the same again', 'import', 'ndjson', site, file],
    ['export to a file', 'export', site, join(dir, 'out.ndjson')],
    ['export to a folder', 'export', site, join(dir, 'out')],
  ] as [string, ...string[]][]) {
    rows.push({ what, ...(await meanwhile(read, () => admin(service, args))) })
  }
  console.log(`${posts} posts of 5 KB; p95 is that of single reads of a list of another site`)
  console.table(rows)
})

async function writeExport(file: string): Promise<void> {
  await using handle = await open(file, 'w')
  const write = (line: unknown) => handle.appendFile(`${JSON.stringify(line)}\n`)
  await write({ format: FORMAT, settings: { name: 'Move', domain: 'move.example.com' } })
  for (let i = 0; i < posts; i++) {
    const contentHtml = `<p>${i} ${SENTENCE.repeat(55)}</p>`
    const id = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
    await write({
      type: 'post',
      id,
      post: { slug: `post-${i}`, title: `Post ${i}`, contentHtml, status: 'published' },
    })
  }
  await write({ type: 'end' })
}

type Service = Awaited<ReturnType<typeof startService>>

async function makeSite(manage: Service['manage']): Promise<string> {
  const { id } = await manage('POST /sites', [], {
    body: {
      name: 'Bench',
      domain: 'bench.example.com',
    },
  })
  return id
}

/** Reads the list of a site of its own, which changes before each read, so that it is not cached. */
async function readerOf(origin: string, manage: Service['manage']) {
  const site = await makeSite(manage)
  await manage('PATCH /sites/{siteId}', [site], { body: { dailyQuota: 1_000_000_000 } })
  const { key } = await manage('POST /sites/{siteId}/keys', [site], { body: { name: 'bench' } })
  let page = 0
  return async () => {
    const response = await fetch(`${origin}/api/v1/sites/${site}/posts?page=${++page}`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    await response.arrayBuffer()
  }
}

async function admin({ origin, token }: Service, args: string[]): Promise<void> {
  const env = { ...process.env, HCA_URL: origin, HCA_TOKEN: token }
  await run('npm', ['run', '-s', 'admin', '--', ...args, '--json'], { cwd: PROJECT, env, maxBuffer: 2 ** 26 })
}

/** Seconds of the work, and milliseconds of the reads beside it. */
async function meanwhile(read: () => Promise<void>, work: () => Promise<unknown>) {
  const times: number[] = []
  let over = false
  const reading = (async () => {
    while (!over) {
      const started = performance.now()
      await read()
      times.push(performance.now() - started)
      await sleep(PAUSE_MS)
    }
  })()
  const started = performance.now()
  await work()
  const seconds = Math.round((performance.now() - started) / 100) / 10
  over = true
  await reading
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)]! * 10) / 10
  return { seconds, reads: times.length, 'p50 ms': at(0.5), 'p95 ms': at(0.95) }
}
