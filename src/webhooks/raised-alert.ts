/** An alert that a statement has just raised, and the queue message that sends it. */
import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { alertSettings, alerts } from '../db/schema.ts'

/** A site gets at most one message an hour. */
export const ALERT_INTERVAL = '1 hour'

export type Raised = { siteId: string; waitSeconds: number }

/** For a statement with the new alerts in a CTE `raised`, which has their `site_id`. The rows are `Raised`. */
export const SELECT_RAISED = sql`
  select site_id as "siteId", ceil(extract(epoch from greatest(interval '0', (
    select max(attempted_at) from ${alerts} a where a.site_id = raised.site_id
  ) + ${ALERT_INTERVAL}::interval - now())))::integer as "waitSeconds"
  from raised`

/** Without a target, no alert is raised. Emails need the sender of the environment. */
export const hasTarget = ({ config }: Context) => sql`(${config.hasAlerts}::boolean or exists (
  select from ${alertSettings} where slack_url is not null or email_to is not null))`

/** If the message is lost, the sweep sends another. */
export async function enqueueAlerts(ctx: Context, { siteId, waitSeconds }: Raised): Promise<void> {
  try {
    const delaySeconds = waitSeconds && waitSeconds + 1
    await ctx.queue.send({ kind: 'alerts', siteId }, { delaySeconds })
  } catch (error) {
    ctx.log('queue.unreachable', { siteId, error: describeError(error) })
  }
}
