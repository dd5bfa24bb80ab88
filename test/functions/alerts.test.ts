import { Webhook } from 'standardwebhooks'
import { describe, expect, vi } from 'vitest'
import { claimAlerts, requeueDueAlerts } from '../../src/alerts/alert.ts'
import { raiseQuotaAlerts } from '../../src/alerts/quota.ts'
import { markSite } from '../../src/freshness/marks.ts'
import { alertsOf, alertWorld, anHourLater, deliver, siteWith, streaksOf } from '../support/alerts.ts'
import { bindings } from '../support/context.ts'
import { hand, noteSwept, runCron } from '../support/outbox.ts'
import { interceptFetch } from '../support/own-calls.ts'
import { it as itWithSite, makeSite, tryManage } from '../support/site.ts'
import { runSql } from '../support/sql.ts'
import { addWebhook, received, setWebhook } from '../support/webhook.ts'
import { callIn, isolate } from '../support/world.ts'

const LATER = 3_590

const it = itWithSite.extend('world', () => alertWorld())

describe('a failing webhook', () => {
  it('raises one alert after five failed deliveries in a row, and none after four', async ({ world }) => {
    const site = await siteWith('status/503', { name: 'Acme' })
    await deliver(world, site, 4)
    await world.drain()
    expect(world.messages).toEqual([])
    expect(await world.received()).toEqual([])
    await deliver(world, site, 6)
    await world.drain()
    const [message, ...more] = await world.received()
    expect(more).toEqual([])
    expect(message!.json.text).toContain('Site Acme')
    expect(message!.json.text).toContain('has failed 5 times in a row since')
    expect(message!.json.text).toContain('most recently with 503')
    const page = `https://console.example.com/console/sites/${site.id}/integrations/deliveries?outcome=not_arrived`
    expect(message!.json.text).toContain(page)
    expect(message!.json.text).toContain(`event resend ${site.id} --failed-since 20`)
    expect(await alertsOf(site)).toMatchObject([
      {
        kind: 'webhook_failing',
        state: 'delivered',
        results: [{ target: 'slack', status: 200, error: null }],
      },
    ])
  })

  it('raises an alert after the configured number of failures, and a successful delivery resets the count', async () => {
    const world = await alertWorld(undefined, { ALERT_AFTER_FAILURES: '2' })
    const site = await siteWith('status/500')
    await deliver(world, site, 1)
    await setWebhook(site, 'ok')
    await deliver(world, site, 1)
    await setWebhook(site, 'status/500')
    await deliver(world, site, 1)
    expect(await alertsOf(site)).toEqual([])
    await deliver(world, site, 1)
    expect(await alertsOf(site)).toMatchObject([{ kind: 'webhook_failing', state: 'pending' }])
  })

  it('is counted separately from the site’s other webhooks, and from zero after it was set again', async () => {
    const world = await alertWorld(undefined, { ALERT_AFTER_FAILURES: '2' })
    const site = await siteWith('status/500')
    const other = await addWebhook(site, 'status/500')
    await deliver(world, site, 1)
    await deliver(world, site, 1, other.id)
    await site.manage('DELETE', '/webhook')
    await setWebhook(site, 'status/500')
    await deliver(world, site, 1)
    expect(await alertsOf(site)).toEqual([])
    await deliver(world, site, 1, other.id)
    const { items } = await site.manage('GET', '/alerts')
    expect(items).toMatchObject([{ kind: 'webhook_failing', webhook: { id: other.id, failures: 2 } }])
  })

  it('is named in the message and in the list, without characters that could be a header', async () => {
    const world = await alertWorld(undefined, { ALERT_AFTER_FAILURES: '1' })
    const site = await siteWith('status/500', { name: 'Acme' })
    await site.manage('PATCH', `/webhooks/${site.id}`, { name: 'Search index' })
    await runSql("update webhook_endpoints set name = name || E'\\r\\nBcc: all' where id = $1", [site.id])
    await deliver(world, site, 1)
    await world.drain()
    const [message] = await world.received()
    expect(message!.json.text).toMatch(
      /The webhook Search index Bcc: all at 127\.0\.0\.1:\d+ has failed once since/,
    )
    const { items } = await site.manage('GET', '/alerts')
    expect(items).toMatchObject([{ webhook: { name: 'Search index\r\nBcc: all' } }])
  })

  it('raises one alert when it recovers', async () => {
    const world = await alertWorld(undefined, { ALERT_AFTER_FAILURES: '2' })
    const site = await siteWith('status/500')
    await deliver(world, site, 3)
    await world.drain()
    await anHourLater(site)
    await setWebhook(site, 'ok')
    await deliver(world, site, 2)
    await world.drain()
    const messages = await world.received()
    expect(messages).toHaveLength(2)
    expect(messages[1]!.json.text).toMatch(/has worked again since .* It had failed 3 times in a row since/)
    expect(await alertsOf(site)).toMatchObject([{ kind: 'webhook_failing' }, { kind: 'webhook_recovered' }])
  })

  it('is counted right when many deliveries end at the same time', async ({ world }) => {
    const site = await siteWith('status/500')
    await Promise.all(Array.from({ length: 12 }, () => deliver(world, site, 1)))
    expect(await streaksOf(site)).toEqual([{ failures: 12 }])
    expect(await alertsOf(site)).toHaveLength(1)
    expect(world.messages).toHaveLength(1)
  })
})

describe('a delivery', () => {
  it('needs no more calls with alerts than without, except for one message when it raises an alert', async () => {
    const [world, silent] = [await alertWorld(), await alertWorld({})]
    const costOf = async (each: typeof world, script: string) => {
      const site = await siteWith('status/500')
      const costs = []
      for (let count = 1; count <= 6; count++) {
        if (count === 6) await setWebhook(site, script)
        const counted = countCalls()
        await deliver(each, site, 1)
        costs.push({ ...counted(), messages: each.messages.splice(0).length })
        vi.restoreAllMocks()
      }
      return costs
    }
    const [without, withAlerts] = [await costOf(silent, 'ok'), await costOf(world, 'ok')]
    expect(without.every(({ messages }) => messages === 0)).toBe(true)
    expect(withAlerts).toEqual(
      without.map((cost, at) => ({ ...cost, messages: at === 4 || at === 5 ? 1 : 0 })),
    )
  })
})

describe('the hour after an alert', () => {
  it('has no second alert: everything raised in it is sent together in the next message', async () => {
    const world = await alertWorld(undefined, { ALERT_AFTER_FAILURES: '1' })
    const site = await siteWith('status/500')
    const other = await addWebhook(site, 'status/404')
    await deliver(world, site, 1)
    await world.drain()
    await deliver(world, site, 1, other.id)
    await setWebhook(site, 'ok')
    await deliver(world, site, 1)
    expect(world.messages.every(({ delaySeconds }) => delaySeconds > LATER)).toBe(true)
    await world.drain(() => true)
    expect(await world.received()).toHaveLength(1)
    await anHourLater(site)
    await hand(
      [
        { kind: 'alerts', siteId: site.id },
        { kind: 'alerts', siteId: site.id },
      ],
      world.env,
    )
    const [, second, ...more] = await world.received()
    expect(more).toEqual([])
    expect(second!.json.text).toContain('failed once since')
    expect(second!.json.text).toContain('most recently with 404')
    expect(second!.json.text).toContain('works again')
  })

  it('records a webhook that keeps changing state once, with its last state', async () => {
    const world = await alertWorld(undefined, { ALERT_AFTER_FAILURES: '1' })
    const site = await siteWith('status/500')
    await deliver(world, site, 1)
    await world.drain()
    for (let each = 0; each < 3; each++) {
      for (const script of ['ok', 'status/500']) {
        await setWebhook(site, script)
        await deliver(world, site, 1)
      }
    }
    const kinds = (await alertsOf(site)).map(({ kind }) => kind)
    expect(kinds).toEqual(['webhook_failing', 'webhook_recovered', 'webhook_failing'])
  })

  it('counts for one site only', async () => {
    const world = await alertWorld(undefined, { ALERT_AFTER_FAILURES: '1' })
    for (const site of [await siteWith('status/500'), await siteWith('status/500')]) {
      await deliver(world, site, 1)
      await world.drain()
    }
    expect(await world.received()).toHaveLength(2)
  })
})

describe('a quota', () => {
  const readMany = (
    world: Awaited<ReturnType<typeof alertWorld>>,
    key: string,
    path: string,
    count: number,
  ) => Promise.all(Array.from({ length: count }, () => callIn(world.env, path, { key })))

  it('raises one alert at 80 percent and one at 100, however many requests arrive at once', async ({
    world,
  }) => {
    const site = await makeSite({ dailyQuota: 20 })
    const path = `/api/v1${site.path}/posts`
    await readMany(world, site.key, path, 15)
    expect(world.messages).toEqual([])
    await readMany(world, site.key, path, 15)
    const reported = world.messages.map(({ body }) => body)
    expect(reported).toMatchObject([{ used: { percent: 80 } }, { used: { percent: 100 } }])
    // A message may be delivered twice.
    await hand(reported, world.env)
    await world.drain()
    const [message, ...more] = await world.received()
    expect(more).toEqual([])
    expect(message!.json.text).toContain('80 % of the quota of 20 requests is used on')
    expect(message!.json.text).toContain('The quota of 20 requests is used up for')
    expect(message!.json.text).toContain(`/sites/${site.id}/usage`)
    expect(await alertsOf(site)).toHaveLength(2)
  })

  it.each([
    ['full', '/posts', 12, 7, /^The key "build" made 7 of them\.$/m],
    ['sitemap', '/sitemap.xml', 100, 80, /80 % of the quota of 100 requests of its sitemap-only keys/],
  ] as const)(
    'names the key that used most of it in its alert: access %s',
    async (access, file, limit, count, words) => {
      const world = await alertWorld()
      const site = await makeSite({ dailyQuota: 12 })
      const path = `/api/v1${site.path}`
      const { id, key } = await site.manage('POST', '/keys', { name: 'build', access })
      if (access === 'full') await readMany(world, site.key, `${path}/posts`, limit - count)
      await readMany(world, key, path + file, count)
      await world.drain()
      expect((await world.received()).at(-1)!.json.text).toMatch(words)
      const { items } = await site.manage('GET', '/alerts')
      expect(items.find(({ quota }) => quota?.limit === limit)?.quota?.key).toEqual({
        id,
        name: 'build',
        requests: count,
      })
    },
  )

  it('raises an alert without a key for preview links, and when the counts cannot be read', async ({
    world,
  }) => {
    const site = await makeSite({ dailyQuota: 12 })
    const day = new Date().toISOString().slice(0, 10)
    await site.get('/posts')
    await hand(
      [{ kind: 'quota', used: { siteId: site.id, counter: 'preview', percent: 80, limit: 100, day } }],
      world.env,
    )
    const away = { ...world.env, UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' }
    await hand(
      [{ kind: 'quota', used: { siteId: site.id, counter: 'full', percent: 80, limit: 12, day } }],
      away,
    )
    const { items } = await site.manage('GET', '/alerts')
    expect(items).toMatchObject([
      { quota: { counter: 'full', key: null } },
      { quota: { counter: 'preview', key: null } },
    ])
  })

  it('whose alert was not raised is found by the hourly sweep, once', async ({ world }) => {
    const silent = await alertWorld({})
    const site = await makeSite({ dailyQuota: 5 })
    await readMany(silent, site.key, `/api/v1${site.path}/posts`, 4)
    for (let each = 0; each < 2; each++) {
      await raiseQuotaAlerts(world.context(), { now: new Date() })
    }
    expect(await alertsOf(site)).toMatchObject([{ kind: 'quota', state: 'pending' }])
  })

  it('costs a read nothing but one message when it crosses a threshold', async ({ world }) => {
    const { ask } = isolate(world.env)
    const site = await makeSite({ dailyQuota: 5 })
    const path = `/api/v1${site.path}/posts`
    const costs = []
    for (let each = 0; each < 5; each++) {
      const counted = countCalls()
      await (await ask(path, site.key)).text()
      costs.push({ ...counted(), messages: world.messages.length })
      vi.restoreAllMocks()
    }
    const [, , before, reached] = costs
    expect(before!.messages).toBe(0)
    expect(reached).toEqual({ ...before, messages: 1 })
    expect(world.messages[0]).toMatchObject({ body: { used: { percent: 80, limit: 5 } } })
  })
})

/** Calls to Redis and to Postgres from now on. */
function countCalls() {
  const counted = { redis: 0, statements: 0 }
  interceptFetch(async (fetch, input, init) => {
    const url = String(input)
    if (url === bindings.DATABASE_HTTP_ENDPOINT) counted.statements += 1
    if (url.startsWith(String(bindings.UPSTASH_REDIS_REST_URL))) counted.redis += 1
    return fetch(input, init)
  })
  return () => counted
}

describe('a target', () => {
  it('that is down is retried once, an hour later, with everything that is pending then', async () => {
    const targets = { ALERT_SLACK_URL: 'status/500', ALERT_WEBHOOK_URL: 'ok' }
    const world = await alertWorld(targets, { ...SIGNED, ALERT_AFTER_FAILURES: '1' })
    const site = await siteWith('status/500')
    await deliver(world, site, 1)
    await world.drain()
    expect(await alertsOf(site)).toMatchObject([
      {
        state: 'sending',
        results: [
          { target: 'slack', status: 500, error: 'http_status' },
          { target: 'webhook', status: 200, error: null },
        ],
      },
    ])
    expect(world.messages).toMatchObject([{ body: { kind: 'alerts', siteId: site.id } }])
    expect(world.messages[0]!.delaySeconds).toBeGreaterThan(LATER)
    for (let hours = 0; hours < 3; hours++) {
      await anHourLater(site)
      await hand([{ kind: 'alerts', siteId: site.id }], world.env)
    }
    expect(await world.received()).toHaveLength(2)
    expect(await world.received('ALERT_WEBHOOK_URL')).toHaveLength(1)
    expect(await alertsOf(site)).toMatchObject([{ state: 'failed', tries: 2 }])
  })

  it.each<[string, Record<string, string>, Record<string, string>, object]>([
    [
      'at an address that webhooks may not call is not called',
      {},
      { ALERT_SLACK_URL: 'https://169.254.169.254/latest' },
      { target: 'slack', status: null, error: 'blocked_address' },
    ],
    [
      'that is mail reports that its binding is missing',
      {},
      { ALERT_EMAIL_FROM: 'alerts@example.com', ALERT_EMAIL_TO: 'a@example.com' },
      { target: 'email', status: null, error: 'binding_missing' },
    ],
    [
      'that redirects is not followed, and its response is not stored',
      { ALERT_SLACK_URL: 'redirect/302' },
      {},
      { target: 'slack', status: 302, error: 'redirect' },
    ],
  ])('%s', async (_, scripts, vars, result) => {
    const world = await alertWorld(scripts, { ...vars, ALERT_AFTER_FAILURES: '1' })
    const site = await siteWith('status/500')
    await deliver(world, site, 1)
    await world.drain()
    expect((await alertsOf(site))[0]!.results).toEqual([{ ...result, at: expect.any(String) }])
  })

  it('gets names as plain text, without markup, mentions or line breaks, and a webhook is signed', async () => {
    const both = { ALERT_SLACK_URL: 'ok', ALERT_WEBHOOK_URL: 'ok' }
    const world = await alertWorld(both, { ...SIGNED, ALERT_AFTER_FAILURES: '1' })
    const site = await siteWith('status/500', { name: 'A & <!channel> <https://a.example|b>' })
    await deliver(world, site, 1)
    await world.drain()
    const [slack] = await world.received()
    expect(slack!.json.text).toContain('Site A &amp; &lt;!channel&gt; &lt;https://a.example|b&gt; (')
    expect(slack!.json.text).not.toMatch(/[<>]/)
    const [webhook] = await world.received('ALERT_WEBHOOK_URL')
    expect(webhook!.json).toMatchObject({
      event: 'alert',
      siteId: site.id,
      alerts: [{ webhook: { failures: 1 } }],
    })
    expect(new Webhook(SECRET).verify(webhook!.body, webhook!.headers)).toBeTruthy()
  })
})

const SECRET = `whsec_${btoa('thirty-two bytes for a signature')}`
const SIGNED = { ALERT_WEBHOOK_SECRET: SECRET }

describe('without alert targets', () => {
  it('failures are counted for the console, and no alert is stored or sent until there is a target', async () => {
    const world = await alertWorld({})
    const site = await siteWith('status/500', { dailyQuota: 1 })
    await deliver(world, site, 6)
    expect(world.messages).toEqual([])
    await callIn(world.env, `/api/v1${site.path}/posts`, { key: site.key })
    await world.drain()
    expect(await streaksOf(site)).toEqual([{ failures: 6 }])
    expect(await alertsOf(site)).toEqual([])
    await deliver(await alertWorld(), site, 1)
    expect(await alertsOf(site)).toMatchObject([{ kind: 'webhook_failing' }])
  })
})

describe('an alert', () => {
  it('is sent by the minute’s sweep when its message was lost', async () => {
    const world = await alertWorld(
      { ALERT_SLACK_URL: 'ok' },
      { REDIS_PREFIX: `${bindings.REDIS_PREFIX}:${crypto.randomUUID()}` },
    )
    await noteSwept(world.context())
    const site = await siteWith('status/500')
    await deliver(world, site, 5)
    world.messages.splice(0)
    await markSite(world.context(), site)
    await runCron(world.env)
    expect(world.messages.map(({ body }) => body)).toEqual([{ kind: 'alerts', siteId: site.id }])
    await world.drain()
    expect(await world.received()).toHaveLength(1)
    await runCron(world.env, Date.now() + 60_001)
    expect(world.messages).toEqual([])
    const counted = countCalls()
    await runCron(world.env)
    expect(counted()).toEqual({ redis: 1, statements: 0 })
  })

  it('waits while there is no target', async ({ world }) => {
    const site = await siteWith('status/500')
    await deliver(world, site, 5)
    world.messages.splice(0)
    const without = await alertWorld({})
    await requeueDueAlerts(without.context(), { siteIds: [site.id] })
    expect(without.messages).toEqual([])
    await requeueDueAlerts(world.context(), { siteIds: [site.id] })
    expect(world.messages).toHaveLength(1)
  })

  it('is queued by the sweep in batches, because calls are limited', async ({ world }) => {
    const sizes: number[] = []
    const ids = Array.from({ length: 101 }, () => crypto.randomUUID())
    const ctx = world.context()
    const db = { execute: async () => ({ rows: ids.map((site_id) => ({ site_id })) }) } as never
    const sendBatch = async (messages: Iterable<unknown>) => void sizes.push([...messages].length)
    const queue = { send: async () => void sizes.push(1), sendBatch } as never
    expect(await requeueDueAlerts({ ...ctx, db, queue }, { siteIds: null })).toBe(101)
    expect(sizes).toEqual([100, 1])
  })

  it('is sent again by the sweep of all sites when its Worker died while it sent it', async ({ world }) => {
    const site = await siteWith('status/500')
    await deliver(world, site, 5)
    world.messages.splice(0)
    expect(await claimAlerts(world.context(), site.id)).not.toBeNull()
    expect(await claimAlerts(world.context(), site.id)).toBeNull()
    await requeueDueAlerts(world.context(), { siteIds: [site.id] })
    expect(world.messages).toEqual([])
    await anHourLater(site)
    await requeueDueAlerts(world.context(), { siteIds: [site.id] })
    await world.drain()
    expect(await world.received()).toHaveLength(1)
    expect(await alertsOf(site)).toMatchObject([{ state: 'delivered', tries: 2 }])
  })

  it('is sent once when many workers claim it at the same time', async ({ world }) => {
    const site = await siteWith('status/500')
    await deliver(world, site, 5)
    await Promise.all(Array.from({ length: 5 }, () => hand([{ kind: 'alerts', siteId: site.id }], world.env)))
    expect(await world.received()).toHaveLength(1)
  })

  it('is not sent after its site was deleted, and leaves no rows', async ({ world }) => {
    const site = await siteWith('status/500')
    await deliver(world, site, 5)
    const { status } = await tryManage('DELETE', `${site.path}?confirm=Test`)
    expect([200, 202, 204]).toContain(status)
    await world.drain()
    expect(await world.received()).toEqual([])
    const [left] = await runSql(
      'select (select count(*)::int from alerts where site_id = $1) as alerts, (select count(*)::int from webhook_streaks where site_id = $1) as streaks',
      [site.id],
    )
    expect(left).toEqual({ alerts: 0, streaks: 0 })
    expect(await received(site)).toHaveLength(5)
  })
})
