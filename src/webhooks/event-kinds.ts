/**
 * The events that a site's receiver is told of. Every site with a webhook gets each of them. The OpenAPI document, filters and
 * lists follow this table, and the types of the receiver's kit are compared with it.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import * as z from 'zod/mini'
import { posts } from '../db/schema.ts'
import { qualityBands } from '../foundation/enums.ts'

/** An SQL expression over a row of posts. */
type OfPost = (post: SQL) => SQL

/** The change of a post that an event tells of: a condition on the row as it was, null for a new post, and as it is. */
type Change = (was: SQL, is: SQL) => SQL

type Described = { summary: string; description: string }

/** Of an event of a post: SQL for each field of the payload, so that it shows the post as of the change. Only of light columns. */
type OfPosts = Described & {
  /** A put, a change of status or slug, and marking ready insert the event of that change; SQL by hand does not. */
  when: Change
  fields: Record<string, readonly [schema: z.ZodMiniType, ofPost: OfPost]>
}

type OfTheService = Described & { fields: Record<string, readonly [schema: z.ZodMiniType]> }

/** `fields` are those of the payload after `event`, in their order. */
type Definition = OfPosts | OfTheService

export const events = {
  'article.ready': {
    summary: 'A quality-checked draft has been marked ready',
    description:
      'Fetch the post at `fetch.path` with your API key: it is at least as new as the event. If you miss an event, `updatedAfter` or the change feed has the post.',
    when: (was, is) => sql`${was}.ready_at is null and ${is}.ready_at is not null`,
    fields: {
      siteId: [z.uuid(), column(posts.siteId)],
      postId: [z.uuid(), column(posts.id)],
      slug: [z.string(), column(posts.slug)],
      title: [z.string(), column(posts.title)],
      trustScore: [
        z
          .nullable(z.number())
          .check(z.meta({ deprecated: true, description: 'Use `qualityBand`, which is made of it' })),
        column(posts.trustScore),
      ],
      qualityBand: [z.nullable(z.enum(qualityBands)), column(posts.qualityBand)],
      assuranceLabel: [z.nullable(z.string()), column(posts.assuranceLabel)],
      language: [z.nullable(z.string()), column(posts.language)],
      sourcePostId: [
        z.nullable(z.uuid()).check(z.describe('The post of which this one is a translation')),
        column(posts.sourcePostId),
      ],
      status: [z.literal('draft'), column(posts.status)],
      at: [
        z.iso.datetime().check(z.describe("The post's `updatedAt` as of the event")),
        (post) => sql`wire_time(${post}.updated_at)`,
      ],
      sequence: [
        z.int().check(z.describe('Its number in the change feed')),
        (post) => sql`wire_sequence(${post}.updated_at)`,
      ],
      fetch: [
        z
          .object({ path: z.string(), hint: z.string() })
          .check(z.describe('Where the post is, at least as new as the event')),
        (post) => sql`json_build_object(
          'path', '/api/v1/sites/' || ${post}.site_id || '/posts/' || url_component(${post}.slug),
          'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'
        )`,
      ],
    },
  },
  'webhook.test': {
    summary: 'Somebody tests the webhook',
    description: 'No post has changed: answer as you would for any event.',
    fields: { siteId: [z.uuid()], at: [z.iso.datetime()], message: [z.string()] },
  },
} as const satisfies Record<string, Definition>

export type EventKind = keyof typeof events
type Fields<Event extends EventKind> = (typeof events)[Event]['fields']
export type PostEventKind = {
  [Event in EventKind]: (typeof events)[Event] extends { when: Change } ? Event : never
}[EventKind]

export const eventKinds = Object.keys(events) as EventKind[]
export const postEventKinds = eventKinds.filter((event): event is PostEventKind => 'when' in events[event])

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

/** The payload of an event of a post as an SQL expression of type text, given a row of posts. */
export function payloadJson(event: PostEventKind, post: SQL): SQL {
  const pairs = Object.entries<readonly [unknown, OfPost]>(events[event].fields).map(
    ([name, [, ofPost]]) => sql`, ${sql.raw(`'${name}'`)}, ${ofPost(post)}`,
  )
  return sql`json_build_object('event', ${event}::text${sql.join(pairs)})::text`
}

function column({ name }: PgColumn): OfPost {
  return (post) => sql`${post}.${sql.identifier(name)}`
}
