import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { query } from '../support/databases.ts'
import { depthOf } from '../support/depth.ts'
import { randomFrom } from '../support/random.ts'
import { type Service, startService, type WorkerService } from '../support/service.ts'
import { readAuditLog } from './audit.ts'
import { faceOf, follower, type Get, onePager, type Poller, type Post } from './pollers.ts'
import { type Access, fill, openAccess, type Random, write } from './writers.ts'

const WRITERS = 4
const WRITES = inject('deep') ? 120 : 40
const READERS = 4
/** Two posts are read and written all the time, so that a read comes just after a write of the same post. */
const OFTEN = 2
const SEEDS = depthOf('sync')
const REPLICA_LAG_MS = 1_000
/** How long two posts are read and written before all other writers start. */
const CALM_MS = 1_500
const READS_AFTER_WRITE = 4

let service: Service
let workers: WorkerService[]

beforeAll(async () => {
  service = await startService({ replicaLagMs: REPLICA_LAG_MS })
  workers = [service, await service.startAnother()]
})

afterAll(() => service.stop())

type Site = Awaited<ReturnType<Service['makeSite']>>

/** The bodies of answers, by query and tag. */
type Tagged = Map<string, Set<string>>

/** Reads from either Worker, chosen by `random`, with the ETag of an earlier answer. */
function getOf(site: Site, random: Random, tagged: Tagged): Get {
  const answers = new Map<string, { etag: string; body: string }>()
  return async (below) => {
    const { origin } = workers[random() < 0.5 ? 0 : 1]!
    const cached = answers.get(below)
    const response = await fetch(`${origin}/api/v1${site.path}${below}`, {
      headers: { Authorization: `Bearer ${site.key}`, ...(cached && { 'If-None-Match': cached.etag }) },
    })
    const body = await response.text()
    if (response.status === 304) return JSON.parse(cached!.body)
    if (response.status === 404 && below.startsWith('/posts/')) return null
    if (response.status !== 200) throw new Error(`${below}: ${response.status} ${body}`)
    const etag = response.headers.get('ETag')!
    answers.set(below, { etag, body })
    const question = `${below} ${etag}`
    tagged.set(question, (tagged.get(question) ?? new Set()).add(body))
    return JSON.parse(body)
  }
}

/** Answered writes by slug, and how many reads showed them or did not. */
type Acknowledged = { writes: Map<string, number>; compared: string[]; stale: string[] }

/** Reads lists and single posts while `isOver` is false; others read and write them too. */
async function readOften(
  get: Get,
  random: Random,
  acknowledged: Acknowledged,
  isOver: () => boolean,
): Promise<void> {
  const questions = [
    '/posts',
    '/posts?status=published&pageSize=50',
    '/posts?search=often',
    '/changes?include=content&limit=5',
  ]
  while (!isOver()) {
    const one = Math.floor(random() * OFTEN)
    if (random() < 0.2) await get(questions[Math.floor(random() * questions.length)]!)
    else await readAcknowledged(get, `often-${one}`, acknowledged)
  }
}

/** Compares an answer with the last write that was answered before the request. */
async function readAcknowledged(get: Get, slug: string, { writes, ...seen }: Acknowledged): Promise<void> {
  const due = writes.get(slug)
  const post = await get<Post | null>(`/posts/${slug}`)
  if (due === undefined) return
  const [, shown] = post?.title.split(' ') ?? []
  seen.compared.push(slug)
  if (!(Number(shown) >= due)) seen.stale.push(`${slug}: ${shown} after ${due}`)
}

/**
 * Puts the posts that are read often, and reads each at once.
 * @returns the number of failed writes
 */
async function writeOften(
  { manage }: Access,
  get: Get,
  random: Random,
  acknowledged: Acknowledged,
  isOver: () => boolean,
): Promise<number> {
  let failed = 0
  for (let i = 0; !isOver(); i++) {
    const body = { title: `Often ${i} ${random()}`, contentHtml: '<p>Words.</p>', status: 'published' }
    const slug = `often-${Math.floor(random() * OFTEN)}`
    if ((await manage('PUT', `/posts/${slug}`, body)) >= 500) failed++
    else acknowledged.writes.set(slug, i)
    for (let read = 0; read < READS_AFTER_WRITE; read++) await readAcknowledged(get, slug, acknowledged)
  }
  return failed
}

function pollersOf(get: Get): Poller[] {
  const isGerman = (post: Post) => post.language === 'de'
  const isPublished = (post: Post) => post.status === 'published'
  return [
    onePager(get, 'pageSize=1'),
    onePager(get, 'pageSize=5'),
    onePager(get, 'pageSize=50'),
    onePager(get, 'pageSize=5&status=published', isPublished),
    onePager(get, 'pageSize=5&language=de', isGerman),
    onePager(get, 'pageSize=5&search=chain', (post) => post.title.startsWith('Chain')),
    onePager(get, 'language=d&status=published', (post) => isGerman(post) && isPublished(post)),
    follower(get),
  ]
}

/**
 * Runs writers and pollers at once on a new site.
 * @returns missing and wrong entries of each poller at the end
 */
async function run(seed: number, longestTransactionMs: number) {
  const site = await service.makeSite()
  const random = randomFrom(seed)
  const accesses = await Promise.all(
    Array.from({ length: WRITERS }, () => openAccess(service, workers, site, random, longestTransactionMs)),
  )
  await fill(accesses[0]!, random)
  const tagged: Tagged = new Map()
  const acknowledged: Acknowledged = { writes: new Map(), compared: [], stale: [] }
  const pollers = pollersOf(getOf(site, random, tagged))
  let writing = true
  const isOver = () => !writing
  const reading = Array.from({ length: READERS }, (_, i) => {
    const own = randomFrom(seed * 100 + i)
    return readOften(getOf(site, own, tagged), own, acknowledged, isOver)
  })
  const often = writeOften(accesses[0]!, getOf(site, random, tagged), randomFrom(seed), acknowledged, isOver)
  // Without others they are fast enough to read the replica's old data.
  await sleep(CALM_MS)
  const polling = pollers.map(async (poller) => {
    while (writing) await poller.round()
  })
  const writers = accesses.map((each, i) => write(each, randomFrom(seed * 1_000 + i), WRITES))
  const failures = await Promise.all(writers).finally(() => {
    writing = false
  })
  const failed = [...failures, await often].reduce((sum, each) => sum + each, 0)
  await Promise.all([...polling, ...reading])
  // Writes by hand are visible after the sweep of all sites.
  await service.manage('POST', '/sweep')
  for (const poller of pollers) await poller.round()
  for (const { client } of accesses) await client?.end()
  const truth = await table(site)
  const lost = pollers.map((poller) => lostOf(poller, truth))
  const lossesByPoller = pollers.map(({ name, reads }, i) => `${name} ${lost[i]} of ${reads} reads`)
  console.info(
    `seed ${seed}: ${truth.length} posts left, ${failed} writes failed; lost: ${lossesByPoller.join('; ')}`,
  )
  const mixed = [...tagged].filter(([, bodies]) => bodies.size > 1).map(([question]) => question)
  const { compared, stale } = acknowledged
  console.info(`seed ${seed}: ${compared.length} reads after writes, of which ${stale.length} stale`)
  console.info(`seed ${seed}: ${tagged.size} tags, of which ${mixed.length} with several bodies`)
  return {
    posts: truth.length,
    failed,
    lost,
    tags: tagged.size,
    mixed,
    compared: compared.length,
    stale,
    audit: await readAuditLog(service.sql, site.id),
  }
}

function lostOf({ copy, follows, hearsOfDeletions }: Poller, truth: Post[]): number {
  const lost = truth.filter((post) => follows(post) && copy.get(post.id) !== faceOf(post)).length
  if (!hearsOfDeletions) return lost
  const ids = new Set(truth.map(({ id }) => id))
  return lost + [...copy.keys()].filter((id) => !ids.has(id)).length
}

async function table(site: Site): Promise<Post[]> {
  const { rows } = await service.sql(
    `select id, slug, status, title, language, content_html as "contentHtml" from posts where site_id = '${site.id}'`,
  )
  return rows as Post[]
}

describe('no update is lost to a poller', () => {
  it.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
    `whatever its pages and filters, with two Workers, deletes, renames and SQL by hand; the audit log misses none, no tag has two bodies, and no read is older than an answered write, seed %i`,
    async (seed) => {
      const { posts, failed, lost, tags, mixed, compared, stale, audit } = await run(seed, 20)
      expect(posts).toBeGreaterThan(80)
      expect(failed).toBe(0)
      expect(lost.filter((each) => each > 0)).toEqual([])
      expect(tags).toBeGreaterThan(8 * WRITES)
      expect(mixed).toEqual([])
      expect(stale).toEqual([])
      expect(compared).toBeGreaterThan(30)
      expect(audit).toEqual({ faults: [], channels: ['console', 'database', 'management'] })
    },
  )
})

describe.runIf(inject('deep'))('the test can fail', () => {
  it('an update is lost without the lock', async () => {
    const lock = await definition('lock_site')
    await query(
      service.database!,
      'create or replace function lock_site(site uuid) returns void language sql as $$ select $$',
    )
    await query(
      service.database!,
      'drop index posts_newest; create index posts_newest on posts (site_id, updated_at)',
    )
    try {
      const { lost } = await run(99, 300)
      expect(lost.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0)
    } finally {
      await query(service.database!, lock)
    }
  })

  it('a tag has two bodies without versions', async () => {
    const versions = (state: string) =>
      query(service.database!, `alter table posts ${state} trigger posts_updated`)
    await versions('disable')
    try {
      expect((await run(98, 20)).mixed.length).toBeGreaterThan(0)
    } finally {
      await versions('enable')
    }
  })

  it('a change that bypasses the audit log is found', async () => {
    const site = await service.makeSite()
    const post = { slug: 'a', title: 'A', contentHtml: '<p>a</p>' }
    await service.manage('PUT', `${site.path}/posts`, { posts: [post, { ...post, slug: 'b' }] })
    const logged = (state: string) =>
      query(service.database!, `alter table posts ${state} trigger posts_updated_logged`)
    await logged('disable')
    try {
      await service.sql(`update posts set status = 'published' where slug = 'a' and site_id = '${site.id}'`)
    } finally {
      await logged('enable')
    }
    const { faults } = await readAuditLog(service.sql, site.id)
    expect(faults).toEqual(['a: the log leads to another status'])
  })
})

async function definition(name: string): Promise<string> {
  const rows = await query(service.database!, `select pg_get_functiondef('${name}'::regproc) as text`)
  return rows[0].text
}
