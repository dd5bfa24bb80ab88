import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCountingReceiver } from '../../support/counting-receiver.ts'
import { type Service, startService, type WorkerService } from '../../support/service.ts'

let service: Service
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>

beforeAll(async () => {
  service = await startService()
  receiver = await startCountingReceiver((_, response) => response.writeHead(204).end())
})

afterAll(async () => {
  receiver?.close()
  await service?.stop()
})

it('2. and 4. while it is paused, writes succeed and events wait; after a purge the sweep sends each once', async () => {
  const paused = await service.startAnother({ isPaused: true })
  const site = await paused.makeSite()
  await paused.manage('PUT', `${site.path}/webhook`, { url: receiver.url, events: ['post.published'] })
  const post = { title: 'A', contentHtml: '<p>Words.</p>', status: 'published' }
  await paused.manage('PUT', `${site.path}/posts/a`, post)
  const eventIds = await idsOf(paused, site.path)
  expect(eventIds).toHaveLength(1)

  await makeOlder(site.id, '11 minutes')
  // The sweep enqueues it again, which doesn't help.
  await paused.cron()
  await makeOlder(site.id, '11 minutes')
  expect(await paused.health()).toMatchObject({ status: 503, queue: 'failing' })
  expect(receiver.posts.size).toBe(0)

  // Its messages are gone with it.
  await paused.stop()
  await service.cron()
  for (const id of eventIds) await expect.poll(() => receiver.posts.get(id)).toBe(1)
  await makeOlder(site.id, '11 minutes')
  await service.cron()
  const { items } = await service.manage<{ items: { status: number }[] }>('GET', `${site.path}/deliveries`)
  expect(items).toMatchObject([{ status: 204 }])
  expect([...receiver.posts.values()]).toEqual([1])
  expect(await service.health()).toMatchObject({ status: 200, queue: 'ok' })
})

it('2. the sweep continues an import whose message was purged', async () => {
  const site = await service.makeSite()
  await service.sql(`insert into imports (site_id, name, source, options, phase, address, started_by, turned_at)
    values ('${site.id}', 'posts.zip', 'markdown', '{}', 'importing', '-', 'ada', now() - interval '1 hour')`)
  await service.manage('POST', '/sweep')
  // Its file has no posts.
  const phase = async () => (await service.sql(`select phase from imports where site_id = '${site.id}'`)).rows
  await expect.poll(phase).toEqual([{ phase: 'ended' }])
})

async function idsOf(worker: WorkerService, path: string): Promise<string[]> {
  const { items } = await worker.manage<{ items: { id: string }[] }>('GET', `${path}/events`)
  return items.map(({ id }) => id)
}

/** As if that time had passed. */
const makeOlder = (siteId: string, time: string) =>
  service.sql(`update webhook_events set created_at = now() - interval '${time}',
    claimed_at = claimed_at - interval '${time}' where site_id = '${siteId}'`)
