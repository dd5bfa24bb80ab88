import { getTableColumns } from 'drizzle-orm'
import { guides, posts } from '../src/db/schema.ts'
import {
  type ContentChange,
  type ContentEventKind,
  contentEventKinds,
  type EventValue,
  events,
  isOptional,
} from '../src/webhooks/event-kinds.ts'

const WAS_PUBLISHED = "coalesce(was ->> 'status' = 'published', false)"

const CHANGES: Record<ContentChange, string> = {
  ready:
    "NOT coalesce((was ->> 'ready')::boolean, false) AND now.ready_at IS NOT NULL AND now.status = 'draft'",
  published: `NOT ${WAS_PUBLISHED} AND now.status = 'published'`,
  updated: `${WAS_PUBLISHED} AND now.status = 'published'`,
  unpublished: `${WAS_PUBLISHED} AND now.status <> 'published'`,
  deleted: WAS_PUBLISHED,
}

const TABLES = { post: posts, guide: guides }

type Resource = keyof typeof TABLES

const VALUES: Record<'titleBefore' | 'slugBefore' | 'time' | 'sequence', string> = {
  titleBefore: "was ->> 'title'",
  slugBefore: "nullif(was ->> 'slug', now.slug)",
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

const insertion = (resource: Resource, rows: string, change: string, which = '') => `
    INSERT INTO webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
    SELECT e.site_id, w.id, e.event, '${resource}', e.resource_id, e.slug, e.payload
    FROM ${rows}
    CROSS JOIN LATERAL ${resource}_events(${change}) e
    JOIN webhook_endpoints w ON w.site_id = ANY (sites) AND w.site_id = e.site_id
      AND (NOT e.is_optional OR e.event = ANY (w.events))${which};`

function renderResource(resource: Resource): string {
  const kinds = contentEventKinds.filter((event) => events[event].resource === resource)
  if (kinds.length === 0) return ''
  const [table, name] = [`${resource}s`, `${resource}_events`]
  const ready = resource === 'post' ? 'c.ready_at IS NOT NULL' : 'NULL'
  return `
-- The event for a transaction's change to a ${resource}, with the exact bytes of its payload. \`now\` is the new row, and
-- \`was\` comes from state_before.
CREATE FUNCTION ${name}(now ${table}, was jsonb, deleted_at timestamptz)
RETURNS TABLE (site_id uuid, resource_id uuid, slug text, event text, is_optional boolean, payload text) LANGUAGE sql STABLE AS $$
${kinds.map(selectOf).join('\n  UNION ALL\n')}
$$;

-- Statement trigger: inserts an event for each changed ${resource} and subscribed webhook, and replaces those that this transaction
-- already inserted. A deletion's sequence number comes from its tombstone.
-- JIT is off, because disabling nested loops inflates the cost estimate.
CREATE FUNCTION insert_${name}() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET enable_nestloop = off SET jit = off SET search_path = public, pg_temp AS $$
DECLARE
  sites uuid[] := ARRAY(SELECT DISTINCT site_id FROM changed);
  own bigint := pg_current_xact_id()::text::bigint;
BEGIN
  IF current_setting('events.sending', true) = 'none'
    OR NOT EXISTS (SELECT FROM webhook_endpoints w WHERE w.site_id = ANY (sites)) THEN
    RETURN NULL;
  END IF;
  DELETE FROM webhook_events e
  WHERE e.created_at >= date_trunc('milliseconds', now()) AND e.transaction_id = own
    AND e.resource = '${resource}' AND e.resource_id = ANY (ARRAY(SELECT id FROM changed));
  IF TG_OP = 'DELETE' THEN${insertion(
    resource,
    `changed c JOIN (
      SELECT resource_id, max(deleted_at) AS deleted_at FROM tombstones
      WHERE site_id = ANY (sites) AND deleted_at >= date_trunc('milliseconds', now()) AND NOT published_only AND transaction_id = own
      GROUP BY resource_id
    ) t ON t.resource_id = c.id`,
    `ROW(c.*)::${table}, state_before(c.previous, c.status, c.slug, c.title, ${ready}), t.deleted_at`,
  )}
  ELSE${insertion(
    resource,
    'changed c',
    `ROW(c.*)::${table}, c.previous, NULL`,
    "\n    WHERE (c.previous ->> 'transaction')::bigint = own",
  )}
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER ${table}_events_inserted AFTER INSERT ON ${table}
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_${name}();

CREATE TRIGGER ${table}_events_updated AFTER UPDATE ON ${table}
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_${name}();

CREATE TRIGGER ${table}_events_deleted AFTER DELETE ON ${table}
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_${name}();
`
}

export const renderEvents = (): string =>
  `-- Generated by \`npm run db:generate\` from src/webhooks/event-kinds.ts.

-- The outbox: a change of content inserts its events in the same transaction. To change content by SQL without events, run
-- \`SET events.sending = 'none'\` first.
${renderResource('post')}${renderResource('guide')}`
