import { readFileSync, statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { type Service, startService } from '../support/service.ts'

const SLACK_PATH = '/services/T00000000/B00000000/a-secret-of-slack'
const NAME = 'Acme\r\nBcc: all@example.com'
const IN_TIME = { interval: 100, timeout: 60_000 * inject('pace') }

let service: Service
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>
let slack: Awaited<ReturnType<typeof startCountingReceiver>>
const texts: string[] = []
/** Slack's response to a message. */
let isAnswering = true

beforeAll(async () => {
  receiver = await startCountingReceiver((_, response) => response.writeHead(500).end())
  slack = await startCountingReceiver((body, response) => {
    texts.push(JSON.parse(body).text)
    if (isAnswering) response.end('ok')
  })
  service = await startService({
    vars: {
      CONSOLE_URL: 'https://content.example.com/console',
      ALERT_AFTER_FAILURES: '2',
      ALERT_SLACK_URL: slack.url + SLACK_PATH,
      ALERT_EMAIL_FROM: 'alerts@example.com',
      ALERT_EMAIL_TO: 'a@example.com, b@example.com',
    },
  })
})

afterAll(async () => {
  receiver?.close()
  slack?.close()
  await service?.stop()
})

async function failingSite(name: string) {
  const site = await service.makeSite({ name: 'To be named' })
  await service.sql(`update sites set name = ${literal(name)} where id = '${site.id}'`)
  await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url })
  return site
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

const alertsOf = async ({ path }: { path: string }) =>
  (
    await service.manage<{ items: { state: string; results: { target: string; error: string | null }[] }[] }>(
      'GET',
      `${path}/alerts`,
    )
  ).items

/** Two drafts are ready, and the receiver refuses both. */
async function fail(site: { path: string }) {
  for (const slug of ['a', 'b']) {
    await service.manage('PUT', `${site.path}/posts/${slug}`, {
      title: slug,
      contentHtml: '<p>A</p>',
      trustScore: 90,
    })
    await service.manage('PUT', `${site.path}/posts/${slug}/readiness`)
  }
}

describe('alerts over the queue', () => {
  it('are sent to Slack and by mail, and a name cannot inject mail headers', async () => {
    const site = await failingSite(NAME)
    await fail(site)
    await expect.poll(async () => (await alertsOf(site))[0]?.state, IN_TIME).toBe('delivered')
    expect(texts).toHaveLength(1)
    expect(texts[0]).toContain(`Site Acme Bcc: all@example.com (${site.id})`)
    const [alert] = await alertsOf(site)
    expect(alert!.results.map(({ target, error }) => [target, error])).toEqual([
      ['slack', null],
      ['email', null],
    ])
    const mail = () =>
      /From: alerts@example\.com\nTo: (.*)\nSubject: (.*)\n/.exec(readFileSync(service.logFile, 'utf8'))
    await expect.poll(mail, IN_TIME).not.toBeNull()
    expect(mail()!.slice(1)).toEqual([
      'a@example.com, b@example.com',
      `Acme Bcc: all@example.com: webhook failing at ${new URL(receiver.url).host}`,
    ])
    expect(readFileSync(service.logFile, 'utf8')).not.toContain('a-secret-of-slack')
    const page = await (await service.getPage(`/console/sites/${site.id}/integrations`)).text()
    expect(page).toContain('Webhook failing')
    expect(page).toContain('Slack')
    expect(page).toContain('Email')
    expect(page).not.toContain('a-secret-of-slack')
  })

  it('are sent again an hour later when the Worker is killed while it sends them', async () => {
    isAnswering = false
    texts.length = 0
    const site = await failingSite('Acme')
    await fail(site)
    await expect.poll(() => texts.length, IN_TIME).toBe(1)
    await service.crash()
    isAnswering = true
    expect(await alertsOf(site)).toMatchObject([{ state: 'sending', results: [] }])
    await service.manage('POST', '/sweep')
    expect(texts).toHaveLength(1)
    await service.sql(
      `update alerts set attempted_at = attempted_at - interval '61 minutes' where site_id = '${site.id}'`,
    )
    await service.manage('POST', '/sweep')
    await expect.poll(async () => (await alertsOf(site))[0]?.state, IN_TIME).toBe('delivered')
    expect(texts).toHaveLength(2)
  })
})

it('a link sent by mail is in a file that only its owner can read', async () => {
  const { id } = await service.manage<{ id: string }>('POST', '/operators', {
    name: crypto.randomUUID(),
    role: 'viewer',
  })
  await service.manage('POST', `/operators/${id}/sign-in-links`, { email: 'ada@example.com' })
  const file = () =>
    /To: ada@example\.com\nSubject: .*\n[\s\S]*?Text: (\S+)/.exec(readFileSync(service.logFile, 'utf8'))?.[1]
  await expect.poll(file, IN_TIME).toBeDefined()
  expect(readFileSync(file()!, 'utf8')).toContain('/console/sign-in/links/hca_link_')
  expect(statSync(file()!).mode & 0o777).toBe(0o600)
})
