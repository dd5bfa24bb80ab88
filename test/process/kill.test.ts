import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { randomFrom } from '../support/random.ts'
import { type Service, startService } from '../support/service.ts'

const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
/** The embedded stack shows that the test runs; real servers show that the promise holds. */
const [DRAFTS, KILLS] = inject('server') ? [1_000, 6] : [200, 2]
const CLIENTS = 8
const LONGEST_POST_MS = 800

const random = randomFrom(SEED)
let service: Service
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>

beforeAll(async () => {
  service = await startService()
  receiver = await startCountingReceiver(async (_, response) => {
    await sleep(random() < 0.2 ? LONGEST_POST_MS * random() : 40 * random())
    response.writeHead(random() < 0.1 ? 500 : 204).end()
  })
})

afterAll(async () => {
  receiver.close()
  await service.stop()
})

it(`of ${DRAFTS} events of a Worker that is killed ${KILLS} times, each ends on the log and none is POSTed twice (seed ${SEED})`, async () => {
  const { path } = await service.makeSite()
  await service.manage('PUT', `${path}/webhook`, { url: receiver.url })
  const slugs = Array.from({ length: DRAFTS }, (_, i) => `draft-${i}`)
  for (let at = 0; at < DRAFTS; at += 100) {
    const posts = slugs
      .slice(at, at + 100)
      .map((slug) => ({ slug, title: slug, contentHtml: '<p>Words.</p>', qualityBand: 'standard' }))
    await service.manage('PUT', `${path}/posts`, { posts })
  }

  await Promise.all([markAllReady(path, slugs), killNowAndThen()])
  await untilSettled()

  const { rows } = await service.sql(`
    select e.id, e.state, count(d.id)::int as deliveries, min(d.error) as error, min(d.status) as status
    from webhook_events e left join webhook_deliveries d on d.event_id = e.id group by e.id`)
  const events = rows as {
    id: string
    state: string
    deliveries: number
    error: string | null
    status: number
  }[]
  const counts: Record<string, number> = {}
  for (const { id, state, error } of events) {
    const outcome = `${state}${error ? `, ${error}` : ''}, arrived ${receiver.posts.get(id) ?? 0}`
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  console.info(`kill test, seed ${SEED}:`, counts)

  expect(events).toHaveLength(DRAFTS)
  expect(events.filter(({ deliveries }) => deliveries !== 1)).toEqual([])
  expect([...receiver.posts.values()].filter((times) => times > 1)).toEqual([])
  for (const { id, state, error } of events) {
    const arrived = receiver.posts.get(id) ?? 0
    if (state === 'delivered') expect([error, arrived]).toEqual([null, 1])
    else if (error === 'http_status') expect([state, arrived]).toEqual(['failed', 1])
    else expect([state, error]).toEqual(['failed', 'interrupted'])
  }
})

async function markAllReady(path: string, slugs: string[]) {
  const waiting = [...slugs]
  const client = async () => {
    for (let slug = waiting.shift(); slug; slug = waiting.shift()) {
      await untilDone(() => service.manage('PUT', `${path}/posts/${slug}/readiness`))
      await sleep(40 * random())
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

/** The Worker may be dead just now: what was asked is asked again. */
async function untilDone(ask: () => Promise<unknown>) {
  for (;;) {
    try {
      return await ask()
    } catch {
      await sleep(100)
    }
  }
}

async function killNowAndThen() {
  for (let killed = 0; killed < KILLS; killed++) {
    await sleep(300 + 1_200 * random())
    await service.crash()
  }
}

/** Runs the cron until no event is open. The minutes that it waits for pass in the database. */
async function untilSettled() {
  for (;;) {
    await sleep(LONGEST_POST_MS)
    const { rows } = await service.sql(`
      update webhook_events set created_at = created_at - interval '2 minutes', claimed_at = claimed_at - interval '2 minutes'
      where state in ('pending', 'sending') returning id`)
    if (rows.length === 0) return
    await service.cron()
    for (let waited = 0; waited < 100; waited++) {
      await sleep(100)
      const open = await service.sql(`select from webhook_events where state in ('pending', 'sending')`)
      if (open.rows.length === 0) return
    }
  }
}
