/** Alerts, raised by delivery outcomes and used quotas, and sent to every target. */
import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { quotaCounters } from '../core/enums.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { prune } from '../db/batches.ts'
import { afterCursor, cutPage, type Paging } from '../db/paging.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'
import { type AlertResult, alertKinds, alerts, alertTargets, eventStates, sites } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { writeAs } from '../db/write.ts'
import { sendMessages } from '../freshness/event-messages.ts'
import type { Sweep } from '../freshness/sweep.ts'
import { maskWebhookUrl } from '../people/webhook-url.ts'
import { webhookHost } from '../webhooks/endpoint.ts'
import { ALERT_INTERVAL, hasTarget } from '../webhooks/raised-alert.ts'
import { readTargets, selectAlertSettings, type Targets } from './settings.ts'

/** The second try is for failed targets, and for a Worker that died before it wrote the results. */
const MAX_TRIES = 2
const MAX_SITES = 1_000

const WebhookDetails = z.object({
  id: z.uuid().check(z.describe("The site's id for the first webhook")),
  name: z.string().check(z.describe('Its name when the alert was raised, or the host of the URL')),
  url: z.string().check(z.describe('The URL without its path, because the path may be a credential')),
  failures: z.int().check(z.describe('The number of deliveries that failed in a row')),
  since: z.iso.datetime().check(z.describe('When the first of these deliveries failed')),
  status: z.nullable(z.int()).check(z.describe('The HTTP status of the last delivery')),
  error: z.nullable(z.string()),
})

const QuotaDetails = z.object({
  counter: z
    .enum(quotaCounters)
    .check(z.describe('`sitemap` counts sitemap-only keys, `preview` counts preview links')),
  percent: z.int(),
  limit: z.int(),
  day: z.iso.date(),
  key: z
    .nullable(z.object({ id: z.uuid(), name: z.string(), requests: z.int() }))
    .check(
      z.describe(
        'The key with the most requests that day when the alert was raised. Null for preview links and older alerts',
      ),
    ),
})

export const Alert = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      kind: z.enum(alertKinds),
      webhook: z.nullable(WebhookDetails),
      quota: z.nullable(QuotaDetails),
      createdAt: z.iso.datetime(),
      state: z
        .enum(eventStates)
        .check(
          z.describe(
            '`pending`: not sent yet. `sending`: being sent, or waiting for a retry in an hour to targets where it failed',
          ),
        ),
      attemptedAt: z.nullable(z.iso.datetime()),
      results: z.array(
        z.object({
          target: z.enum(alertTargets),
          at: z.iso.datetime(),
          status: z.nullable(z.int()),
          error: z.nullable(z.string()).check(z.describe('Null if the alert was sent')),
        }),
      ),
    })
    .register(z.globalRegistry, { id: 'Alert' }),
)

export type Alert = z.infer<typeof Alert>

export type ClaimedAlerts = {
  site: { id: string; name: string }
  targets: Targets
  alerts: (Alert & { tries: number })[]
}

const isOpen = sql`a.state in ('pending', 'sending') and a.tries < ${MAX_TRIES}`

/** At most one message an hour per site. */
const isDue = sql`not exists (
  select from ${alerts} o where o.site_id = a.site_id and o.attempted_at > now() - ${ALERT_INTERVAL}::interval)`

/** @returns null if nothing is due or the site is being deleted */
export async function claimAlerts(ctx: Context, siteId: string): Promise<ClaimedAlerts | null> {
  const statements = [
    ctx.db.execute(sql`
      update ${alerts} a set attempted_at = now(), tries = tries + 1,
        state = case when tries + 1 < ${MAX_TRIES} then 'sending' else 'failed' end
      from ${sites} s where s.id = a.site_id and s.deletion_started_at is null
        and a.site_id = ${siteId} and ${isOpen} and ${isDue}
      returning a.id`),
    ctx.db.select({ id: sites.id, name: sites.name }).from(sites).where(eq(sites.id, siteId)),
    selectAlertSettings(ctx),
  ] as const
  const [claimed, [site], [settings]] = await writeAs(ctx, statements, { lock: siteId })
  if (claimed.rowCount === 0 || !site) return null
  const ids = claimed.rows.map(({ id }) => String(id))
  const rows = await selectAlerts(ctx, site, sql`${alerts.id} = any(${`{${ids.join()}}`}::uuid[])`)
  const targets = await readTargets(ctx, settings)
  return { site, targets, alerts: rows.reverse().map((row) => ({ ...toAlert(row), tries: row.tries })) }
}

/** @returns true if an alert needs a second try */
export async function recordResults(ctx: Context, { alerts: sent }: ClaimedAlerts): Promise<boolean> {
  const given = sent.map(({ id, tries, results }) => {
    const isSent = results.every(({ error }) => error === null)
    return { id, tries, results, state: isSent ? 'delivered' : tries < MAX_TRIES ? 'sending' : 'failed' }
  })
  await ctx.db.execute(sql`
    update ${alerts} a set results = g.results, state = g.state
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (id uuid, tries integer, results jsonb, state text)
    where a.id = g.id and a.tries = g.tries`)
  return given.some(({ state }) => state === 'sending')
}

/** For sites whose message was lost or whose Worker died. Without a target, alerts wait for one. */
export async function requeueDueAlerts(ctx: Context, { siteIds }: Pick<Sweep, 'siteIds'>): Promise<number> {
  const { rows } = await ctx.db.execute(sql`
    select distinct site_id from ${alerts} a
    where ${isOpen} and ${isOfSites(siteIds)} and ${isDue} and ${hasTarget(ctx)} limit ${MAX_SITES}`)
  await sendMessages(
    ctx,
    rows.map(({ site_id }) => ({ kind: 'alerts', siteId: String(site_id) })),
  )
  return rows.length
}

export async function listAlerts(ctx: Context, site: { id: string }, paging: Paging) {
  const after = afterCursor(paging.cursor, alerts.createdAt, alerts.id)
  const rows = await selectAlerts(ctx, site, after).limit(paging.limit + 1)
  return cutPage(rows, paging, (row) => row.createdAt, toAlert)
}

/** Alerts of all sites that the person may open, newest first. */
export async function listLatestAlerts(ctx: Context, limit: number) {
  const rows = await ctx.db
    .select({ alert: alerts, site: { id: sites.id, name: sites.name } })
    .from(alerts)
    .innerJoin(sites, eq(sites.id, alerts.siteId))
    .where(and(isNull(sites.deletionStartedAt), ofReachableSites(ctx, sql`${sites.id}`)))
    .orderBy(desc(alerts.createdAt), desc(alerts.id))
    .limit(limit)
  return rows.map(({ alert, site }) => ({ ...toAlert(alert), site }))
}

function selectAlerts({ db }: Context, site: { id: string }, where: SQL | undefined) {
  return db
    .select()
    .from(alerts)
    .where(and(eq(alerts.siteId, site.id), where))
    .orderBy(desc(alerts.createdAt), desc(alerts.id))
    .$dynamic()
}

export async function pruneAlerts(ctx: Context): Promise<number> {
  return prune(
    ctx,
    alerts,
    sql`created_at < now() - ${`${ctx.config.RETENTION_DELIVERY_DAYS} days`}::interval`,
  )
}

type AlertRow = typeof alerts.$inferSelect

function toAlert({ id, kind, endpointId, details, state, ...row }: AlertRow): Alert {
  const isQuota = kind === 'quota'
  const webhook = { id: endpointId, ...details } as NonNullable<Alert['webhook']>
  const shown = { name: webhook.name ?? webhookHost(webhook.url), url: maskWebhookUrl(webhook.url) }
  return {
    id,
    kind,
    webhook: isQuota ? null : { ...webhook, ...shown },
    quota: isQuota ? ({ key: null, ...details } as Alert['quota']) : null,
    createdAt: wireTime(row.createdAt),
    state,
    attemptedAt: wireTime(row.attemptedAt),
    results: row.results satisfies AlertResult[],
  }
}
