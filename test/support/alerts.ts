/** A Worker with targets for alerts, and a queue whose messages a test delivers when it likes. */
import { inject } from 'vitest'
import { createContext } from '../../functions/http/context.ts'
import type { Context } from '../../src/context.ts'
import type { QueueMessage } from '../../src/queue-message.ts'
import { bindings, NO_EXECUTION } from './context.ts'
import { hand } from './outbox.ts'
import type { Received } from './receiver.ts'
import { makeSite, type TestSite } from './site.ts'
import { runSql } from './sql.ts'
import { setWebhook } from './webhook.ts'

export type Sent = { body: QueueMessage; delaySeconds: number }
export type AlertWorld = Awaited<ReturnType<typeof alertWorld>>

const CONSOLE_URL = 'https://console.example.com/console'

/** `targets` are scripts of the receiver (receiver.ts), by variable; Slack answers ok by default. */
export async function alertWorld(
  targets: Record<string, string> = { ALERT_SLACK_URL: 'ok' },
  vars: Record<string, unknown> = {},
) {
  const id = crypto.randomUUID()
  const messages: Sent[] = []
  const send = async (body: QueueMessage, options: { delaySeconds?: number } = {}) => {
    messages.push({ body, delaySeconds: options.delaySeconds ?? 0 })
  }
  const urls = Object.entries(targets).map(([name, script]) => [
    name,
    `${inject('receiver')}/${id}-${name}/${script}`,
  ])
  const env = {
    ...bindings,
    CONSOLE_URL,
    ...Object.fromEntries(urls),
    ...vars,
    WEBHOOK_EVENTS: {
      send,
      sendBatch: async (batch: Iterable<{ body: QueueMessage }>) => {
        for (const { body } of batch) await send(body)
      },
    } as unknown as typeof bindings.WEBHOOK_EVENTS,
  } as typeof bindings
  return {
    env,
    messages,
    context: (): Context => createContext(env, NO_EXECUTION, { writes: true }),
    async received(name = 'ALERT_SLACK_URL') {
      const response = await fetch(`${inject('receiver')}/${id}-${name}`)
      return (await response.json<Received[]>()).map((each) => ({ ...each, json: JSON.parse(each.body) }))
    },
    /** Delivers the queue's messages, including delayed ones, until none that `takes` accepts are left. */
    async drain(takes = ({ delaySeconds }: Sent) => delaySeconds === 0) {
      for (let next = messages.findIndex(takes); next >= 0; next = messages.findIndex(takes)) {
        const [{ body }] = messages.splice(next, 1) as [Sent]
        await hand([body], env)
      }
    },
  }
}

/** A site whose webhook answers as the script says. */
export async function siteWith(script: string, fields: Record<string, unknown> = {}): Promise<TestSite> {
  const site = await makeSite(fields)
  await setWebhook(site, script)
  return site
}

/** Makes this many deliveries in sequence, with the first webhook or another. */
export async function deliver(world: AlertWorld, site: TestSite, count: number, endpointId = site.id) {
  for (let each = 0; each < count; each++) {
    const [event] = await runSql(
      `insert into webhook_events (site_id, endpoint_id, event, payload) values ($1, $2, 'webhook.test', '{}') returning id`,
      [site.id, endpointId],
    )
    await hand([{ kind: 'event', eventId: event!.id }], world.env)
  }
}

/** Moves the last alert to an hour ago. */
export const anHourLater = (site: TestSite) =>
  runSql(`update alerts set attempted_at = attempted_at - interval '61 minutes' where site_id = $1`, [
    site.id,
  ])

export type AlertRow = {
  kind: string
  state: string
  tries: number
  results: { target: string; status: number | null; error: string | null }[]
}

export const alertsOf = async (site: TestSite) =>
  (await runSql('select kind, state, tries, results from alerts where site_id = $1 order by created_at, id', [
    site.id,
  ])) as unknown as AlertRow[]

export const streaksOf = (site: TestSite) =>
  runSql('select failures from webhook_streaks where site_id = $1', [site.id])
