/**
 * The events that a site's receivers get. The OpenAPI document, filters, lists and choices follow this table, `db:generate`
 * renders the trigger that inserts them, and the types of the receiver's kit are compared with it.
 */
import * as z from 'zod/mini'
import type { posts } from '../db/schema.ts'
import { optionalEvents, qualityBands } from '../foundation/enums.ts'

type PostColumn = keyof (typeof posts)['_']['columns']

/** Where a field's value comes from: a column of the post as it is, or a name that drizzle/post-events.ts has SQL for. */
export type PostValue = PostColumn | 'titleBefore' | 'slugBefore' | 'time' | 'sequence' | 'fetch'

/** The changes of a post that make an event. */
export type PostChange = 'ready' | 'published' | 'updated' | 'unpublished' | 'deleted'

type Described = { summary: string; description: string }

type OfPosts = Described & {
  change: PostChange
  /** The payload after `event`, in its order. */
  fields: Record<string, readonly [schema: z.ZodMiniType, value: PostValue]>
}

type OfTheService = Described & { fields: Record<string, readonly [schema: z.ZodMiniType]> }

/** The name says which resource changed: an event of another one needs a type and SQL of its own. */
type Definitions = Record<'article.ready' | `post.${string}`, OfPosts> & Record<'webhook.test', OfTheService>

const which = {
  siteId: [z.uuid(), 'siteId'],
  postId: [z.uuid(), 'id'],
  slug: [z.string(), 'slug'],
} as const

const language = [z.nullable(z.string()), 'language'] as const

const sourcePostId = [
  z.nullable(z.uuid()).check(z.describe('The post of which this one is a translation')),
  'sourcePostId',
] as const

const at = [z.iso.datetime().check(z.describe("The post's `updatedAt` as of the event")), 'time'] as const

const sequence = [z.int().check(z.describe('Its number in the change feed')), 'sequence'] as const

const toFetch = [
  z
    .object({ path: z.string(), hint: z.string() })
    .check(z.describe('Where the post is, at least as new as the event')),
  'fetch',
] as const

const ofAPublished = {
  ...which,
  title: [z.string(), 'title'],
  language,
  sourcePostId,
  status: [z.literal('published'), 'status'],
} as const

export const events = {
  'article.ready': {
    summary: 'A quality-checked draft has been marked ready',
    description:
      'Fetch the post at `fetch.path` with your API key: it is at least as new as the event. If you miss an event, `updatedAfter` or the change feed has the post.',
    change: 'ready',
    fields: {
      ...which,
      title: [z.string(), 'title'],
      trustScore: [
        z
          .nullable(z.number())
          .check(z.meta({ deprecated: true, description: 'Use `qualityBand`, which is made of it' })),
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
    summary: 'A post has been published',
    description: 'A post that is put as published for the first time is one too.',
    change: 'published',
    fields: { ...ofAPublished, at, sequence, fetch: toFetch },
  },
  'post.updated': {
    summary: 'A published post has changed',
    description: 'At most one for each write, whatever that changed; a write without a change sends none.',
    change: 'updated',
    fields: {
      ...ofAPublished,
      previousSlug: [
        z.nullable(z.string()).check(z.describe('The slug before, if it has got another one')),
        'slugBefore',
      ],
      at,
      sequence,
      fetch: toFetch,
    },
  },
  'post.unpublished': {
    summary: 'A published post is a draft again',
    description: 'To keys with the access `published` the post is 404 now.',
    change: 'unpublished',
    fields: {
      ...ofAPublished,
      // The one it had in public: a put may have brought another.
      title: [z.string(), 'titleBefore'],
      status: [z.literal('draft'), 'status'],
      at,
      sequence,
      fetch: toFetch,
    },
  },
  'post.deleted': {
    summary: 'A published post has been deleted',
    description: 'There is nothing left to fetch.',
    change: 'deleted',
    fields: {
      ...which,
      language,
      at: [
        z.iso.datetime().check(z.describe('When it was deleted: the `updatedAt` of its change in the feed')),
        'time',
      ],
      sequence,
    },
  },
  'webhook.test': {
    summary: 'Somebody tests the webhook',
    description: 'No post has changed: answer as you would for any event.',
    fields: { siteId: [z.uuid()], at: [z.iso.datetime()], message: [z.string()] },
  },
} as const satisfies Definitions

export type EventKind = keyof typeof events
type Fields<Event extends EventKind> = (typeof events)[Event]['fields']
export type PostEventKind = {
  [Event in EventKind]: (typeof events)[Event] extends OfPosts ? Event : never
}[EventKind]

export const eventKinds = Object.keys(events) as EventKind[]
export const postEventKinds = eventKinds.filter((event): event is PostEventKind => 'change' in events[event])
/** Whether only endpoints get it that have it switched on. */
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

/** What is sent of an event, as a schema. */
export function payloadSchema<Event extends EventKind>(event: Event) {
  const fields = Object.entries<readonly [z.ZodMiniType, PostValue?]>(events[event].fields)
  const shape = Object.fromEntries(fields.map(([name, [schema]]) => [name, schema]))
  return z.object({ event: z.literal(event), ...shape } as Shape<Event>)
}

export type Payload<Event extends EventKind> = z.infer<ReturnType<typeof payloadSchema<Event>>>
