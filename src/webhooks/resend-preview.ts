/** Previews a resend of all that failed, for a page that asks first. */
import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { webhookEvents } from '../db/schema.ts'
import { asResend, type Failed, isToSend } from './resend.ts'

export type ResendPreview = {
  /** Later failures are not part of it. */
  failedUntil: string
  /** `id` is the site's for its first webhook; `since` and `until` are when the first and the last event failed. */
  webhooks: { id: string; count: number; since: string; until: string }[]
}

export async function previewResend(
  ctx: Context,
  site: { id: string },
  failed: Failed,
): Promise<ResendPreview> {
  const { rows } = await ctx.db.execute(sql`
    with r as (${asResend(site, failed)}),
    found as (
      select e.endpoint_id as id, count(*)::integer as count,
        wire_time(min(e.finished_at)) as since, wire_time(max(e.finished_at)) as until
      from r join ${webhookEvents} e on ${isToSend} group by 1
    )
    select wire_time(failed_until) as "failedUntil",
      (select coalesce(jsonb_agg(to_jsonb(f) order by f.count desc, f.id), '[]') from found f) as webhooks
    from r`)
  return rows[0] as ResendPreview
}
