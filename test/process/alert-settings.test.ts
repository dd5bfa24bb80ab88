/** Alerts that are set in the console. They are of the whole deployment, so the test has one of its own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { type Service, startService } from '../support/service.ts'

const [OLD_PATH, PATH] = ['/services/of-the-environment', '/services/T0/B0/a-secret-of-slack']

let service: Service
let failing: Awaited<ReturnType<typeof startCountingReceiver>>
let slack: Awaited<ReturnType<typeof startCountingReceiver>>
let old: Awaited<ReturnType<typeof startCountingReceiver>>
const texts: string[] = []
const oldTexts: string[] = []

beforeAll(async () => {
  failing = await startCountingReceiver((_, response) => response.writeHead(500).end())
  const collect = (into: string[]) =>
    startCountingReceiver((body, response) => {
      into.push(JSON.parse(body).text)
      response.end('ok')
    })
  slack = await collect(texts)
  old = await collect(oldTexts)
  service = await startService({
    vars: {
      CONSOLE_URL: 'https://content.example.com/console',
      ALERT_SLACK_URL: old.url + OLD_PATH,
      ALERT_EMAIL_FROM: 'alerts@example.com',
      ALERT_EMAIL_TO: 'ops@example.com',
    },
  })
})

afterAll(async () => {
  for (const receiver of [failing, slack, old]) receiver?.close()
  await service?.stop()
})

const rowsOf = async (statement: string) => (await service.sql(statement)).rows
const getPage = async (path = '') => (await service.getPage(`/console/alerts${path}`)).text()
const save = (fields: Record<string, string>) =>
  service.postForm('/console/alerts', new URLSearchParams(fields))
const openedIn = (page: string) =>
  /.*name="opened" value="([^"]*)"/s.exec(page)![1]!.replaceAll('&quot;', '"')

/** Saves these fields of the form, as it was opened. */
async function change(fields: Record<string, string>) {
  return save({ slackUrl: '', emailTo: '', afterFailures: '', ...fields, opened: openedIn(await getPage()) })
}

const sendTest = () => service.postForm('/console/alerts/tests', new URLSearchParams())

async function failOnce() {
  const site = await service.makeSite()
  await service.manage('PUT', `${site.path}/webhook`, { url: failing.url })
  await service.manage('PUT', `${site.path}/posts/a`, { title: 'A', contentHtml: '<p>A</p>', trustScore: 90 })
  await service.manage('PUT', `${site.path}/posts/a/readiness`)
  return site
}

type Entry = { action: string; before: object | null; after: object | null }
const entries = async (action: string) =>
  (await service.manage<{ items: Entry[] }>('GET', `/audit-log?action=${action}`)).items

describe('alert settings', () => {
  it('are those of the environment until the console sets others', async () => {
    const page = await getPage()
    for (const shown of [
      'If empty, the one in ALERT_SLACK_URL.',
      'value="5"',
      'placeholder="ops@example.com"',
    ])
      expect(page).toContain(shown)
    expect(page).not.toContain(OLD_PATH)
    expect((await sendTest()).status).toBe(303)
    expect(oldTexts).toEqual([expect.stringContaining('https://content.example.com/console/alerts')])
    expect(await entries('alerts.created')).toEqual([])
  })

  it.each([
    ['http://hooks.example.com/', 'must use https'],
    ['https://10.0.0.1/', 'must not be an IP address'],
    ['https://redis.internal/', 'must not be a local or private name'],
  ])('refuse the URL %s, as webhooks do', async (slackUrl, problem) => {
    const response = await change({ slackUrl, afterFailures: '0' })
    const text = await response.text()
    expect([response.status, text]).toEqual([400, expect.stringContaining(problem)])
    expect(text).toContain('id="afterFailures-error"')
  })

  it('send a test and alerts to the new target, after as many failures as they say', async () => {
    const saved = await change({ slackUrl: slack.url + PATH, afterFailures: '1', emailTo: 'a@example.com' })
    expect(saved.status).toBe(303)
    expect((await sendTest()).headers.get('Location')).toContain('done=tested')
    expect(texts).toEqual([expect.stringContaining('Test alert')])
    await failOnce()
    await expect.poll(() => texts.length).toBe(2)
    expect(texts[1]).toContain('has failed once')
    expect(oldTexts).toHaveLength(1)
  })

  it('are on the page: the targets in use, and the latest alerts with their site', async () => {
    const page = await getPage()
    for (const target of [`placeholder="https://${new URL(slack.url).host}/…"`, 'value="a@example.com"'])
      expect(page).toContain(target)
    expect(page).toMatch(/<a href="\/console\/sites\/[^/]+\/settings\/alerts" dir="auto">/)
    expect(page).toContain('1 failed in a row')
    expect(page).toMatch(/<\/a> is failing/)
  })

  it('keep the URL secret: on the page, in the database and in the audit log, which has no recipients either', async () => {
    const [page, rows] = [
      await getPage(),
      await rowsOf('select slack_url, email_to, after_failures from alert_settings'),
    ]
    expect(page).toContain(`https://${new URL(slack.url).host}/…`)
    const log = await entries('alerts.created')
    expect(log).toMatchObject([
      {
        before: null,
        after: { slackSetAt: expect.any(String), emailTo: 'not shown', afterFailures: 1 },
      },
    ])
    for (const text of [page, JSON.stringify(rows), JSON.stringify(log)]) {
      expect(text).not.toContain('a-secret-of-slack')
    }
    expect(JSON.stringify(log)).not.toContain(String(rows[0]!.slack_url))
    expect(JSON.stringify(log)).not.toContain('a@example.com')
  })

  it('are saved field by field, and an empty field keeps the URL', async () => {
    const opened = openedIn(await getPage())
    expect((await save({ slackUrl: '', emailTo: 'a@example.com', afterFailures: '3', opened })).status).toBe(
      303,
    )
    const other = await save({ slackUrl: '', emailTo: 'b@example.com', afterFailures: '1', opened })
    expect(other.status).toBe(303)
    const clash = await save({ slackUrl: '', emailTo: 'a@example.com', afterFailures: '9', opened })
    expect(clash.status).toBe(409)
    expect(await rowsOf('select slack_host, email_to, after_failures from alert_settings')).toEqual([
      { slack_host: new URL(slack.url).host, email_to: ['b@example.com'], after_failures: 3 },
    ])
  })

  it('keep recipients that the form does not show, and a new URL that is given while the old one is removed', async () => {
    const given = { removeSlack: 'on', slackUrl: `${slack.url}/new`, afterFailures: '3' }
    expect((await save({ ...given, opened: openedIn(await getPage()) })).status).toBe(303)
    expect(await rowsOf('select slack_host, email_to from alert_settings')).toEqual([
      { slack_host: new URL(slack.url).host, email_to: ['b@example.com'] },
    ])
    // Nothing is changed.
    expect((await save({ slackUrl: '', afterFailures: '3', opened: openedIn(await getPage()) })).status).toBe(
      303,
    )
  })

  it('keep a new Slack URL from a form that was opened before it, and say so', async () => {
    const opened = openedIn(await getPage())
    const fields = { emailTo: 'b@example.com', afterFailures: '3', opened }
    expect((await save({ ...fields, slackUrl: `${slack.url}/theirs` })).status).toBe(303)
    for (const changed of [{ slackUrl: `${old.url}/mine` }, { slackUrl: '', removeSlack: 'on' }]) {
      const refused = await save({ ...fields, ...(changed as Record<string, string>) })
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining('was changed by someone else: open Alerts again'),
      ])
    }
    expect((await save({ ...fields, slackUrl: '', afterFailures: '4' })).status).toBe(303)
    expect(await rowsOf('select slack_host, after_failures from alert_settings')).toEqual([
      { slack_host: new URL(slack.url).host, after_failures: 4 },
    ])
  })

  it('take a comma too many in Email, and say there that an address is none', async () => {
    expect((await change({ emailTo: 'a@example.com, ,b@example.com,', afterFailures: '4' })).status).toBe(303)
    expect(await rowsOf('select email_to from alert_settings')).toEqual([
      { email_to: ['a@example.com', 'b@example.com'] },
    ])
    const page = await (await change({ emailTo: 'a@example.com, b' })).text()
    expect(page).toContain('id="emailTo-error"')
    expect(page).not.toContain('emailTo[')
  })

  it('fall back to the environment when they are removed', async () => {
    const page = await getPage()
    expect(page).toContain('name="removeSlack"')
    const removed = await save({ removeSlack: 'on', slackUrl: '', emailTo: '', opened: openedIn(page) })
    expect(removed.status).toBe(303)
    await sendTest()
    expect([texts.length, oldTexts.length]).toEqual([2, 2])
  })

  it('are for admins: others see neither the page nor its link, and change and send nothing', async () => {
    const { id: siteId } = await service.makeSite()
    for (const person of [{ role: 'editor' }, { role: 'editor', sites: [siteId] }, { role: 'viewer' }]) {
      const { id } = await service.manage<{ id: string }>('POST', '/operators', {
        name: crypto.randomUUID(),
        ...person,
      })
      const { token } = await service.manage<{ token: string }>('POST', `/operators/${id}/tokens`)
      const headers = { Origin: service.origin }
      const signIn = await fetch(`${service.origin}/console/sign-in`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ token }),
        redirect: 'manual',
      })
      const Cookie = signIn.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; ')
      const ask = (path: string, init: RequestInit = {}) =>
        fetch(service.origin + path, { redirect: 'manual', ...init, headers: { ...headers, Cookie } })
      const body = new URLSearchParams({ afterFailures: '7' })
      const answers = await Promise.all([
        ask('/console/alerts'),
        ask('/console/alerts', { method: 'POST', body }),
        ask('/console/alerts/tests', { method: 'POST', body }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
      expect(await (await ask('/console/overview')).text()).not.toContain('/console/alerts')
    }
    expect(await rowsOf('select after_failures from alert_settings where after_failures = 7')).toEqual([])
    expect(oldTexts).toHaveLength(2)
  })
})
