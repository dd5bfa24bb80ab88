/** All messages of the queue. */
import * as z from 'zod/mini'
import type { Actor } from './core/actor.ts'
import { doors, quotaCounters, roles } from './core/enums.ts'

const SentActor = z.pipe(
  z.object({
    id: z.nullable(z.string()),
    name: z.nullable(z.string()),
    role: z.enum(roles),
    door: z.enum(doors),
    address: z.string(),
  }),
  // The message already names its site.
  z.transform((actor): Actor => ({ ...actor, sites: null, token: null })),
)

/** A site has used up a share of its daily quota. Sitemap-only keys and preview links count separately. */
const UsedQuota = z.object({
  siteId: z.uuid(),
  counter: z.enum(quotaCounters),
  percent: z.int(),
  limit: z.int(),
  day: z.iso.date(),
})

export const QueueMessage = z.discriminatedUnion('kind', [
  /** Wakes up the sender. The event itself is the row in the outbox. */
  z.object({ kind: z.literal('event'), eventId: z.uuid() }),
  /** The site has many events to send. */
  z.object({ kind: z.literal('events'), siteId: z.uuid() }),
  /** A writer could not store the site's versions in Redis. */
  z.object({ kind: z.literal('store'), siteId: z.uuid() }),
  /** Sitemaps are marked for a purge. */
  z.object({ kind: z.literal('purge') }),
  /** Continues the site's deletion. */
  z.object({ kind: z.literal('deletion'), siteId: z.uuid() }),
  /** Continues updating the URLs in the site's posts. */
  z.object({
    kind: z.literal('rebuild'),
    siteId: z.uuid(),
    actor: z.nullable(SentActor),
    actId: z.uuid(),
  }),
  /** The site has alerts to send. */
  z.object({ kind: z.literal('alerts'), siteId: z.uuid() }),
  /** The next turn of a resend of all failed events. */
  z.object({ kind: z.literal('resend'), resendId: z.uuid(), turn: z.int() }),
  z.object({ kind: z.literal('quota'), used: UsedQuota }),
])

export type QueueMessage = z.infer<typeof QueueMessage>
export type UsedQuota = z.infer<typeof UsedQuota>
