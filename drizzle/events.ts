/** Renders drizzle/functions/events.sql, the triggers that fill the outbox, from src/webhooks/event-kinds.ts. */
import { getTableColumns } from 'drizzle-orm'
import { guides, posts } from '../src/db/schema.ts'
import {
  type Change,
  type ContentEventKind,
  contentEventKinds,
  type EventValue,
  events,
  isOptional,
} from '../src/webhooks/event-kinds.ts'

const OF_PUBLISHED = contentEventKinds.filter(
  (event) => !['ready', 'published'].includes(events[event].change),
)

/** True if the row was published before the transaction. An earlier event of the transaction decides, if there is one. */
const WAS_PUBLISHED = `coalesce(earlier && '{${OF_PUBLISHED.join()}}', was.status = 'published', false)`

const CHANGES: Record<Change, string> = {
  ready:
    "(was.ready_at IS NULL OR 'article.ready' = ANY (earlier)) AND now.ready_at IS NOT NULL AND now.status = 'draft'",
  published: `NOT ${WAS_PUBLISHED} AND now.status = 'published'`,
  updated: `${WAS_PUBLISHED} AND now.status = 'published' AND (now.updated_at <> was.updated_at OR earlier IS NOT NULL)`,
  unpublished: `${WAS_PUBLISHED} AND now.status <> 'published'`,
  deleted: WAS_PUBLISHED,
}

const TABLES = { post: posts, guide: guides }

type Resource = keyof typeof TABLES

const VALUES: Record<'titleBefore' | 'slugBefore' | 'time' | 'sequence', string> = {
  titleBefore: 'coalesce(title_before, was.title)',
  slugBefore: 'nullif(coalesce(slug_before, was.slug), now.slug)',
  time: 'wire_time(coalesce(deleted_at, now.updated_at))',
  sequence: 'wire_sequence(coalesce(deleted_at, now.updated_at))',
}

const HINTS: Record<Resource, string> = {
  post: 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.',
  guide: 'GET fetch.path with your API key as a Bearer token to import contentHtml.',
}

const fetchOf = (resource: Resource) => `json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/${resource}s/' || url_component(now.slug),
      'hint', '${HINTS[resource]}')`

function sqlOf(resource: Resource, value: EventValue): string {
  if (value === 'fetch') return fetchOf(resource)
  if (value in VALUES) return VALUES[value as keyof typeof VALUES]
  const columns: Record<string, { name: string }> = getTableColumns(TABLES[resource])
  return `now.${columns[value]!.name}`
}

function selectOf(event: ContentEventKind): string {
  const { resource, change, fields } = events[event]
  const pairs = Object.entries<readonly [unknown, EventValue]>(fields).map(
    ([name, [, value]]) => `,
    '${name}', ${sqlOf(resource, value)}`,
  )
  return `  SELECT now.site_id, now.id, now.slug, '${event}', ${isOptional(event)}, json_build_object(
    'event', '${event}'${pairs.join('')})::text
  WHERE deleted_at IS ${change === 'deleted' ? 'NOT NULL' : 'NULL'} AND ${CHANGES[change]}`
}

const insertion = (resource: Resource, rows: string, change: string) => `
    INSERT INTO webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
    SELECT e.site_id, w.id, e.event, '${resource}', e.resource_id, e.slug, e.payload
    FROM ${rows}
    CROSS JOIN LATERAL ${resource}_events(${change}) e
    JOIN webhook_endpoints w ON w.site_id = ANY (sites) AND w.site_id = e.site_id
      AND (NOT e.is_optional OR e.event = ANY (w.events));`

function renderResource(resource: Resource): string {
  const kinds = contentEventKinds.filter((event) => events[event].resource === resource)
  if (kinds.length === 0) return ''
  const [table, name] = [`${resource}s`, `${resource}_events`]
  const earlier = `remove_earlier_events('${resource}', ARRAY(SELECT id FROM changed)) x`
  return `
-- The event for a transaction's change of a ${resource}, with the exact bytes of its payload. \`was\` is the row before the
-- statement, \`now\` the latest. \`earlier\`, \`title_before\` and \`slug_before\` come from remove_earlier_events.
CREATE FUNCTION ${name}(now ${table}, was ${table}, deleted_at timestamptz, earlier text[], title_before text, slug_before text)
RETURNS TABLE (site_id uuid, resource_id uuid, slug text, event text, is_optional boolean, payload text) LANGUAGE sql STABLE AS $$
${kinds.map(selectOf).join('\n  UNION ALL\n')}
$$;

-- Statement trigger: inserts the event of each changed ${resource} for each subscribed webhook. The sequence of a deletion comes
-- from the ${resource}'s tombstone.
-- JIT is off, because the estimated cost without nested loops is high enough to trigger it.
CREATE FUNCTION insert_${name}() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET enable_nestloop = off SET jit = off SET search_path = public, pg_temp AS $$
DECLARE
  sites uuid[] := ARRAY(SELECT DISTINCT site_id FROM changed);
BEGIN
  IF current_setting('events.sending', true) = 'none'
    OR NOT EXISTS (SELECT FROM webhook_endpoints w WHERE w.site_id = ANY (sites)) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN${insertion(resource, 'changed n', `ROW(n.*)::${table}, NULL, NULL, NULL, NULL, NULL`)}
  ELSIF TG_OP = 'UPDATE' THEN${insertion(
    resource,
    `changed n JOIN removed o USING (id)
    LEFT JOIN ${earlier} USING (id)`,
    `ROW(n.*)::${table}, ROW(o.*)::${table}, NULL, x.events, x.title, x.slug`,
  )}
  ELSE${insertion(
    resource,
    `changed o JOIN tombstones t ON t.site_id = o.site_id AND t.resource_id = o.id AND t.slug = o.slug
      AND t.deleted_at >= date_trunc('milliseconds', now()) AND NOT t.published_only AND t.transaction_id = pg_current_xact_id()::text::bigint
    LEFT JOIN ${earlier} ON x.id = o.id`,
    `ROW(o.*)::${table}, ROW(o.*)::${table}, t.deleted_at, x.events, x.title, x.slug`,
  )}
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER ${table}_events_inserted AFTER INSERT ON ${table}
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_${name}();

CREATE TRIGGER ${table}_events_updated AFTER UPDATE ON ${table}
  REFERENCING OLD TABLE AS removed NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_${name}();

CREATE TRIGGER ${table}_events_deleted AFTER DELETE ON ${table}
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_${name}();
`
}

export const renderEvents = (): string =>
  `-- Made by \`npm run db:generate\` from src/webhooks/event-kinds.ts.

-- The outbox: a content change inserts its events in the same transaction. To change content by SQL without events, run
-- \`SET events.sending = 'none'\` first.

-- Removes the events that the running transaction inserted for these rows, and returns their data for the events that replace
-- them.
CREATE FUNCTION remove_earlier_events(kind text, ids uuid[])
RETURNS TABLE (id uuid, events text[], title text, slug text) LANGUAGE sql AS $$
  WITH removed AS (
    DELETE FROM webhook_events e
    WHERE e.created_at >= date_trunc('milliseconds', now()) AND e.transaction_id = pg_current_xact_id()::text::bigint
      AND e.resource = kind AND e.resource_id = ANY (ids)
    RETURNING e.resource_id, e.event, e.slug, e.payload::json AS payload
  )
  SELECT resource_id, array_agg(event), max(payload ->> 'title'), max(coalesce(payload ->> 'previousSlug', slug))
  FROM removed GROUP BY resource_id
$$;
${renderResource('post')}${renderResource('guide')}`
