-- Made by `npm run db:generate` from src/webhooks/event-kinds.ts.

-- The outbox: a change of content inserts its events in the same transaction. To change content by SQL without events, run
-- `SET events.sending = 'none'` first.

-- The event that leads from the post before a transaction to the one after it, with the exact bytes of its payload. `was`
-- comes from state_before.
CREATE FUNCTION post_events(now posts, was jsonb, deleted_at timestamptz)
RETURNS TABLE (site_id uuid, resource_id uuid, slug text, event text, is_optional boolean, payload text) LANGUAGE sql STABLE AS $$
  SELECT now.site_id, now.id, now.slug, 'article.ready', false, json_build_object(
    'event', 'article.ready',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'title', now.title,
    'trustScore', now.trust_score,
    'qualityBand', now.quality_band,
    'assuranceLabel', now.assurance_label,
    'language', now.language,
    'sourcePostId', now.source_post_id,
    'status', now.status,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE deleted_at IS NULL AND NOT coalesce((was ->> 'ready')::boolean, false) AND now.ready_at IS NOT NULL AND now.status = 'draft'
  UNION ALL
  SELECT now.site_id, now.id, now.slug, 'post.published', true, json_build_object(
    'event', 'post.published',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'title', now.title,
    'language', now.language,
    'sourcePostId', now.source_post_id,
    'status', now.status,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE deleted_at IS NULL AND NOT coalesce(was ->> 'status' = 'published', false) AND now.status = 'published'
  UNION ALL
  SELECT now.site_id, now.id, now.slug, 'post.updated', true, json_build_object(
    'event', 'post.updated',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'title', now.title,
    'language', now.language,
    'sourcePostId', now.source_post_id,
    'status', now.status,
    'previousSlug', nullif(was ->> 'slug', now.slug),
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE deleted_at IS NULL AND coalesce(was ->> 'status' = 'published', false) AND now.status = 'published'
  UNION ALL
  SELECT now.site_id, now.id, now.slug, 'post.unpublished', true, json_build_object(
    'event', 'post.unpublished',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'title', was ->> 'title',
    'language', now.language,
    'sourcePostId', now.source_post_id,
    'status', now.status,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE deleted_at IS NULL AND coalesce(was ->> 'status' = 'published', false) AND now.status <> 'published'
  UNION ALL
  SELECT now.site_id, now.id, now.slug, 'post.deleted', true, json_build_object(
    'event', 'post.deleted',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'language', now.language,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)))::text
  WHERE deleted_at IS NOT NULL AND coalesce(was ->> 'status' = 'published', false)
$$;

-- Statement trigger: inserts the event of each changed post, one for each webhook that wants it, and replaces those that this
-- transaction already inserted. The tombstone of a deleted post has the number of the deletion.
-- JIT is off, because disabling nested loops inflates the cost estimate.
CREATE FUNCTION insert_post_events() RETURNS trigger LANGUAGE plpgsql
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
    AND e.resource = 'post' AND e.resource_id = ANY (ARRAY(SELECT id FROM changed));
  IF TG_OP = 'DELETE' THEN
    INSERT INTO webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
    SELECT e.site_id, w.id, e.event, 'post', e.resource_id, e.slug, e.payload
    FROM changed c JOIN (
      SELECT resource_id, max(deleted_at) AS deleted_at FROM tombstones
      WHERE site_id = ANY (sites) AND deleted_at >= date_trunc('milliseconds', now()) AND NOT published_only AND transaction_id = own
      GROUP BY resource_id
    ) t ON t.resource_id = c.id
    CROSS JOIN LATERAL post_events(ROW(c.*)::posts, state_before(c.previous, c.status, c.slug, c.title, c.ready_at IS NOT NULL), t.deleted_at) e
    JOIN webhook_endpoints w ON w.site_id = ANY (sites) AND w.site_id = e.site_id
      AND (NOT e.is_optional OR e.event = ANY (w.events));
  ELSE
    INSERT INTO webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
    SELECT e.site_id, w.id, e.event, 'post', e.resource_id, e.slug, e.payload
    FROM changed c
    CROSS JOIN LATERAL post_events(ROW(c.*)::posts, c.previous, NULL) e
    JOIN webhook_endpoints w ON w.site_id = ANY (sites) AND w.site_id = e.site_id
      AND (NOT e.is_optional OR e.event = ANY (w.events))
    WHERE (c.previous ->> 'transaction')::bigint = own;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_events_inserted AFTER INSERT ON posts
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();

CREATE TRIGGER posts_events_updated AFTER UPDATE ON posts
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();

CREATE TRIGGER posts_events_deleted AFTER DELETE ON posts
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();
