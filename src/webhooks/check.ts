/** Checks what a receiver got against the site's secret and against what was really sent. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { eventKinds, webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { type Diagnosis, diagnoseSignature, type Sent } from './diagnose.ts'
import { selectEndpoint } from './endpoint.ts'
import { openSecret } from './secret.ts'

/** More than is ever sent. */
const MAX_BODY_LENGTH = 100_000
/** So many of a site's newest deliveries are looked through, of each kind of event: tests hide nothing else. */
export const LOOKED_THROUGH = 1_000
const FOUND = 20

export const CheckInput = z
  .strictObject({
    timestamp: z.string().min(1, 'is required').max(40),
    body: z.string().min(1, 'is required').max(MAX_BODY_LENGTH),
    signature: z.string().min(1, 'is required').max(1_000),
    id: z.string().max(100),
  })
  .refine(({ signature, id }) => !signature.trim().startsWith('v1,') || id.trim() !== '', {
    path: ['id'],
    error: 'is required with a webhook-signature',
  })

/** @throws AppError webhook_missing */
export async function checkSignature(
  ctx: Context,
  site: { id: string },
  input: z.infer<typeof CheckInput>,
): Promise<Diagnosis> {
  const { timestamp, body, signature } = input
  const signatures = signature.trim()
  const isSigned = sql`(own = lower(${signatures}) or string_to_array(standard, ' ') && string_to_array(${signatures}, ' '))`
  const isBody = sql`body in (${body}, ${body.trim()})`
  const newest = eventKinds.map(
    (kind) => sql`(
      select d.id as "deliveryId", e.id, e.payload as body, e.event,
        d.request_headers->>'X-Service-Timestamp' as timestamp,
        d.request_headers->>'X-Service-Signature' as own,
        d.request_headers->>'webhook-signature' as standard
      from ${webhookDeliveries} d join ${webhookEvents} e on e.id = d.event_id
      where d.site_id = ${site.id} and e.event = ${kind} and d.request_headers is not null
      order by d.attempted_at desc limit ${LOOKED_THROUGH}
    )`,
  )
  const [[endpoint], { rows }] = await ctx.db.batch([
    selectEndpoint(ctx, site),
    ctx.db.execute(sql`
      select * from (${sql.join(newest, sql` union all `)}) sent
      where ${isSigned} or ${isBody} or timestamp = ${timestamp.trim()}
      order by ${isSigned} desc, ${isBody} desc, event limit ${FOUND}`),
  ])
  if (!endpoint) throw new AppError('webhook_missing')
  const previousSigns = endpoint.previousSecretExpiresAt && endpoint.previousSecretExpiresAt > new Date()
  return diagnoseSignature(input, {
    secret: await openSecret(ctx.config, site.id, endpoint.secret),
    previousSecret: previousSigns ? await openSecret(ctx.config, site.id, endpoint.previousSecret!) : null,
    sent: rows as Sent[],
    now: new Date(),
  })
}
