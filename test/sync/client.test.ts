/**
 * Copies that the client keeps on disk while a site is written to. Two processes write to them and are killed at random.
 * Meanwhile posts disappear without a trace in the feed, as after 90 days without a sync, and the cursor expires.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatChangeCursor } from '../../src/content/changes.ts'
import type { Store } from '../../src/sdk/client.ts'
import { depthOf } from '../support/depth.ts'
import { randomFrom } from '../support/random.ts'
import { type Service, startService, type WorkerService } from '../support/service.ts'
import { open, type Task } from './copier.ts'
import { writeGuides } from './guides.ts'
import { fill, openAccess, type Random, write } from './writers.ts'

const WRITERS = 3
const WRITES = 50
const SEEDS = depthOf('copies')
const PROCESSES = 2
const LONGEST_LIFE_MS = 800
/** The time for the copiers after the last write, while they are still killed. */
const CATCH_UP_MS = 30_000
const LONG_AGO_MS = 91 * 86_400_000
const COPIER = join(import.meta.dirname, 'copier.ts')

let service: Service
let workers: WorkerService[]

beforeAll(async () => {
  service = await startService()
  workers = [service, await service.startAnother()]
})

afterAll(() => service.stop())

type Site = Awaited<ReturnType<Service['makeSite']>>

/**
 * Starts a copier and kills it with SIGKILL, repeatedly, until `isOver`.
 * @returns the number of kills
 */
async function keepKilling(task: Task, random: Random, isOver: () => boolean): Promise<number> {
  for (let kills = 0; ; kills++) {
    if (isOver()) return kills
    const child = spawn(process.execPath, [COPIER, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let problem = ''
    child.stderr.on('data', (chunk) => {
      problem += chunk
    })
    const exited = once(child, 'exit')
    await Promise.race([once(child.stdout, 'data'), exited])
    await Promise.race([sleep(random() * LONGEST_LIFE_MS), exited])
    child.kill('SIGKILL')
    const [code] = await exited
    if (code !== null) throw new Error(`A copier ended by itself: ${problem}`)
  }
}

/**
 * Deletes some posts without a trace, so that only a restart of the feed can show it.
 * @returns the number
 */
async function forgetPosts(site: Site): Promise<number> {
  const client = new pg.Client(service.database!)
  await client.connect()
  await client.query('begin')
  await client.query('select lock_site($1)', [site.id])
  const { rows } = await client.query(
    `delete from posts where id in (select id from posts where site_id = $1 order by slug limit 10) returning id`,
    [site.id],
  )
  await client.query('delete from tombstones where resource_id = any($1)', [rows.map(({ id }) => id)])
  await client.query('commit')
  await client.end()
  return rows.length
}

/** As soon as no copier is faster. */
async function expireCursor(store: Store, site: Site): Promise<void> {
  const longAgo = Date.now() - LONG_AGO_MS
  const cursor = await formatChangeCursor(site, { sequence: longAgo, caughtUp: longAgo })
  for (;;) {
    const from = await store.state()
    if (from === null) await sleep(10)
    else {
      const to = JSON.stringify({ ...JSON.parse(from), cursor })
      if (await store.commit({ from, to, put: [], remove: [] })) return
    }
  }
}

async function run(seed: number) {
  const site = await service.makeSite()
  const dir = mkdtempSync(join(tmpdir(), 'copies-'))
  const origins = workers.map(({ origin }) => origin)
  const paths = { folder: join(dir, 'folder'), sqlite: join(dir, 'copy.sqlite') }
  const task: Task = { ...paths, origins, site: site.id, key: site.key }
  const random = randomFrom(seed)
  const accesses = await Promise.all(
    Array.from({ length: WRITERS + 1 }, () => openAccess(service, workers, site, random, 20)),
  )
  await fill(accesses[0]!, random)
  const { stores } = open(task)

  let isOver = false
  const killing = Array.from({ length: PROCESSES }, (_, i) =>
    keepKilling(task, randomFrom(seed * 100 + i), () => isOver),
  )
  const [guideWriter, ...postWriters] = accesses
  const writing = [
    ...postWriters.map((each, i) => write(each, randomFrom(seed * 1_000 + i), WRITES)),
    writeGuides(guideWriter!, randomFrom(seed * 1_000 + WRITERS), WRITES),
  ]
  let [forgotten, failed, kills] = [0, 0, 0]
  let truth: string[] = []
  try {
    await sleep(1_000)
    forgotten = await forgetPosts(site)
    for (const store of stores) await expireCursor(store, site)
    failed = (await Promise.all(writing)).reduce((sum, each) => sum + each, 0)
    // Writes by hand are visible after the sweep of all sites.
    await service.manage('POST', '/sweep')
    truth = await table(site)
    const deadline = Date.now() + CATCH_UP_MS
    while (Date.now() < deadline && (await wrongIn(stores, truth)).some((wrong) => wrong.length > 0)) {
      await sleep(100)
    }
  } finally {
    isOver = true
    kills = (await Promise.all(killing)).reduce((sum, each) => sum + each, 0)
    for (const { client } of accesses) await client?.end()
  }
  const [folder, sqlite] = await wrongIn(stores, truth)
  for (const store of stores) await store.close()
  rmSync(dir, { recursive: true })
  console.info(
    `seed ${seed}: ${truth.length} left, ${forgotten} forgotten, ${kills} kills; wrong: folder ${folder!.length}, sqlite ${sqlite!.length}`,
  )
  return { truth, failed, kills, forgotten, wrong: { folder, sqlite } }
}

/** Missing and surplus entries of each copy. */
function wrongIn(stores: Store[], truth: string[]): Promise<string[][]> {
  return Promise.all(
    stores.map(async (store) => {
      const copy = await facesIn(store)
      const missing = truth.filter((face) => !copy.includes(face))
      return [...missing, ...copy.filter((face) => !truth.includes(face))]
    }),
  )
}

type Face = { resource: string; slug: string; title: string; contentHtml: string; status: string; id: string }
const faceOf = ({ resource, id, slug, status, title, contentHtml }: Face) =>
  [resource, id, slug, status, title, contentHtml].join(' ')

async function facesIn(store: Store): Promise<string[]> {
  const faces: string[] = []
  for await (const { resource, content } of store.list()) faces.push(faceOf({ ...content, resource }))
  return faces
}

/** The content of the feed: every post, and every published guide. */
async function table(site: Site): Promise<string[]> {
  const columns = `id, slug, status, title, content_html as "contentHtml"`
  const { rows } = await service.sql(
    `select 'post' as resource, ${columns} from posts where site_id = '${site.id}'
     union all select 'guide', ${columns} from guides where site_id = '${site.id}' and status = 'published'`,
  )
  return (rows as Face[]).map(faceOf)
}

describe("the client's copies equal the table", () => {
  it.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
    'after deletes, renames, rollbacks, SIGKILLs and an expired cursor, seed %i',
    async (seed) => {
      const { truth, failed, kills, forgotten, wrong } = await run(seed)
      expect(truth.length).toBeGreaterThan(60)
      expect([failed, forgotten]).toEqual([0, 10])
      expect(kills).toBeGreaterThan(4)
      expect(wrong).toEqual({ folder: [], sqlite: [] })
    },
  )
})
