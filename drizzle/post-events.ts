/** Renders drizzle/functions/post-events.sql: which events a change of a post makes, from src/webhooks/event-kinds.ts. */
import { getTableColumns } from 'drizzle-orm'
import { posts } from '../src/db/schema.ts'
import {
  events,
  isOptional,
  type PostChange,
  type PostEventKind,
  type PostValue,
  postEventKinds,
} from '../src/webhooks/event-kinds.ts'

/** An inserted post has no `was`. A deleted one has no `now`. */
const CHANGES: Record<PostChange, string> = {
  ready: 'was.ready_at IS NULL AND now.ready_at IS NOT NULL',
  published: "was.status IS DISTINCT FROM 'published' AND now.status = 'published'",
  updated: "was.status = 'published' AND now.status = 'published' AND now.updated_at <> was.updated_at",
  unpublished: "was.status = 'published' AND now.status <> 'published'",
  deleted: "was.status = 'published' AND deleted_at IS NOT NULL",
}

const columns = getTableColumns(posts)
type Column = keyof typeof columns

const VALUES: Record<Exclude<PostValue, Column>, string> = {
  titleBefore: 'was.title',
  slugBefore: 'nullif(was.slug, now.slug)',
  time: 'wire_time(coalesce(deleted_at, now.updated_at))',
  sequence: 'wire_sequence(coalesce(deleted_at, now.updated_at))',
  fetch: `json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.')`,
}

const isColumn = (value: PostValue): value is Column => value in columns

function selectOf(event: PostEventKind): string {
  const { change, fields } = events[event]
  const post = change === 'deleted' ? 'was' : 'now'
  const pairs = Object.entries<readonly [unknown, PostValue]>(fields).map(
    ([name, [, value]]) => `,
    '${name}', ${isColumn(value) ? `${post}.${columns[value].name}` : VALUES[value]}`,
  )
  return `  SELECT ${post}.site_id, ${post}.id, ${post}.slug, '${event}', ${isOptional(event)}, json_build_object(
    'event', '${event}'${pairs.join('')})::text
  WHERE ${CHANGES[change]}`
}

export const renderPostEvents =
  (): string => `-- Made by \`npm run db:generate\` from src/webhooks/event-kinds.ts.

-- The events of a change of a post, with the exact bytes of their payloads.
CREATE FUNCTION post_events(now posts, was posts, deleted_at timestamptz)
RETURNS TABLE (site_id uuid, post_id uuid, slug text, event text, is_optional boolean, payload text) LANGUAGE sql STABLE AS $$
${postEventKinds.map(selectOf).join('\n  UNION ALL\n')}
$$;
`
