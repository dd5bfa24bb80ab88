/**
 * The webhook events. The OpenAPI document, filters and lists use this table, `db:generate` renders the trigger that inserts the
 * events from it, and the types of the SDK are checked against it.
 */
import * as z from 'zod/mini'
import { type EventKind, eventKinds, optionalEvents, qualityBands } from '../core/enums.ts'
import type { guides, posts } from '../db/schema.ts'

type Columns = {
  post: keyof (typeof posts)['_']['columns']
  guide: keyof (typeof guides)['_']['columns']
}

/** The source of a field: a column of the changed row, or a name that has SQL in drizzle/events.ts. */
type ValueOf<Resource extends keyof Columns> =
  | Columns[Resource]
  | 'titleBefore'
  | 'slugBefore'
  | 'time'
  | 'sequence'
  | 'fetch'
export type EventValue = ValueOf<'post'> | ValueOf<'guide'>

type Changes = { post: ContentChange; guide: Exclude<ContentChange, 'ready'> }
export type ContentChange = 'ready' | 'published' | 'updated' | 'unpublished' | 'deleted'

type Described = { summary: string; description: string }

type OfContent<Resource extends keyof Columns> = Described & {
  resource: Resource
  change: Changes[Resource]
  /** The payload after `event`, in order. */
  fields: Record<string, readonly [schema: z.ZodMiniType, value: ValueOf<Resource>]>
}

type OfTheService = Described & { fields: Record<string, readonly [schema: z.ZodMiniType]> }

type Definitions = {
  [Event in EventKind]: Event extends `guide.${string}`
    ? OfContent<'guide'>
    : Event extends 'webhook.test'
      ? OfTheService
      : OfContent<'post'>
}

const idFields = {
  siteId: [z.uuid(), 'siteId'],
  postId: [z.uuid(), 'id'],
  slug: [z.string(), 'slug'],
} as const

const language = [z.nullable(z.string()), 'language'] as const

const sourcePostId = [
  z.nullable(z.uuid()).check(z.describe('The post that this one is a translation of')),
  'sourcePostId',
] as const

const at = [
  z.iso.datetime().check(z.describe("The post's `updatedAt` at the time of the event")),
  'time',
] as const

const sequence = [
  z.int().check(z.describe('The number of this change in the change feed')),
  'sequence',
] as const

const toFetch = [
  z
    .object({ path: z.string(), hint: z.string() })
    .check(z.describe('Where to fetch the post, which is at least as new as the event')),
  'fetch',
] as const

const publishedFields = {
  ...idFields,
  title: [z.string(), 'title'],
  language,
  sourcePostId,
  status: [z.literal('published'), 'status'],
} as const

export const events = {
  'article.ready': {
    summary: 'A quality-checked draft was marked ready',
    description:
      'Fetch the post at `fetch.path` with your API key. It is at least as new as the event. If you miss an event, poll with `updatedAfter` or read the change feed.',
    resource: 'post',
    change: 'ready',
    fields: {
      ...idFields,
      title: [z.string(), 'title'],
      trustScore: [
        z
          .nullable(z.number())
          .check(
            z.meta({ deprecated: true, description: 'Use `qualityBand` instead, which is derived from it' }),
          ),
        'trustScore',
      ],
      qualityBand: [z.nullable(z.enum(qualityBands)), 'qualityBand'],
      assuranceLabel: [z.nullable(z.string()), 'assuranceLabel'],
      language,
      sourcePostId,
      status: [z.literal('draft'), 'status'],
      at,
      sequence,
      fetch: toFetch,
    },
  },
  'post.published': {
    summary: 'A post was published',
    description: 'Also sent for a new post that is created as published.',
    resource: 'post',
    change: 'published',
    fields: { ...publishedFields, at, sequence, fetch: toFetch },
  },
  'post.updated': {
    summary: 'A published post was changed',
    description:
      'Sent at most once per write, no matter how many fields changed. A write that changes nothing sends no event.',
    resource: 'post',
    change: 'updated',
    fields: {
      ...publishedFields,
      previousSlug: [
        z.nullable(z.string()).check(z.describe('The previous slug, if the slug was changed')),
        'slugBefore',
      ],
      at,
      sequence,
      fetch: toFetch,
    },
  },
  'post.unpublished': {
    summary: 'A published post was unpublished',
    description: 'The post is a draft again. Keys with the access `published` now get 404 for it.',
    resource: 'post',
    change: 'unpublished',
    fields: {
      ...publishedFields,
      // The title that was public, which the write may have changed.
      title: [z.string(), 'titleBefore'],
      status: [z.literal('draft'), 'status'],
      at,
      sequence,
      fetch: toFetch,
    },
  },
  'post.deleted': {
    summary: 'A published post was deleted',
    description: 'There is nothing left to fetch.',
    resource: 'post',
    change: 'deleted',
    fields: {
      ...idFields,
      language,
      at: [
        z.iso
          .datetime()
          .check(z.describe('The time of the deletion, equal to `updatedAt` of the change in the feed')),
        'time',
      ],
      sequence,
    },
  },
  'webhook.test': {
    summary: 'A test of the webhook',
    description: 'No post has changed. Respond as you would to any event.',
    fields: { siteId: [z.uuid()], at: [z.iso.datetime()], message: [z.string()] },
  },
} as const satisfies Definitions

type Fields<Event extends EventKind> = (typeof events)[Event]['fields']
export type ContentEventKind = {
  [Event in EventKind]: (typeof events)[Event] extends { resource: string } ? Event : never
}[EventKind]

export const contentEventKinds = eventKinds.filter(
  (event): event is ContentEventKind => 'resource' in events[event],
)
/** True if an endpoint must opt in. */
export const isOptional = (event: EventKind): boolean => ONLY_IF_ON.includes(event)
const ONLY_IF_ON: readonly EventKind[] = optionalEvents

/** `articleReady` for `article.ready`. */
export const operationIdOf = (event: EventKind) =>
  event.replace(/\.(.)/g, (_, letter) => letter.toUpperCase())

type Shape<Event extends EventKind> = { event: z.ZodMiniLiteral<Event> } & {
  -readonly [Name in keyof Fields<Event>]: Fields<Event>[Name] extends readonly [infer Schema, ...unknown[]]
    ? Schema
    : never
}

export function payloadSchema<Event extends EventKind>(event: Event) {
  const fields = Object.entries<readonly [z.ZodMiniType, EventValue?]>(events[event].fields)
  const shape = Object.fromEntries(fields.map(([name, [schema]]) => [name, schema]))
  return z.object({ event: z.literal(event), ...shape } as Shape<Event>)
}

export type Payload<Event extends EventKind> = z.infer<ReturnType<typeof payloadSchema<Event>>>
