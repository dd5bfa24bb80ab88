/** Checks what a receiver got against the site's secrets and its newest deliveries. */
import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { eventKinds, webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { decryptSigningSecrets, selectEndpoint } from '../webhooks/endpoint.ts'
import { type Diagnosis, diagnoseSignature, type SentDelivery } from './diagnose.ts'

/** Longer than any payload. */
const MAX_BODY_LENGTH = 100_000
/** How many of a site's newest deliveries are searched per event type, so that tests do not push out the rest. */
export const MAX_DELIVERIES_SEARCHED = 1_000
const MAX_CANDIDATES = 20

const required = z.minLength(1, 'is required')

export const SignatureCheckInput = z
  .strictObject({
    timestamp: z.string().check(required, z.maxLength(40)),
    body: z.string().check(required, z.maxLength(MAX_BODY_LENGTH)),
    signature: z.string().check(required, z.maxLength(1_000)),
    id: z.string().check(z.maxLength(100)),
  })
  .check(
    z.refine(({ signature, id }) => !signature.trim().startsWith('v1,') || id.trim() !== '', {
      path: ['id'],
      error: 'is required with a webhook-signature',
    }),
  )

/** @throws AppError webhook_not_found */
export async function checkSignature(
  ctx: Context,
  site: { id: string },
  input: z.infer<typeof SignatureCheckInput>,
): Promise<Diagnosis> {
  const [[endpoint], { rows }] = await ctx.db.batch([
    selectEndpoint(ctx, site),
    ctx.db.execute(selectCandidates(site, input)),
  ])
  if (!endpoint) throw new AppError('webhook_not_found')
  return diagnoseSignature(input, {
    ...(await decryptSigningSecrets(ctx, endpoint)),
    deliveries: rows as SentDelivery[],
    now: new Date(),
  })
}

/** The deliveries with this signature, body or timestamp; the likeliest first. */
function selectCandidates(
  site: { id: string },
  { timestamp, body, signature }: z.infer<typeof SignatureCheckInput>,
) {
  const trimmed = signature.trim()
  const hasSignature = sql`("serviceSignature" = lower(${trimmed})
    or string_to_array("standardSignature", ' ') && string_to_array(${trimmed}, ' '))`
  const hasBody = sql`body in (${body}, ${body.trim()})`
  const newestOfEach = eventKinds.map(
    (kind) => sql`(
      select d.id as "deliveryId", e.id as "eventId", e.payload as body, e.event,
        d.request_headers->>'X-Service-Timestamp' as timestamp,
        d.request_headers->>'X-Service-Signature' as "serviceSignature",
        d.request_headers->>'webhook-signature' as "standardSignature"
      from ${webhookDeliveries} d join ${webhookEvents} e on e.id = d.event_id
      where d.site_id = ${site.id} and e.event = ${kind} and d.request_headers is not null
      order by d.attempted_at desc limit ${MAX_DELIVERIES_SEARCHED}
    )`,
  )
  return sql`
    select * from (${sql.join(newestOfEach, sql` union all `)}) newest
    where ${hasSignature} or ${hasBody} or timestamp = ${timestamp.trim()}
    order by ${hasSignature} desc, ${hasBody} desc, event limit ${MAX_CANDIDATES}`
}
