-- Made by `npm run db:generate` from src/webhooks/event-kinds.ts.

-- The outbox: a content change inserts its events in the same transaction. To change content by SQL without events, run
-- `SET events.sending = 'none'` first.

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

-- The event for a transaction's change of a post, with the exact bytes of its payload. `was` is the row before the
-- statement, `now` the latest. `earlier`, `title_before` and `slug_before` come from remove_earlier_events.
CREATE FUNCTION post_events(now posts, was posts, deleted_at timestamptz, earlier text[], title_before text, slug_before text)
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
  WHERE deleted_at IS NULL AND (was.ready_at IS NULL OR 'article.ready' = ANY (earlier)) AND now.ready_at IS NOT NULL AND now.status = 'draft'
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
  WHERE deleted_at IS NULL AND NOT coalesce(earlier && '{post.updated,post.unpublished,post.deleted}', was.status = 'published', false) AND now.status = 'published'
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
    'previousSlug', nullif(coalesce(slug_before, was.slug), now.slug),
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE deleted_at IS NULL AND coalesce(earlier && '{post.updated,post.unpublished,post.deleted}', was.status = 'published', false) AND now.status = 'published' AND (now.updated_at <> was.updated_at OR earlier IS NOT NULL)
  UNION ALL
  SELECT now.site_id, now.id, now.slug, 'post.unpublished', true, json_build_object(
    'event', 'post.unpublished',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'title', coalesce(title_before, was.title),
    'language', now.language,
    'sourcePostId', now.source_post_id,
    'status', now.status,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE deleted_at IS NULL AND coalesce(earlier && '{post.updated,post.unpublished,post.deleted}', was.status = 'published', false) AND now.status <> 'published'
  UNION ALL
  SELECT now.site_id, now.id, now.slug, 'post.deleted', true, json_build_object(
    'event', 'post.deleted',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'language', now.language,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)))::text
  WHERE deleted_at IS NOT NULL AND coalesce(earlier && '{post.updated,post.unpublished,post.deleted}', was.status = 'published', false)
$$;

-- Statement trigger: inserts the event of each changed post for each subscribed webhook. The sequence of a deletion comes
-- from the post's tombstone.
-- JIT is off, because the estimated cost without nested loops is high enough to trigger it.
CREATE FUNCTION insert_post_events() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET enable_nestloop = off SET jit = off SET search_path = public, pg_temp AS $$
DECLARE
  sites uuid[] := ARRAY(SELECT DISTINCT site_id FROM changed);
BEGIN
  IF current_setting('events.sending', true) = 'none'
    OR NOT EXISTS (SELECT FROM webhook_endpoints w WHERE w.site_id = ANY (sites)) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
    SELECT e.site_id, w.id, e.event, 'post', e.resource_id, e.slug, e.payload
    FROM changed n
    CROSS JOIN LATERAL post_events(ROW(n.*)::posts, NULL, NULL, NULL, NULL, NULL) e
    JOIN webhook_endpoints w ON w.site_id = ANY (sites) AND w.site_id = e.site_id
      AND (NOT e.is_optional OR e.event = ANY (w.events));
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
    SELECT e.site_id, w.id, e.event, 'post', e.resource_id, e.slug, e.payload
    FROM changed n JOIN removed o USING (id)
    LEFT JOIN remove_earlier_events('post', ARRAY(SELECT id FROM changed)) x USING (id)
    CROSS JOIN LATERAL post_events(ROW(n.*)::posts, ROW(o.*)::posts, NULL, x.events, x.title, x.slug) e
    JOIN webhook_endpoints w ON w.site_id = ANY (sites) AND w.site_id = e.site_id
      AND (NOT e.is_optional OR e.event = ANY (w.events));
  ELSE
    INSERT INTO webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
    SELECT e.site_id, w.id, e.event, 'post', e.resource_id, e.slug, e.payload
    FROM changed o JOIN tombstones t ON t.site_id = o.site_id AND t.resource_id = o.id AND t.slug = o.slug
      AND t.deleted_at >= date_trunc('milliseconds', now()) AND NOT t.published_only AND t.transaction_id = pg_current_xact_id()::text::bigint
    LEFT JOIN remove_earlier_events('post', ARRAY(SELECT id FROM changed)) x ON x.id = o.id
    CROSS JOIN LATERAL post_events(ROW(o.*)::posts, ROW(o.*)::posts, t.deleted_at, x.events, x.title, x.slug) e
    JOIN webhook_endpoints w ON w.site_id = ANY (sites) AND w.site_id = e.site_id
      AND (NOT e.is_optional OR e.event = ANY (w.events));
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_events_inserted AFTER INSERT ON posts
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();

CREATE TRIGGER posts_events_updated AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS removed NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();

CREATE TRIGGER posts_events_deleted AFTER DELETE ON posts
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();
