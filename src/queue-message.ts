/** The messages of the queue: every kind that is sent, and what its consumer reads. */
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
  // The message names the site that it reaches.
  z.transform((actor): Actor => ({ ...actor, sites: null, token: null })),
)

/** A share of a site's limit of a UTC day has been used. Sitemap-only keys and links to drafts are counted apart. */
const UsedQuota = z.object({
  siteId: z.uuid(),
  counter: z.enum(quotaCounters),
  percent: z.int(),
  limit: z.int(),
  day: z.iso.date(),
})

export const QueueMessage = z.discriminatedUnion('kind', [
  /** Send this event: only a wake-up, since the event is the row in the outbox. */
  z.object({ kind: z.literal('event'), eventId: z.uuid() }),
  /** The site has many events to send. */
  z.object({ kind: z.literal('events'), siteId: z.uuid() }),
  /** The site's writer could not publish its versions in Redis. */
  z.object({ kind: z.literal('publish'), siteId: z.uuid() }),
  /** Sitemaps are marked to be purged. */
  z.object({ kind: z.literal('purge') }),
  /** Continue the deletion of the site. */
  z.object({ kind: z.literal('deletion'), siteId: z.uuid() }),
  /** Continue the renewal of the URLs in the site's posts. */
  z.object({
    kind: z.literal('rebuild'),
    siteId: z.uuid(),
    actor: z.nullable(SentActor),
    actId: z.uuid(),
  }),
  /** The site has alerts to send. */
  z.object({ kind: z.literal('alerts'), siteId: z.uuid() }),
  /** The next turn of a resend of all that failed. */
  z.object({ kind: z.literal('resend'), resendId: z.uuid(), turn: z.int() }),
  z.object({ kind: z.literal('quota'), used: UsedQuota }),
])

export type QueueMessage = z.infer<typeof QueueMessage>
export type UsedQuota = z.infer<typeof UsedQuota>
