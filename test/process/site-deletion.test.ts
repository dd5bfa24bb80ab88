import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fill } from '../bench/scale/fill.ts'
import { type Service, startService, type WorkerService } from '../support/service.ts'

/** More than one batch. */
const POSTS = 6_000
const CONTENT = [
  'posts',
  'post_titles',
  'post_counts',
  'training_rows',
  'webhook_events',
  'webhook_deliveries',
  'redirects',
]

let service: Service
let other: WorkerService

beforeAll(async () => {
  service = await startService()
  other = await service.startAnother()
})

afterAll(() => service?.stop())

/** Seven of eight posts are translations, and each has a training row, an event with a delivery, and an old slug. */
async function largeSite(posts: number) {
  const site = await service.makeSite()
  await fill(service.database!, site.id, posts)
  await service.sql(`insert into training_rows (site_id, prompt, completion, post_id)
    select site_id, title, content_html, id from posts where site_id = '${site.id}'`)
  await service.sql(`insert into webhook_events (site_id, endpoint_id, event, payload, state)
    select site_id, site_id, 'webhook.test', '{}', 'delivered' from posts where site_id = '${site.id}'`)
  await service.sql(`insert into webhook_deliveries (event_id, site_id, url, status)
    select id, site_id, 'https://hooks.example.org', 200 from webhook_events where site_id = '${site.id}'`)
  await service.sql(`insert into redirects (site_id, resource, slug, target)
    select site_id, 'address', '/old/' || slug, '/new' from posts where site_id = '${site.id}'`)
  const read = async () => {
    const headers = { Authorization: `Bearer ${site.key}` }
    const response = await fetch(`${other.origin}/api/v1${site.path}/changes?limit=1`, { headers })
    await response.body?.cancel()
    return response.status
  }
  const remove = (worker: WorkerService) =>
    fetch(`${worker.origin}/manage/v1${site.path}?confirm=Test`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${worker.operatorToken}` },
    })
  const left = async (tables = CONTENT) => {
    const counts = tables.map((table) => `(select count(*) from ${table} where site_id = '${site.id}')`)
    const { rows } = await service.sql(`select ${counts.join(' + ')} as left`)
    return Number(rows[0]!.left)
  }
  return { ...site, read, remove, left }
}

describe('a large site', () => {
  it('is deleted by one request and then the queue, and its feed is refused from the start', async () => {
    const site = await largeSite(POSTS)
    expect(await site.read()).toBe(200)
    const removed = site.remove(service)
    await expect.poll(site.read).toBe(401)
    expect(await site.left()).toBeGreaterThan(0)
    const seen = new Set<number>()
    const polling = (async () => {
      for (
        let done = false;
        !done;
        done = await Promise.race([removed.then(() => true), sleep(100, false)])
      ) {
        seen.add(await site.read())
      }
    })()
    expect((await removed).status).toBeOneOf([202, 204])
    await polling
    await expect.poll(() => site.left()).toBe(0)
    expect([...seen]).toEqual([401])
  })
})

describe('a Worker that is killed while it deletes a site', () => {
  it('leaves a site that nobody can read, and the cron deletes the rest', async () => {
    const site = await largeSite(POSTS)
    expect(await site.read()).toBe(200)
    const whole = await site.left()
    const removed = site.remove(service).catch(() => null)
    await expect.poll(() => site.left(), { interval: 20 }).toBeLessThan(whole)
    await service.crash()
    expect(await removed).toBeNull()
    expect([await site.read(), (await site.left()) > 0]).toEqual([401, true])
    // The site still exists, so no foreign key has deleted them.
    expect(await site.left(['redirects'])).toBeLessThan(POSTS)
    await service.sql(
      `update sites set deletion_started_at = now() - interval '1 minute' where id = '${site.id}'`,
    )
    await service.cron()
    await expect.poll(() => site.left()).toBe(0)
    const shown = async () => (await service.ask('GET', site.path)).status
    await expect.poll(shown).toBe(404)
    expect((await site.remove(service)).status).toBe(404)
    expect(await site.read()).toBe(401)
  })
})
