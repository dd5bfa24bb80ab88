import { Column, is } from 'drizzle-orm'
import type { FieldTable } from '../src/content/articles/field-table.ts'
import { GUIDE_FIELDS } from '../src/content/guides/guide.ts'
import { POST_FIELDS } from '../src/content/posts/fields.ts'
import { MAX_REVISION_BYTES, MAX_REVISIONS } from '../src/core/limits.ts'

type Log = {
  fields: FieldTable
  actions: string
  /** SQL condition for updates to log although they keep updated_at. */
  isLogged: string
}

const LOGS: Record<'post' | 'guide', Log> = {
  post: {
    fields: POST_FIELDS,
    actions: `
        WHEN o.ready_at IS NULL AND n.ready_at IS NOT NULL THEN 'post.marked_ready'
        WHEN n.change_request ->> 'requestedAt' IS DISTINCT FROM o.change_request ->> 'requestedAt'
          THEN CASE WHEN n.change_request IS NULL THEN 'post.changes_resolved' ELSE 'post.changes_requested' END
        WHEN n.updated_at = o.updated_at AND (n.publish_at, n.scheduled_by) IS DISTINCT FROM (o.publish_at, o.scheduled_by)
          THEN CASE WHEN n.publish_at IS NULL THEN 'post.schedule_cancelled' ELSE 'post.scheduled' END
        ELSE 'post.' || coalesce(nullif(current_setting('audit.verb', true), ''), 'updated') END`,
    isLogged: `n.origin_id IS DISTINCT FROM o.origin_id
      OR n.publish_at IS DISTINCT FROM o.publish_at OR n.scheduled_by IS DISTINCT FROM o.scheduled_by
      OR n.change_request - 'requestedBy' IS DISTINCT FROM o.change_request - 'requestedBy'`,
  },
  guide: {
    fields: GUIDE_FIELDS,
    actions: `
        ELSE 'guide.updated' END`,
    isLogged: 'n.origin_id IS DISTINCT FROM o.origin_id',
  },
}

/** The service derives it from the content, so an edit neither names nor keeps it. */
const DERIVED = ['readingTimeMinutes']

type Row = 'o' | 'n'

/** The caller's part of a bundle, as in the body of a post. */
const givenBundle = (row: Row) =>
  `CASE WHEN NOT ${row}.schema_bundle_derived THEN ${row}.schema_bundle
        WHEN ${row}.schema_article IS NOT NULL THEN jsonb_build_object('article', ${row}.schema_article) END`

function renderLog(resource: 'post' | 'guide'): string {
  const { fields, actions, isLogged } = LOGS[resource]
  const table = `${resource}s`
  const edited = Object.entries(fields).flatMap(([name, { put, column }]) =>
    put === 'edit' && is(column, Column) && !DERIVED.includes(name)
      ? [{ name, of: name === 'schemaBundle' ? givenBundle : (row: Row) => `${row}.${column.name}` }]
      : [],
  )
  const ofEdited = (value: (name: string, old: string) => string, separator: string) =>
    edited
      .map(
        ({ name, of }) =>
          `\n      CASE WHEN ${of('o')} IS DISTINCT FROM ${of('n')} THEN ${value(name, of('o'))}`,
      )
      .join(separator)
  const audited = Object.values(fields).flatMap(({ audited, column }) =>
    audited && is(column, Column) ? column.name : [],
  )
  const pairs = (of: (field: string) => string, names: string[]) =>
    names.map((name) => `\n        '${name}', ${of(name)}`).join(',')
  const changed = (row: Row) =>
    pairs((name) => `CASE WHEN o.${name} IS DISTINCT FROM n.${name} THEN ${row}.${name} END`, audited)
  // The entry's subject already holds the slug.
  const created = pairs(
    (name) => name,
    audited.filter((name) => name !== 'slug'),
  )
  return `
-- Statement trigger: logs ${table}. Inlined, because calling our own functions would double the cost of a large write.
CREATE FUNCTION log_${table}() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET enable_nestloop = off SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (site_id, action, resource_id, subject, title, after)
    SELECT site_id, '${resource}.created', id, slug, title, jsonb_strip_nulls(jsonb_build_object(${created}))
    FROM added;
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, subject, title, before, after)
    SELECT n.site_id, CASE
        WHEN o.slug <> n.slug THEN '${resource}.renamed'
        WHEN o.status <> n.status AND n.status = 'published' THEN '${resource}.published'
        WHEN o.status <> n.status THEN '${resource}.unpublished'${actions},
      n.id, n.slug, CASE WHEN o.slug <> n.slug OR o.title <> n.title THEN n.title END,
      nullif(jsonb_strip_nulls(jsonb_build_object(${changed('o')})), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(${changed('n')},
        'fields', nullif(concat_ws(', ',${ofEdited((name) => `'${name}' END`, ',')}), ''))), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at OR ${isLogged};
    INSERT INTO revisions (site_id, article_id, updated_at, before)
    SELECT site_id, id, updated_at, before FROM (
      SELECT n.site_id, n.id, n.updated_at,${ofEdited((name, old) => `jsonb_build_object('${name}', ${old}) ELSE '{}' END`, ' ||')} AS before
      FROM removed o JOIN added n ON n.id = o.id
      WHERE n.updated_at <> o.updated_at
      OFFSET 0
    ) edits WHERE before <> '{}';
    DELETE FROM revisions WHERE ctid = ANY(ARRAY(
      SELECT unnest(ARRAY(
        SELECT row_id FROM (
          SELECT r.ctid AS row_id, row_number() OVER newest AS number, sum(pg_column_size(r.before)) OVER newest AS bytes
          FROM revisions r WHERE r.site_id = n.site_id AND r.article_id = n.id
          WINDOW newest AS (ORDER BY r.updated_at DESC ROWS UNBOUNDED PRECEDING)
        ) kept WHERE number > ${MAX_REVISIONS} OR bytes > ${MAX_REVISION_BYTES}))
      FROM added n));
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER ${table}_inserted_logged AFTER INSERT ON ${table}
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_${table}();

CREATE TRIGGER ${table}_updated_logged AFTER UPDATE ON ${table}
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_${table}();
`
}

export const renderArticleLog = (): string =>
  `-- Generated by \`npm run db:generate\` from src/content/posts/fields.ts and src/content/articles/shared-fields.ts.
${renderLog('post')}${renderLog('guide')}`
