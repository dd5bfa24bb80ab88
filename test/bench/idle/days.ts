/**
 * The child process of ../idle.ts: sites, each polled every five minutes, on a day with some writes and on one without. A front
 * end without a copy of its own may ask for posts besides, without a tag.
 */
import { mock } from 'node:test'
import { apiOf } from '../../../src/cli/client.ts'
import { startStack } from '../../../src/local/stack.ts'
import type { Api } from '../../../src/transfer/api.ts'
import { startHttpServer } from '../../support/http-server.ts'
import { webhookKey } from '../../support/verbs.ts'
import { type Isolate, isolatesOf } from './isolate.ts'
import { type Day, type Meter, startMeter } from './meter.ts'

const STEP_MS = 15_000
const MINUTE = 60_000 / STEP_MS
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.parse('2027-01-04T00:00:00Z')

/** In production an isolate lives for minutes or hours. */
const ISOLATE_EVERY = 10 * MINUTE
const POLL_EVERY = 5 * MINUTE
const WRITES = 13
const POSTS = 20
const FIRST_WRITE = 8 * HOUR + 2
const WRITE_EVERY = 47 * MINUTE

const OPERATOR_TOKEN = 'x'.repeat(32)
const ORIGIN = 'http://worker'

export type Days = { busy: Day; idle: Day }
type Site = { id: string; key: string; etag: string; changed: boolean }
type World = {
  /** The next step; the first day begins at 0. */
  step: number
  meter: Meter
  manage: Api
  sites: Site[]
  /** Steps from one view of a site to the next; 0 for none. */
  viewEvery: number
  isolate: Isolate
  newIsolate(): Isolate
}

/** Both days on the Worker in `folder`, over an embedded stack, after the evening in which the sites are made. */
async function simulateDays(folder: string, sites: number, views: number): Promise<Days> {
  const stack = await startStack()
  await stack.migrate()
  // Sets Postgres' clock and Redis' too, which are in this process.
  mock.timers.enable({ apis: ['Date'], now: START - 2 * HOUR * STEP_MS })
  const newIsolate = await isolatesOf(folder, {
    DATABASE_URL: stack.databaseUrl,
    DATABASE_HTTP_ENDPOINT: stack.databaseHttpEndpoint,
    UPSTASH_REDIS_REST_URL: stack.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
    OPERATOR_TOKEN,
    WEBHOOK_KEYS: webhookKey('k'),
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
  })
  const world: World = {
    step: -2 * HOUR,
    meter: await startMeter(stack),
    manage: apiOf(
      { fetch: (url, init) => world.isolate.fetch(String(url), init), stderr: process.stderr },
      { url: `${ORIGIN}/manage/v1`, token: OPERATOR_TOKEN },
    ),
    sites: [],
    viewEvery: views && Math.floor(DAY / views),
    isolate: newIsolate(),
    newIsolate,
  }
  const receiver = await startReceiver()
  // The hourly sweep has a minute of its own.
  await simulate(world, HOUR / 4, { writes: false })
  for (let n = 0; n < sites; n++) {
    world.sites.push(await makeSite(world.manage, receiver))
    // They are polled at different minutes of the hour, and so are their keys looked up.
    await simulate(world, Math.floor(HOUR / sites), { writes: false })
  }
  await simulate(world, -world.step, { writes: false })
  world.meter.take()
  await simulate(world, DAY, { writes: true })
  const busy = world.meter.take()
  await simulate(world, DAY, { writes: false })
  return { busy, idle: world.meter.take() }
}

async function simulate(world: World, steps: number, { writes }: { writes: boolean }) {
  const { meter, viewEvery } = world
  for (const end = world.step + steps; world.step < end; world.step++) {
    const { step } = world
    mock.timers.setTime(START + step * STEP_MS)
    if (step % ISOLATE_EVERY === 0) world.isolate = world.newIsolate()
    if (step % MINUTE === 0) await meter.count('cron', () => world.isolate.cron())
    const write = (step - FIRST_WRITE) / WRITE_EVERY
    if (writes && Number.isInteger(write) && write >= 0 && write < WRITES) await writeTo(world, write)
    for (let at = (step + DAY) % POLL_EVERY; at < world.sites.length; at += POLL_EVERY) {
      await meter.count('polls', () => poll(world.isolate, world.sites[at]!))
    }
    if (viewEvery > 0 && step >= 0 && step % viewEvery === 0) {
      const path = `/posts/post-${(step / viewEvery) % POSTS}`
      for (const site of world.sites) {
        await meter.count('views', () => read(world.isolate, { ...site, etag: '"none"' }, path, 200))
      }
    }
  }
}

/** The first and every fifth write is an edit, the others mark a draft ready: of one site after the other. */
async function writeTo({ meter, manage, isolate, sites }: World, number: number) {
  const site = sites[number % sites.length]!
  const draft = `draft-${number}`
  site.changed = true
  if (number % 5 === 0) {
    const edited = article(`Edition ${number}`)
    await meter.count('writes', () =>
      manage('PUT /sites/{siteId}/posts/{slug}', [site.id, 'post'], { body: edited }),
    )
    return
  }
  await meter.count('writes', () => manage('PUT /sites/{siteId}/posts/{slug}/readiness', [site.id, draft]))
  const messages = await meter.count('events', () => isolate.drain())
  if (messages !== 1) throw new Error(`${messages} messages for one event`)
  await meter.count('fetches', () => read(isolate, site, `/posts/${draft}`, 200))
}

/** Revalidates the list, which is new only after a write. */
async function poll(isolate: Isolate, site: Site) {
  const response = await read(isolate, site, '/posts', site.changed ? 200 : 304)
  site.etag = response.headers.get('etag')!
  site.changed = false
}

async function read(isolate: Isolate, { id, key, etag }: Site, below: string, status: number) {
  const headers = { authorization: `Bearer ${key}`, 'if-none-match': etag }
  const response = await isolate.fetch(`${ORIGIN}/api/v1/sites/${id}${below}`, { headers })
  await response.text()
  if (response.status !== status) throw new Error(`${below}: ${response.status} instead of ${status}`)
  return response
}

async function makeSite(manage: Api, receiver: string): Promise<Site> {
  const fields = { name: 'Bench', domain: 'bench.example.com' }
  const { id } = await manage('POST /sites', [], { body: fields })
  const { key } = await manage('POST /sites/{siteId}/keys', [id], { body: { name: 'bench' } })
  await manage('PUT /sites/{siteId}/webhook', [id], { body: { url: receiver } })
  await manage('PUT /sites/{siteId}/posts/{slug}', [id, 'post'], { body: article('First') })
  const drafts = Array.from({ length: WRITES }, (_, number) => {
    return { ...article('Draft'), slug: `draft-${number}`, status: 'draft', trustScore: 91 }
  })
  const posts = Array.from({ length: POSTS }, (_, number) => ({ ...article('Post'), slug: `post-${number}` }))
  await manage('PUT /sites/{siteId}/posts', [id], { body: { posts: [...drafts, ...posts] } })
  return { id, key, etag: '"none"', changed: true }
}

const article = (title: string) => ({ title, contentHtml: '<p>Some words.</p>', status: 'published' })

/** Takes every webhook. */
async function startReceiver(): Promise<string> {
  const { url } = await startHttpServer((request, response) =>
    request.resume().on('end', () => response.end()),
  )
  return `${url}/hook`
}

const [folder = '', sites = '', views = ''] = process.argv.slice(2)
process.send!(await simulateDays(folder, Number(sites), Number(views)), () => process.exit())
