import * as z from 'zod/mini'
import type { Actor } from './core/actor.ts'
import { channels, quotaCounters, roles } from './core/enums.ts'

const SentActor = z.pipe(
  z.object({
    id: z.nullable(z.string()),
    name: z.nullable(z.string()),
    role: z.enum(roles),
    channel: z.enum(channels),
    address: z.string(),
  }),
  // The message already names its site.
  z.transform((actor): Actor => ({ ...actor, sites: null, token: null })),
)

const UsedQuota = z.object({
  siteId: z.uuid(),
  counter: z.enum(quotaCounters),
  percent: z.int(),
  limit: z.int(),
  day: z.iso.date(),
})

export const QueueMessage = z.discriminatedUnion('kind', [
  /** The event itself is the row in the outbox. */
  z.object({ kind: z.literal('event'), eventId: z.uuid() }),
  z.object({ kind: z.literal('events'), siteId: z.uuid() }),
  /** From a writer that cannot reach Redis. */
  z.object({ kind: z.literal('store'), siteId: z.uuid() }),
  z.object({ kind: z.literal('purge') }),
  z.object({ kind: z.literal('deletion'), siteId: z.uuid() }),
  z.object({
    kind: z.literal('rebuild'),
    siteId: z.uuid(),
    actor: z.nullable(SentActor),
    changesetId: z.uuid(),
  }),
  z.object({ kind: z.literal('alerts'), siteId: z.uuid() }),
  z.object({ kind: z.literal('resend'), resendId: z.uuid(), turn: z.int() }),
  z.object({ kind: z.literal('import'), importId: z.uuid(), turn: z.int() }),
  z.object({ kind: z.literal('quota'), used: UsedQuota }),
])

export type QueueMessage = z.infer<typeof QueueMessage>
export type UsedQuota = z.infer<typeof UsedQuota>
