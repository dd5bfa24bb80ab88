/** The report of a write when the database does not answer in time, and the delay of concurrent reads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../support/databases.ts'
import { decode } from '../support/html.ts'
import { type Service, startService } from '../support/service.ts'
import { eventually } from '../support/webhook.ts'

let service: Service
let site: Awaited<ReturnType<Service['makeSite']>>

beforeAll(async () => {
  service = await startService({ timeoutFactor: 1 })
  site = await service.makeSite()
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

describe('a read, when the database', () => {
  it('hangs, is 500 within 5 s in the management API, and 503 with a retry link in the console', async () => {
    await service.postgres.become('silent')
    const started = Date.now()
    const timed = async (asked: Promise<Response>) =>
      [(await asked).status, Date.now() - started, await (await asked).text()] as const
    const answers = await Promise.all([
      timed(service.ask('GET', site.path)),
      timed(service.ask('HEAD', `${site.path}/posts`)),
      timed(service.getPage(`/console/sites/${site.id}/content?search=a`)),
    ])
    await service.postgres.become('sound')
    expect(answers.map(([status]) => status)).toEqual([500, 500, 503])
    expect(Math.max(...answers.map(([, durationMs]) => durationMs))).toBeLessThan(8_000)
    const [, , page] = answers[2]
    expect(page).toContain('The console is unavailable')
    expect(page).toContain(`href="/console/sites/${site.id}/content?search=a"`)
    expect(page).not.toContain('All sites')
  })
})

describe('a write, when the database', () => {
  it('hangs, is reported as not saved, and keeps the form of the console', async () => {
    await service.postgres.become('silent')
    const [api, page] = await Promise.all([put('a'), rename()])
    await service.postgres.become('sound')
    await expectError(api, 'no')
    const text = await page.text()
    expect([page.status, page.headers.get('Retry-After')]).toEqual([503, '10'])
    expect(text).toContain('The database is not responding')
    expect(text).toContain('Nothing was saved.')
    expect(text).toContain('name="name" value="A new name"')
    expect(text).toContain(`action="/console/sites/${site.id}/settings"`)
    expect((await service.ask('GET', `${site.path}/posts/a`)).status).toBe(404)
  })

  it('is cut off, keeps every form as it was typed, with the labels of its page and without secrets', async () => {
    const below = `/console/sites/${site.id}`
    const html = `<p>"Köln" & 語</p>\n`.repeat(8_000)
    const forms: [path: string, fields: string][] = [
      ['/console/sites', 'name=N&domain=a.example.com'],
      ['/console/people', 'name=Ada&role=editor&token=on'],
      [`${below}/keys`, `id=${crypto.randomUUID()}&name=CMS&expiresAt=2030-01-31`],
      [`${below}/content/redirects/new`, 'from=/a&to=/b'],
      [`${below}/content/posts/a/edit`, 'slug=b'],
      [`${below}/content/posts/a/publication`, 'status=published'],
      [`${below}/content/selection?page=2`, 'change=publish&slug=a&slug=b'],
      [`${below}/integrations/webhook`, 'url=https://a.example/&post.updated=on&opened={}'],
      [`${below}/integrations/signature-check`, `secret=whsec_canary&body=${encodeURIComponent(html)}`],
    ]
    await service.postgres.become('cut')
    const pages = await Promise.all(
      forms.map(async ([path, fields]) => {
        const response = await service.postForm(path, new URLSearchParams(fields))
        return { status: response.status, text: await response.text() }
      }),
    )
    const token = service.operatorToken
    const signingIn = await fetch(`${service.origin}/console/sign-in?kept=1&next=/console/people`, {
      method: 'POST',
      headers: { Origin: service.origin },
      body: new URLSearchParams({ token, 'kept.name': 'Ada' }),
    })
    await service.postgres.become('sound')
    const signInPage = await signingIn.text()
    expect([signingIn.status, signInPage.includes('name="kept.name" value="Ada"')]).toEqual([503, true])
    expect(signInPage).not.toContain(token)
    for (const [i, { status, text }] of pages.entries()) {
      const [path, query] = forms[i]!
      const fields = [...new URLSearchParams(query)]
      expect([path, status]).toEqual([path, 503])
      expect(text).toContain(`action="${path}"`)
      const hidden = [
        ...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)" autocomplete="off"/g),
      ]
      const kept = hidden.map(([, name, value]) => [decode(name!), decode(value!)])
      expect([path, kept]).toEqual([path, fields.filter(([name]) => name !== 'secret')])
      expect(text).not.toContain('canary')
    }
    expect(pages[2]!.text).toContain('<dt>Expires</dt>')
  })

  it('keeps it waiting for a lock too long, is reported as possibly saved', async () => {
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

  it('answers, has no such report', async () => {
    const response = await put('c')
    expect([response.status, response.headers.get('X-Committed')]).toEqual([201, null])
    const read = await service.ask('GET', `${site.path}/posts/c`)
    expect([read.status, read.headers.get('X-Committed')]).toEqual([200, null])
  })
})
