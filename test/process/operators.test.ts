/** Promises to operators that need the bindings and the log of a real process: alerts, mail and wrong tokens. */
import { readFileSync, statSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateToken } from '../../src/crypto/token.ts'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { type Service, startService } from '../support/service.ts'

const SLACK_PATH = '/services/T00000000/B00000000/a-secret-of-slack'
const NAME = 'Acme\r\nBcc: all@example.com'

let service: Service
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>
let slack: Awaited<ReturnType<typeof startCountingReceiver>>
const texts: string[] = []

beforeAll(async () => {
  receiver = await startCountingReceiver((_, response) => response.writeHead(500).end())
  slack = await startCountingReceiver((body, response) => {
    texts.push(JSON.parse(body).text)
    response.end('ok')
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

const log = () => readFileSync(service.logFile, 'utf8')

/** A site with this name, of which no API would accept line breaks. */
async function makeSite(name: string) {
  const site = await service.makeSite({ name: 'To be named' })
  await service.sql(`update sites set name = '${name}' where id = '${site.id}'`)
  await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url })
  return site
}

type Alert = { state: string; results: { target: string; error: string | null }[] }
const alertsOf = async ({ path }: { path: string }) =>
  (await service.manage<{ items: Alert[] }>('GET', `${path}/alerts`)).items

it('an alert goes to Slack and by mail over the queue, and a name cannot inject mail headers', async () => {
  const site = await makeSite(NAME)
  for (const slug of ['a', 'b']) {
    const draft = { title: slug, contentHtml: '<p>A</p>', trustScore: 90 }
    await service.manage('PUT', `${site.path}/posts/${slug}`, draft)
    await service.manage('PUT', `${site.path}/posts/${slug}/readiness`)
  }
  await expect.poll(async () => (await alertsOf(site))[0]?.state).toBe('delivered')
  expect(texts).toEqual([expect.stringContaining(`Site Acme Bcc: all@example.com (${site.id})`)])
  expect((await alertsOf(site))[0]!.results.map(({ target, error }) => [target, error])).toEqual([
    ['slack', null],
    ['email', null],
  ])
  const mail = () => /From: alerts@example\.com\nTo: (.*)\nSubject: (.*)\n/.exec(log())
  await expect.poll(mail).not.toBeNull()
  expect(mail()!.slice(1)).toEqual([
    'a@example.com, b@example.com',
    `Acme Bcc: all@example.com: webhook failing: ${new URL(receiver.url).host}`,
  ])
  expect(log()).not.toContain('a-secret-of-slack')
  const page = await (await service.getPage(`/console/sites/${site.id}/settings/alerts`)).text()
  for (const words of ['is failing', 'Slack', 'Email']) expect(page).toContain(words)
  expect(page).not.toContain('a-secret-of-slack')
})

it('a link sent by mail is in a file that only its owner can read', async () => {
  const person = { name: crypto.randomUUID(), role: 'viewer' }
  const { id } = await service.manage<{ id: string }>('POST', '/operators', person)
  await service.manage('POST', `/operators/${id}/sign-in-links`, { email: 'ada@example.com' })
  const file = () => /To: ada@example\.com\nSubject: .*\n[\s\S]*?Text: (\S+)/.exec(log())?.[1]
  await expect.poll(file).toBeDefined()
  expect(readFileSync(file()!, 'utf8')).toContain('/console/sign-in/links/hca_link_')
  expect(statSync(file()!).mode & 0o777).toBe(0o600)
})

it('the audit log has wrong tokens, once a minute for each address', async () => {
  const entries = async () => {
    const list = '/audit-log?limit=500&action=operator.sign_in_failed'
    return (await service.manage<{ items: object[] }>('GET', list)).items
  }
  const signIn = await fetch(`${service.origin}/console/sign-in`, {
    method: 'POST',
    headers: { Origin: service.origin },
    body: new URLSearchParams({ token: 'wrong' }),
  })
  expect(signIn.status).toBe(400)
  await expect.poll(entries).toHaveLength(1)
  for (const key of ['wrong', generateToken('hca_operator_')]) {
    const headers = { Authorization: `Bearer ${key}` }
    expect((await fetch(`${service.origin}/manage/v1/sites`, { headers })).status).toBe(401)
  }
  expect(await entries()).toMatchObject([{ actor: null, actorId: null, subject: null, channel: 'console' }])
})
