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

/** An inserted row has no `was`. A deleted one has no `now`. */
const CHANGES: Record<Change, string> = {
  ready: "was.ready_at IS NULL AND now.ready_at IS NOT NULL AND now.status = 'draft'",
  published: "was.status IS DISTINCT FROM 'published' AND now.status = 'published'",
  updated: "was.status = 'published' AND now.status = 'published' AND now.updated_at <> was.updated_at",
  unpublished: "was.status = 'published' AND now.status <> 'published'",
  deleted: "was.status = 'published' AND deleted_at IS NOT NULL",
}

const TABLES = { post: posts, guide: guides }

type Resource = keyof typeof TABLES

const VALUES: Record<'titleBefore' | 'slugBefore' | 'time' | 'sequence', string> = {
  titleBefore: 'was.title',
  slugBefore: 'nullif(was.slug, now.slug)',
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

function sqlOf(resource: Resource, row: 'now' | 'was', value: EventValue): string {
  if (value === 'fetch') return fetchOf(resource)
  if (value in VALUES) return VALUES[value as keyof typeof VALUES]
  const columns: Record<string, { name: string }> = getTableColumns(TABLES[resource])
  return `${row}.${columns[value]!.name}`
}

function selectOf(event: ContentEventKind): string {
  const { resource, change, fields } = events[event]
  const row = change === 'deleted' ? 'was' : 'now'
  const pairs = Object.entries<readonly [unknown, EventValue]>(fields).map(
    ([name, [, value]]) => `,
    '${name}', ${sqlOf(resource, row, value)}`,
  )
  return `  SELECT ${row}.site_id, ${row}.id, ${row}.slug, '${event}', ${isOptional(event)}, json_build_object(
    'event', '${event}'${pairs.join('')})::text
  WHERE ${CHANGES[change]}`
}

const insertion = (resource: Resource, changes: string, once: boolean) => `
    INSERT INTO webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
    SELECT e.site_id, w.id, e.event, '${resource}', e.resource_id, e.slug, e.payload
    FROM ${changes} e
    JOIN webhook_endpoints w ON w.site_id = ANY (sites) AND w.site_id = e.site_id
      AND (NOT e.is_optional OR e.event = ANY (w.events))${
        once
          ? `
    WHERE e.resource_id <> ALL (done)`
          : ''
      };`

function renderResource(resource: Resource): string {
  const kinds = contentEventKinds.filter((event) => events[event].resource === resource)
  if (kinds.length === 0) return ''
  const [table, name] = [`${resource}s`, `${resource}_events`]
  return `
-- The events of a change of a ${resource}, with the exact bytes of their payloads.
CREATE FUNCTION ${name}(now ${table}, was ${table}, deleted_at timestamptz)
RETURNS TABLE (site_id uuid, resource_id uuid, slug text, event text, is_optional boolean, payload text) LANGUAGE sql STABLE AS $$
${kinds.map(selectOf).join('\n  UNION ALL\n')}
$$;

-- Statement trigger: inserts the events of the changed ${table}, one for each webhook that wants it. A ${resource} makes one event in a
-- transaction, and one more when it is deleted. Its tombstone has the number of the deletion.
-- Without nested loops its estimated cost is so high that Postgres would compile the plan.
CREATE FUNCTION insert_${name}() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET enable_nestloop = off SET jit = off SET search_path = public, pg_temp AS $$
DECLARE
  sites uuid[] := ARRAY(SELECT DISTINCT site_id FROM changed);
  done uuid[];
BEGIN
  IF current_setting('events.sending', true) = 'none'
    OR NOT EXISTS (SELECT FROM webhook_endpoints w WHERE w.site_id = ANY (sites)) THEN
    RETURN NULL;
  END IF;
  done := ARRAY(
    SELECT resource_id FROM webhook_events
    WHERE created_at >= date_trunc('milliseconds', now()) AND transaction_id = pg_current_xact_id()::text::bigint AND resource = '${resource}');
  IF TG_OP = 'INSERT' THEN${insertion(resource, `changed n CROSS JOIN LATERAL ${name}(ROW(n.*)::${table}, NULL, NULL)`, true)}
  ELSIF TG_OP = 'UPDATE' THEN${insertion(
    resource,
    `changed n JOIN removed o USING (id)
    CROSS JOIN LATERAL ${name}(ROW(n.*)::${table}, ROW(o.*)::${table}, NULL)`,
    true,
  )}
  ELSE${insertion(
    resource,
    `changed o JOIN tombstones t ON t.site_id = o.site_id AND t.resource_id = o.id AND t.slug = o.slug
      AND t.deleted_at >= date_trunc('milliseconds', now()) AND NOT t.published_only AND t.transaction_id = pg_current_xact_id()::text::bigint
    CROSS JOIN LATERAL ${name}(NULL, ROW(o.*)::${table}, t.deleted_at)`,
    false,
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

-- The outbox: a change of content inserts its events in the same transaction. To change content by SQL without events, run
-- \`SET events.sending = 'none'\` first.
${renderResource('post')}${renderResource('guide')}`
