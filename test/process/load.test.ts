import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { depthOf } from '../support/depth.ts'
import { type Service, startService } from '../support/service.ts'

const CLIENTS = 100
const SECONDS = depthOf('load')
const LATENCY_MS = 20
/** Clients start in sequence and pause between requests: the test is of the service, and not of this process. */
const RAMP_MS = 30
const PAUSE_MS = 250
const POSTS = 500

let service: Service
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>

beforeAll(async () => {
  service = await startService({ latencyMs: LATENCY_MS })
  receiver = await startCountingReceiver((_, response) => response.writeHead(204).end())
})

afterAll(async () => {
  receiver.close()
  await service.stop()
})

it(`${CLIENTS} concurrent clients get only documented answers for ${SECONDS} s`, async () => {
  const questions = await prepareQuestions()
  const { wrong, ...seen } = await load(questions)
  console.info(`load for ${SECONDS} s:`, seen)
  expect(wrong).toEqual([])
})

async function load(questions: Question[]) {
  const counts: Record<string, number> = {}
  const wrong: unknown[] = []
  const end = performance.now() + SECONDS * 1_000
  async function client(number: number) {
    await sleep(number * RAMP_MS)
    for (let i = number; performance.now() < end; i++) {
      const { kind, expected, ask } = questions[i % questions.length]!
      const response = await ask(i)
      const body = await response.text()
      const name = `${kind} ${response.status}`
      counts[name] = (counts[name] ?? 0) + 1
      if (!expected.includes(response.status)) wrong.push({ kind, status: response.status, body })
      await sleep(PAUSE_MS)
    }
  }
  const mebibytes: number[] = []
  async function watch() {
    for (; performance.now() < end; await sleep(10_000)) mebibytes.push(memoryOf(service.pid()))
  }
  await Promise.all([...Array.from({ length: CLIENTS }, (_, i) => client(i)), watch()])
  return { wrong, counts, mebibytes }
}

type Question = { kind: string; expected: number[]; ask: (i: number) => Promise<Response> }

async function prepareQuestions(): Promise<Question[]> {
  const site = await service.makeSite({ trainingOptIn: true })
  const slugs = Array.from({ length: POSTS }, (_, i) => `post-${i}`)
  const article = (slug: string, title: string) => ({
    slug,
    title,
    contentHtml: `<p>${'Some words to read. '.repeat(100)}</p>`,
    status: 'published',
  })
  for (let at = 0; at < POSTS; at += 100) {
    const posts = slugs.slice(at, at + 100).map((slug) => article(slug, `About ${slug}`))
    await service.manage('PUT', `${site.path}/posts`, { posts })
  }
  await service.manage('PUT', `${site.path}/guides/guide`, article('guide', 'A guide'))
  await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url })
  const still = await service.makeSite()
  const call = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
    fetch(service.origin + path, { ...init, headers })
  const read = (below: string, headers: Record<string, string> = {}) =>
    call(`/api/v1${site.path}${below}`, { Authorization: `Bearer ${site.key}`, ...headers })
  const known = (await call(`/api/v1${still.path}/posts`, { Authorization: `Bearer ${still.key}` })).headers
  const slugOf = (i: number) => slugs[(i * 7) % POSTS]!
  return [
    { kind: 'list', expected: [200], ask: () => read('/posts') },
    { kind: 'page', expected: [200], ask: (i) => read(`/posts?page=${1 + (i % 10)}&pageSize=50`) },
    { kind: 'post', expected: [200], ask: (i) => read(`/posts/${slugOf(i)}`) },
    {
      kind: 'unchanged list',
      expected: [304],
      ask: () =>
        call(`/api/v1${still.path}/posts`, {
          Authorization: `Bearer ${still.key}`,
          'If-None-Match': known.get('ETag')!,
        }),
    },
    { kind: 'search', expected: [200], ask: (i) => read(`/posts?search=about%20post-${i % 100}`) },
    { kind: 'guide', expected: [200], ask: () => read('/guides/guide') },
    { kind: 'missing post', expected: [404], ask: () => read('/posts/none') },
    { kind: 'sitemap', expected: [200], ask: () => read('/sitemap.xml') },
    { kind: 'changes', expected: [200], ask: () => read('/changes?limit=20&include=content') },
    { kind: 'export', expected: [200], ask: () => read('/training/export') },
    { kind: 'bad query', expected: [400], ask: () => read('/posts?page=0') },
    { kind: 'no key', expected: [401], ask: () => call(`/api/v1${site.path}/posts`, {}) },
    {
      kind: 'put',
      expected: [200],
      ask: (i) => service.ask('PUT', `${site.path}/posts/${slugOf(i)}`, article(slugOf(i), `Edition ${i}`)),
    },
    {
      kind: 'test event',
      expected: [200, 429],
      ask: () => call('/api/v1/webhooks/test', { Authorization: `Bearer ${site.key}` }, { method: 'POST' }),
    },
  ]
}

/** Resident MiB of the Worker's runtime. The other process of the group is its parent. */
function memoryOf(group: number): number {
  const processes = execFileSync('ps', ['-A', '-o', 'pgid=,rss=,args='], { encoding: 'utf8' }).split('\n')
  const runtime = processes
    .map((line) => line.trim().split(/\s+/))
    .find(([pgid, , ...args]) => Number(pgid) === group && args.includes('serve'))
  return Math.round(Number(runtime![1]) / 1_024)
}
