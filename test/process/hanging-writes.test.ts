/** What a write is told that the database does not answer in time, and how long the reads beside it wait. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../support/databases.ts'
import { type Service, startService } from '../support/service.ts'
import { eventually } from '../support/webhook.ts'

let service: Service
let site: Awaited<ReturnType<Service['makeSite']>>

beforeAll(async () => {
  service = await startService({ pace: 1 })
  site = await service.makeSite()
  // Signs in.
  await service.post('/console/sites', new URLSearchParams())
})

afterAll(() => service?.stop())

const POST = { title: 'A', contentHtml: '<p>Words.</p>' }
const put = (slug: string) => service.ask('PUT', `${site.path}/posts/${slug}`, POST)
const rename = () =>
  service.postForm(
    `/console/sites/${site.id}/settings`,
    new URLSearchParams({ name: 'A new name', domain: 'site.example.com' }),
  )

async function expectError(response: Response, committed: string) {
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ error: 'Internal error' })
  expect(response.headers.get('X-Committed')).toBe(committed)
}

describe('a read while the database', () => {
  it('hangs is 500 within 5 s, at the management API and in the console', async () => {
    await service.postgres.become('silent')
    const started = Date.now()
    const timed = async (asked: Promise<Response>) => [(await asked).status, Date.now() - started]
    const answers = await Promise.all([
      timed(service.ask('GET', site.path)),
      timed(service.ask('HEAD', `${site.path}/posts`)),
      timed(service.getPage(`/console/sites/${site.id}/posts`)),
    ])
    await service.postgres.become('sound')
    expect(answers.map(([status]) => status)).toEqual([500, 500, 500])
    expect(Math.max(...answers.map(([, durationMs]) => durationMs!))).toBeLessThan(5_000)
  })
})

describe('a write while the database', () => {
  it('hangs is told that nothing was saved, and keeps the form of the console', async () => {
    await service.postgres.become('silent')
    const [api, page] = await Promise.all([put('a'), rename()])
    await service.postgres.become('sound')
    await expectError(api, 'no')
    const text = await page.text()
    expect(page.status).toBe(500)
    expect(text).toContain('The database did not answer')
    expect(text).toContain('Nothing was saved: send it again.')
    expect(text).toContain('name="name" value="A new name"')
    expect(text).toContain(`action="/console/sites/${site.id}/settings"`)
    expect((await service.ask('GET', `${site.path}/posts/a`)).status).toBe(404)
  })

  it('lets it wait too long for its turn is told that it may have been saved', async () => {
    const lock = `begin; select lock_site('${site.id}'); select pg_sleep(25); commit`
    const held = query(service.database!, lock)
    await eventually(async () => {
      const { rows } = await service.sql(
        `select from pg_locks l join pg_database d on d.oid = l.database
          where l.locktype = 'advisory' and l.granted and d.datname = current_database()
            and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('${site.id}', 0)`,
      )
      return rows.length > 0 ? true : null
    })
    await expectError(await put('b'), 'unknown')
    await held
  })

  it('answers is told nothing of it', async () => {
    const response = await put('c')
    expect([response.status, response.headers.get('X-Committed')]).toEqual([201, null])
    const read = await service.ask('GET', `${site.path}/posts/c`)
    expect([read.status, read.headers.get('X-Committed')]).toEqual([200, null])
  })
})
