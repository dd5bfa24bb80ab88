/**
 * `npm run bench:import`: posts put in bulk into one site, through the gateway, on the PostgreSQL of DATABASE_URL; and
 * what single writes to another site wait meanwhile.
 */
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { PostInput } from '../../src/content/posts/post.ts'
import { putPosts } from '../../src/content/posts/put.ts'
import type { Context } from '../../src/context.ts'
import { type Stack, startStack } from '../../src/local/stack.ts'
import { createSite, getSiteScope } from '../../src/sites/sites.ts'
import { createDatabase } from '../support/databases.ts'
import { contextOver } from '../support/verbs.ts'

const SIZES = [10_000, 100_000]
const BULK = 100
const IDLE_MS = 20_000
const PAUSE_MS = 50
const WORDS = 'A paragraph of a post such as people write, with some words in it that somebody may read. '

const [command = '', count = '', stackJson = ''] = process.argv.slice(2)
if (command === 'import') console.log(await importPosts(contextOver(JSON.parse(stackJson)), Number(count)))
else await measure()

async function measure() {
  const { DATABASE_URL } = process.env
  if (!DATABASE_URL) throw new Error('bench:import needs DATABASE_URL')
  const database = await createDatabase(DATABASE_URL)
  const stack = await startStack({ databaseUrl: database.url })
  try {
    await stack.migrate()
    const ctx = contextOver(stack)
    const idle = await writingElsewhere(ctx, () => sleep(IDLE_MS))
    const rows = [{ posts: 0, seconds: IDLE_MS / 1_000, 'µs a row': null as number | null, ...idle }]
    for (const posts of SIZES) {
      let seconds = 0
      const busy = await writingElsewhere(ctx, async () => {
        seconds = await importElsewhere(posts, stack)
      })
      rows.push({ posts, seconds, 'µs a row': Math.round((seconds / posts) * 1e6), ...busy })
    }
    console.table(rows)
  } finally {
    await stack.stop()
    await database.drop()
  }
}

/** Imports in a process of its own, as a client does. @returns seconds */
async function importElsewhere(count: number, stack: Stack): Promise<number> {
  const args = [import.meta.filename, 'import', String(count), JSON.stringify(stack)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Number(stdout)
}

/** @returns seconds */
async function importPosts(ctx: Context, count: number): Promise<number> {
  const site = await makeSite(ctx)
  const started = performance.now()
  for (let at = 0; at < count; at += BULK) {
    await putPosts(
      ctx,
      site,
      Array.from({ length: BULK }, (_, i) => article(at + i)),
    )
  }
  return Math.round(performance.now() - started) / 1_000
}

/** Writes a post of another site again and again while `work` goes on; milliseconds a write. */
async function writingElsewhere(ctx: Context, work: () => Promise<unknown>) {
  const site = await makeSite(ctx)
  const times: number[] = []
  let over = false
  const writing = (async () => {
    for (let i = 0; !over; i++) {
      const started = performance.now()
      await putPosts(ctx, site, [{ ...article(0), title: `Edition ${i}` }])
      times.push(performance.now() - started)
      await sleep(PAUSE_MS)
    }
  })()
  await work()
  over = true
  await writing
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => Number(sorted[Math.floor(share * sorted.length)]!.toFixed(1))
  return { writes: times.length, 'p50 ms': at(0.5), 'p95 ms': at(0.95) }
}

async function makeSite(ctx: Context) {
  const { id } = await createSite(ctx, { name: 'Bench', domain: 'bench.example.com' })
  return getSiteScope(ctx, id)
}

/** About 2 KB of HTML. */
function article(number: number): PostInput {
  return {
    slug: `post-${number}`,
    title: `The ${number}th post, about something that fills a title`,
    contentHtml: `<h2>Number ${number}</h2>${`<p>${WORDS.repeat(5)}</p>`.repeat(4)}`,
    status: 'published',
  }
}
