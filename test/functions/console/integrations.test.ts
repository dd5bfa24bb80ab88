import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { stopAtMinute } from '../../support/clock.ts'
import {
  browse,
  cookieOf,
  errorBeside,
  filledIn,
  formIn,
  openedIn,
  trySignIn,
  wordsOf,
} from '../../support/console.ts'
import { call, makeSite, manage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { addWebhook, deliveries, received, setWebhook } from '../../support/webhook.ts'

const SECRET = /whsec_[A-Za-z0-9+/]{43}=/

async function withWebhook(script?: string) {
  const site = await makeSite()
  const secret = script ? await setWebhook(site, script) : ''
  return { site, secret, ...(await browse(site, '/integrations')) }
}

describe('without a webhook', () => {
  it('the page links to adding one and has the snippets, and a test is not sent', async () => {
    const { at, open, read, submit } = await withWebhook()
    expect(await read()).toMatch(/No webhook yet .* Add webhook/)
    const { text } = await open()
    expect(text).not.toContain('Send test event')
    const code = (await open('/signature-check')).text
    for (const name of ['Node', 'Python', 'PHP', 'Go', 'Ruby'])
      expect(code).toContain(`<summary>${name}</summary>`)
    expect(await submit('/tests')).toMatchObject({ status: 303, location: at() })
    for (const form of ['/secret-rotations', '/removal'])
      expect((await submit(`/webhook${form}?since=${new Date().toISOString()}`)).status).toBe(404)
    expect(await read('/signature-check')).toMatch(/No webhook yet .* Code that verifies/)
  })
})

it('a site whose only webhook was added as a further one is not told that it has none', async () => {
  const { site, read } = await withWebhook()
  await addWebhook(site, 'ok')
  expect(await read()).toMatch(/Add webhook (?!.*No webhook yet)/)
})

describe('events and further webhooks', () => {
  it('are selected by checkboxes, added with a secret, tested, changed, rotated and removed', async () => {
    const { site, open, read, submit } = await withWebhook('ok/first')
    const { url } = await site.manage('GET', '/webhook')
    expect(filledIn('url', await open('/webhook'))).toBe(url)
    const saved = await submit('/webhook', { url, 'post.updated': 'on' })
    expect(saved.words).toContain('Webhook saved')
    expect(saved.page.text).not.toMatch(SECRET)
    expect(await site.manage('GET', '/webhook')).toMatchObject({ events: ['post.updated'] })
    expect(await read(`/webhooks/${site.id}`)).toContain('article.ready, post.updated')

    const further = { new: '1', url: url.replace('ok/first', 'status/500'), 'post.deleted': 'on' }
    const added = await submit('/webhooks', further)
    expect([added.status, SECRET.test(added.text)]).toEqual([201, true])
    const { items } = await site.manage('GET', '/webhooks')
    const page = `/webhooks/${items[1]!.id}`
    expect((await submit(`${page}/tests`)).words).toMatch(/HTTP 500 in \d+ ms\./)
    await submit(page, { url: url.replace('first', 'second') })
    expect((await submit(`${page}/tests`)).words).toMatch(/Delivered in \d+ ms\./)
    expect((await received(site)).at(-1)!.path).toContain('second')
    const rotated = await submit(await rotationIn(open, page))
    expect(SECRET.exec(rotated.text)![0]).not.toBe(SECRET.exec(added.text)![0])
    await submit(`${page}/removal`)
    expect((await open(page)).status).toBe(404)
    expect(await site.manage('GET', '/webhooks')).toMatchObject({ items: [{ id: site.id, url }] })
  })
})

describe('a site with several webhooks', () => {
  async function withTwo() {
    const { site, ...pages } = await withWebhook('ok/first')
    const { id } = await addWebhook(site, 'ok/second')
    return { site, id, ...pages }
  }

  it('has a row for each, with the share delivered in 7 days and the last failure', async () => {
    const { site, id, open, read, submit } = await withTwo()
    await site.manage('PATCH', `/webhooks/${id}`, { name: 'Search' })
    expect(await read()).not.toContain('Failing')
    for (const script of ['ok', 'ok', 'status/500', 'ok']) {
      const { url } = await site.manage('GET', '/webhook')
      await site.manage('PATCH', `/webhooks/${id}`, { url: url.replace('ok/first', script) })
      await submit(`/webhooks/${id}/tests`)
    }
    await runSql(
      `insert into webhook_events (site_id, endpoint_id, event, payload, state, created_at)
       values ($1, $1, 'webhook.test', '{}', 'delivered', now() - interval '8 days')`,
      [site.id],
    )
    const { text } = await open()
    const [, first, second] = text.split('<tr role="row">').slice(1)
    expect(wordsOf({ text: first! })).toMatch(/ Nothing yet 1 of 5$/)
    expect(wordsOf({ text: second! })).toMatch(/^Search 127\.0\.0\.1:\d+\/\S+ 75% \d+ \w+ .* UTC 1 of 5$/)
    expect(second).toMatch(
      /role="img" aria-label="Deliveries per day: .* 0 delivered, 0 failed; .* 3 delivered, 1 failed"/,
    )
    expect(second).not.toContain('style=')
    expect(await read(`/webhooks/${id}`)).toMatch(
      /Search Send test event .* 75% delivered in 7 days · last failure .* URL .* Recent deliveries/,
    )
  })

  it('marks one as failing after three failures in a row, until a delivery', async () => {
    const { site, id, open, read, submit } = await withTwo()
    const states = async () => {
      const { text } = await open()
      return text
        .split('<tr role="row">')
        .slice(2)
        .map((row) => row.includes('Failing'))
    }
    const failing = async (count: number) => {
      await runSql(
        `insert into webhook_streaks (endpoint_id, site_id, failures)
         select id, site_id, $2 from webhook_endpoints where id = $1
         on conflict (endpoint_id) do update set failures = $2`,
        [id, count],
      )
      return states()
    }
    expect(await failing(2)).toEqual([false, false])
    expect(await failing(3)).toEqual([false, true])
    expect(await read(`/webhooks/${id}`)).toMatch(
      /Failing since \d+ \w+ 20\d\d, \S+ UTC \. 3 attempts in a row failed\. Open a delivery to see why, fix the receiver, then resend\. Resend failed/,
    )
    const { id: viewer } = await manage('POST', '/operators', { name: crypto.randomUUID(), role: 'viewer' })
    const { token } = await manage('POST', `/operators/${viewer}/tokens`, {})
    const seen = await open(`/webhooks/${id}`, { cookie: cookieOf(await trySignIn(token)) })
    expect(wordsOf(seen)).toMatch(/Open a delivery to see why\. (?!.*Resend failed)/)
    await submit(`/webhooks/${id}/tests`)
    expect(await states()).toEqual([false, false])
    await failing(3)
    // A test that fails shows its own notice only.
    const { url } = await site.manage('GET', '/webhook')
    await site.manage('PATCH', `/webhooks/${id}`, { url: url.replace('ok/first', 'status/500') })
    expect((await submit(`/webhooks/${id}/tests`)).words).toMatch(/HTTP 500 in \d+ ms\.(?!.*Failing since)/)
  })

  it('gets its first webhook again by adding one, which the limit of further ones leaves room for', async () => {
    const { open, submit } = await withTwo()
    const pathOfAdd = async () => /integrations\/(\w+)">Add webhook/.exec((await open()).text)?.[1]
    expect(await pathOfAdd()).toBe('webhooks')
    await submit('/webhook/removal')
    expect(await pathOfAdd()).toBe('webhook')
  })

  it('names them: by name, or by host, and equal names by the path, too', async () => {
    const { site, id, open, read, submit } = await withTwo()
    const { host, pathname } = new URL((await site.manage('GET', '/webhook')).url)
    expect(await read()).toContain(`${host}${pathname}`)
    const page = `/webhooks/${id}`
    const opened = openedIn(await open(`${page}/edit`))
    expect(errorBeside('url', await submit(page, { url: 'cms.example.org', opened }))).toBe(
      'Enter a full URL, such as https://cms.example.org/hooks.',
    )
    const { url } = (await site.manage('GET', '/webhooks')).items[1]!
    const saved = await submit(page, { url, name: ' Search \u200b', opened })
    expect([saved.status, errorBeside('name', saved)]).toEqual([
      400,
      'Name must not contain invisible characters.',
    ])
    expect((await submit(page, { url, name: ' Search ', opened })).words).toMatch(/Webhook saved\. .* URL/)
    expect(await site.manage('GET', '/webhooks')).toMatchObject({
      items: [{ name: host }, { name: 'Search' }],
    })
    expect(filledIn('name', await open(`${page}/edit`))).toBe('Search')
    await submit(`${page}/tests`)
    const log = await read('/deliveries')
    expect(log).toMatch(/Test event webhook\.test Search (Delivered|Failed)/)
    expect(log).not.toContain(pathname)
    const [delivery] = await deliveries(site)
    expect(await read(`/deliveries/${delivery!.id}`)).toContain('Webhook Search URL')
    const cleared = { url, name: '', opened: openedIn(await open(`${page}/edit`)) }
    await submit(page, cleared)
    expect(await site.manage('GET', '/webhooks')).toMatchObject({ items: [{}, { name: host }] })
  })

  it('has a page for each, also the first, and none for a webhook of another site', async () => {
    const { site, id, read, open } = await withTwo()
    expect(await read(`/webhooks/${id}`)).toContain('ok/second')
    expect(await read(`/webhooks/${site.id}`)).toContain('ok/first')
    const other = await withTwo()
    expect((await open(`/webhooks/${other.id}`)).status).toBe(404)
  })
})

/** The path of the form that rotates the secret of a webhook. */
const rotationIn = async (open: (path: string) => Promise<{ text: string }>, webhook = '/webhook') =>
  formIn(await open(`${webhook}/secret-rotations`), '/secret-rotations').action

describe('the secret', () => {
  it('verifies deliveries, and after a confirmed rotation both the new and the previous one do', async () => {
    const { site, secret, open, read, submit } = await withWebhook('ok')
    const question = await read('/webhook/secret-rotations')
    expect(question).toContain('carries both signatures for 24 hours')
    expect(question).toContain('X-Service-Signature uses the new secret immediately')
    const answer = await submit(await rotationIn(open))
    expect(answer.status).toBe(201)
    const next = SECRET.exec(answer.text)![0]
    expect(next).not.toBe(secret)
    expect(await read(`/webhooks/${site.id}`)).toMatch(/Rotated .* The previous secret is valid until /)
    expect((await open()).text).not.toMatch(SECRET)
    await submit('/tests')
    const [test] = await received(site)
    for (const each of [secret, next])
      expect(new Webhook(each).verify(test!.body, test!.headers)).toBeTruthy()
    expect(await read('/webhook/secret-rotations')).toContain('stops working immediately')
  })

  it('is rotated once when the button is pressed twice', async () => {
    const { open, submit } = await withWebhook('ok')
    const action = await rotationIn(open)
    const answers = await Promise.all([submit(action), submit(action)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(answers.find(({ status }) => status === 409)!.words).toContain(
      'If you have not seen the new secret',
    )
  })
})

it('a removed webhook keeps its log', async () => {
  const { read, submit } = await withWebhook('ok')
  await submit('/tests')
  expect((await submit('/webhook/removal')).words).toContain('No webhook yet')
  expect(await read('/deliveries')).toMatch(/Test event webhook\.test/)
})

describe('a test', () => {
  it('shows status, time and response on the page of its site only', async () => {
    const [{ site, submit }, other] = [await withWebhook('ok'), await withWebhook('ok')]
    expect((await submit('/tests')).words).toMatch(
      /Test event: Delivered in \d+ ms\. The receiver responded with 200\. View delivery/,
    )
    const [delivery] = await deliveries(site)
    for (const id of [delivery!.id, 'nonsense'])
      expect(await other.read(`?tested=${id}`)).not.toContain('Delivered in')
  })

  it('that fails says so and how to fix it', async () => {
    const { words } = await (await withWebhook('status/503')).submit('/tests')
    expect(words).toMatch(
      /Test event: HTTP 503 in \d+ ms\. Only 2xx counts.* Fix the receiver, then resend\. View delivery/,
    )
  })

  it('is not sent after ten within the minute, and the page says so', async () => {
    stopAtMinute()
    const { site, submit } = await withWebhook('ok')
    for (let i = 0; i < 10; i++) await call('/api/v1/webhooks/test', { method: 'POST', key: site.key })
    const { status, headers, words } = await submit('/tests')
    expect([status, headers.get('Retry-After')]).toEqual([429, '60'])
    expect(words).toContain('No test was sent. The limit is 10 test events per minute for each site.')
  })
})
