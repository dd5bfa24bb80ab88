/** Checks a received request against the site's webhook secrets and newest deliveries. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { eventKinds } from '../../core/enums.ts'
import { AppError } from '../../core/errors.ts'
import { UUID } from '../../core/ids.ts'
import { webhookDeliveries, webhookEvents } from '../../db/schema.ts'
import { selectEndpoints, toEndpoints } from '../endpoint.ts'
import { nameWebhooks } from '../names.ts'
import { decryptSigningSecrets } from '../secret.ts'
import { type Diagnosis, diagnoseSignature, type SentDelivery } from './diagnose.ts'

/** Longer than any payload. */
const MAX_BODY_LENGTH = 100_000
/** Newest deliveries per event type, so that tests do not push out the rest. */
const MAX_DELIVERIES_SEARCHED = 1_000
const MAX_CANDIDATES = 20

const UNDECRYPTABLE = {
  path: 'signature',
  message:
    'cannot be checked, since the secret of the webhook cannot be decrypted: rotate it, or restore WEBHOOK_KEYS',
}

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

/** `names`: the webhooks' by id. */
export type CheckedSignature = Diagnosis & { names: Map<string, string> }

/** @throws AppError webhook_not_found; invalid_body if no secret can be decrypted */
export async function checkSignature(
  ctx: Context,
  site: { id: string },
  input: z.infer<typeof SignatureCheckInput>,
): Promise<CheckedSignature> {
  const [endpoints, { rows }] = await ctx.db.batch([
    selectEndpoints(ctx, sql`${site.id}`),
    ctx.db.execute(selectCandidates(site, input)),
  ])
  if (endpoints.length === 0) throw new AppError('webhook_not_found')
  const webhooks = await Promise.all(
    endpoints.map(async (endpoint) => ({
      id: endpoint.id,
      secrets: await decryptSigningSecrets(ctx, endpoint),
    })),
  )
  if (webhooks.every(({ secrets }) => secrets === null)) throw new AppError('invalid_body', UNDECRYPTABLE)
  const diagnosis = await diagnoseSignature(input, {
    webhooks,
    deliveries: rows as SentDelivery[],
    now: new Date(),
  })
  return { ...diagnosis, names: nameWebhooks(toEndpoints(ctx, site, endpoints)) }
}

/** Deliveries with this signature, webhook-id, body or timestamp, most likely first. */
function selectCandidates(
  site: { id: string },
  { timestamp, body, signature, id }: z.infer<typeof SignatureCheckInput>,
) {
  const trimmed = signature.trim()
  const hasSignature = sql`("serviceSignature" = lower(${trimmed})
    or string_to_array("standardSignature", ' ') && string_to_array(${trimmed}, ' '))`
  const hasBody = sql`body in (${body}, ${body.trim()})`
  const newest = (which: SQL, limit: number) => sql`(
    select d.id as "deliveryId", e.id as "eventId", e.endpoint_id as "webhookId",
      e.payload as body, e.event,
      d.request_headers->>'X-Service-Timestamp' as timestamp,
      d.request_headers->>'X-Service-Signature' as "serviceSignature",
      d.request_headers->>'webhook-signature' as "standardSignature"
    from ${webhookDeliveries} d join ${webhookEvents} e on e.id = d.event_id
    where d.site_id = ${site.id} and ${which} and d.request_headers is not null
    order by d.attempted_at desc limit ${limit}
  )`
  const searched = eventKinds.map((kind) => newest(sql`e.event = ${kind}`, MAX_DELIVERIES_SEARCHED))
  // Finds an event by id at any age.
  const eventId = id.trim().toLowerCase()
  const named = UUID.test(eventId) ? eventId : null
  if (named) searched.push(newest(sql`e.id = ${named}`, MAX_CANDIDATES))
  const hasId = sql`"eventId" = ${named}::uuid`
  const hasTimestamp = sql`timestamp = ${timestamp.trim()}`
  return sql`
    select * from (${sql.join(searched, sql` union all `)}) candidates
    where ${hasSignature} or ${hasId} or ${hasBody} or ${hasTimestamp}
    order by ${hasSignature} desc, ${hasId} desc nulls last, ${hasBody} desc, ${hasTimestamp} desc, event
    limit ${MAX_CANDIDATES}`
}
