/**
 * The events that a site's receivers are told of. The OpenAPI document, filters, lists and choices follow this table, and the
 * types of the receiver's kit are compared with it.
 */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { posts } from '../db/schema.ts'
import { optionalEvents, qualityBands } from '../foundation/enums.ts'

/** An SQL expression over a row of posts as it is, and as it was. */
type OfPost = (is: SQL, was: SQL) => SQL

type Described = { summary: string; description: string }

/** Of an event of a post: SQL for each field of the payload, so that it shows the post as of the change. Only of light columns. */
type OfPosts = Described & {
  /** Which change of a post it tells of. A statement that changes posts inserts the events of that change; SQL by hand does not. */
  when: OfPost
  /** Of a deletion: then `is` has the columns of `deletedPosts` in src/webhooks/event.ts, and there is no `was`. */
  isDeletion?: true
  fields: Record<string, readonly [schema: z.ZodMiniType, ofPost: OfPost]>
}

type OfTheService = Described & { fields: Record<string, readonly [schema: z.ZodMiniType]> }

/** `fields` are those of the payload after `event`, in their order. */
type Definition = OfPosts | OfTheService

/** The name says which resource changed: an event of another one needs a type and SQL of its own. */
type Definitions = Record<'article.ready' | `post.${string}`, OfPosts> & Record<'webhook.test', OfTheService>
type PostColumn = (typeof posts)['_']['columns'][keyof (typeof posts)['_']['columns']]

const which = {
  siteId: [z.uuid(), column(posts.siteId)],
  postId: [z.uuid(), column(posts.id)],
  slug: [z.string(), column(posts.slug)],
} as const

const language = [z.nullable(z.string()), column(posts.language)] as const

const sourcePostId = [
  z.nullable(z.uuid()).check(z.describe('The post of which this one is a translation')),
  column(posts.sourcePostId),
] as const

const at = [
  z.iso.datetime().check(z.describe("The post's `updatedAt` as of the event")),
  (post: SQL) => sql`wire_time(${post}.updated_at)`,
] as const

const sequence = [
  z.int().check(z.describe('Its number in the change feed')),
  (post: SQL) => sql`wire_sequence(${post}.updated_at)`,
] as const

const toFetch = [
  z
    .object({ path: z.string(), hint: z.string() })
    .check(z.describe('Where the post is, at least as new as the event')),
  (post: SQL) => sql`json_build_object(
          'path', '/api/v1/sites/' || ${post}.site_id || '/posts/' || url_component(${post}.slug),
          'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'
        )`,
] as const

const ofAPublished = {
  ...which,
  title: [z.string(), column(posts.title)],
  language,
  sourcePostId,
  status: [z.literal('published'), column(posts.status)],
} as const

const wasPublished = (was: SQL) => sql`coalesce(${was}.status, 'draft') = 'published'`
const isPublished = (is: SQL) => sql`${is}.status = 'published'`

export const events = {
  'article.ready': {
    summary: 'A quality-checked draft has been marked ready',
    description:
      'Fetch the post at `fetch.path` with your API key: it is at least as new as the event. If you miss an event, `updatedAfter` or the change feed has the post.',
    when: (is, was) => sql`${was}.ready_at is null and ${is}.ready_at is not null`,
    fields: {
      ...which,
      title: [z.string(), column(posts.title)],
      trustScore: [
        z
          .nullable(z.number())
          .check(z.meta({ deprecated: true, description: 'Use `qualityBand`, which is made of it' })),
        column(posts.trustScore),
      ],
      qualityBand: [z.nullable(z.enum(qualityBands)), column(posts.qualityBand)],
      assuranceLabel: [z.nullable(z.string()), column(posts.assuranceLabel)],
      language,
      sourcePostId,
      status: [z.literal('draft'), column(posts.status)],
      at,
      sequence,
      fetch: toFetch,
    },
  },
  'post.published': {
    summary: 'A post has been published',
    description: 'A post that is put as published for the first time is one too.',
    when: (is, was) => sql`not ${wasPublished(was)} and ${isPublished(is)}`,
    fields: { ...ofAPublished, at, sequence, fetch: toFetch },
  },
  'post.updated': {
    summary: 'A published post has changed',
    description: 'At most one for each write, whatever that changed; a write without a change sends none.',
    when: (is, was) =>
      sql`${wasPublished(was)} and ${isPublished(is)} and ${is}.updated_at <> ${was}.updated_at`,
    fields: {
      ...ofAPublished,
      previousSlug: [
        z.nullable(z.string()).check(z.describe('The slug before, if it has got another one')),
        (is, was) => sql`nullif(${was}.slug, ${is}.slug)`,
      ],
      at,
      sequence,
      fetch: toFetch,
    },
  },
  'post.unpublished': {
    summary: 'A published post is a draft again',
    description: 'To keys with the access `published` the post is 404 now.',
    when: (is, was) => sql`${wasPublished(was)} and not ${isPublished(is)}`,
    fields: {
      ...ofAPublished,
      // The one it had in public: a put may have brought another.
      title: [z.string(), (_, was) => column(posts.title)(was, was)],
      status: [z.literal('draft'), column(posts.status)],
      at,
      sequence,
      fetch: toFetch,
    },
  },
  'post.deleted': {
    summary: 'A published post has been deleted',
    description: 'There is nothing left to fetch.',
    when: isPublished,
    isDeletion: true,
    fields: {
      ...which,
      language,
      at: [
        z.iso.datetime().check(z.describe('When it was deleted: the `updatedAt` of its change in the feed')),
        at[1],
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
  [Event in EventKind]: (typeof events)[Event] extends { when: OfPost } ? Event : never
}[EventKind]

export const eventKinds = Object.keys(events) as EventKind[]
export const postEventKinds = eventKinds.filter((event): event is PostEventKind => 'when' in events[event])
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
  const fields = Object.entries<Definition['fields'][string]>(events[event].fields)
  const shape = Object.fromEntries(fields.map(([name, [schema]]) => [name, schema]))
  return z.object({ event: z.literal(event), ...shape } as Shape<Event>)
}

export type Payload<Event extends EventKind> = z.infer<ReturnType<typeof payloadSchema<Event>>>

/** The payload of an event of a post as an SQL expression of type text, given a row of posts as it is and as it was. */
export function payloadJson(event: PostEventKind, is: SQL, was: SQL): SQL {
  const pairs = Object.entries<readonly [unknown, OfPost]>(events[event].fields).map(
    ([name, [, ofPost]]) => sql`, ${sql.raw(`'${name}'`)}, ${ofPost(is, was)}`,
  )
  return sql`json_build_object('event', ${event}::text${sql.join(pairs)})::text`
}

function column({ name }: PostColumn): OfPost {
  return (post) => sql`${post}.${sql.identifier(name)}`
}
