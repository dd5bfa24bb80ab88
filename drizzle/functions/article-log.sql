-- Made by `npm run db:generate` from src/content/posts/fields.ts and src/content/articles/shared-fields.ts.

-- Statement trigger: logs posts. Calling functions of ours would double the cost of a large write.
CREATE FUNCTION log_posts() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET enable_nestloop = off SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (site_id, action, resource_id, subject, title, after)
    SELECT site_id, 'post.created', id, slug, title, jsonb_strip_nulls(jsonb_build_object(
        'status', status,
        'published_at', published_at,
        'origin_id', origin_id,
        'quality_band', quality_band,
        'review_status', review_status,
        'language', language,
        'canonical_url', canonical_url,
        'publish_at', publish_at))
    FROM added;
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, subject, title, before, after)
    SELECT n.site_id, CASE
        WHEN o.slug <> n.slug THEN 'post.renamed'
        WHEN o.status <> n.status AND n.status = 'published' THEN 'post.published'
        WHEN o.status <> n.status THEN 'post.unpublished'
        WHEN o.ready_at IS NULL AND n.ready_at IS NOT NULL THEN 'post.marked_ready'
        WHEN n.change_request ->> 'requestedAt' IS DISTINCT FROM o.change_request ->> 'requestedAt'
          THEN CASE WHEN n.change_request IS NULL THEN 'post.changes_resolved' ELSE 'post.changes_requested' END
        WHEN n.updated_at = o.updated_at AND (n.publish_at, n.scheduled_by) IS DISTINCT FROM (o.publish_at, o.scheduled_by)
          THEN CASE WHEN n.publish_at IS NULL THEN 'post.schedule_cancelled' ELSE 'post.scheduled' END
        ELSE 'post.' || coalesce(nullif(current_setting('audit.verb', true), ''), 'updated') END,
      n.id, n.slug, CASE WHEN o.slug <> n.slug OR o.title <> n.title THEN n.title END,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug IS DISTINCT FROM n.slug THEN o.slug END,
        'status', CASE WHEN o.status IS DISTINCT FROM n.status THEN o.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN o.published_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN o.origin_id END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN o.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN o.review_status END,
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN o.language END,
        'canonical_url', CASE WHEN o.canonical_url IS DISTINCT FROM n.canonical_url THEN o.canonical_url END,
        'publish_at', CASE WHEN o.publish_at IS DISTINCT FROM n.publish_at THEN o.publish_at END)), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug IS DISTINCT FROM n.slug THEN n.slug END,
        'status', CASE WHEN o.status IS DISTINCT FROM n.status THEN n.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN n.published_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN n.origin_id END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN n.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN n.review_status END,
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN n.language END,
        'canonical_url', CASE WHEN o.canonical_url IS DISTINCT FROM n.canonical_url THEN n.canonical_url END,
        'publish_at', CASE WHEN o.publish_at IS DISTINCT FROM n.publish_at THEN n.publish_at END,
        'fields', nullif(current_setting('audit.fields', true), ''))), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at OR n.origin_id IS DISTINCT FROM o.origin_id
      OR n.publish_at IS DISTINCT FROM o.publish_at OR n.scheduled_by IS DISTINCT FROM o.scheduled_by
      OR n.change_request IS DISTINCT FROM o.change_request;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_inserted_logged AFTER INSERT ON posts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_posts();

CREATE TRIGGER posts_updated_logged AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_posts();

-- Statement trigger: logs guides. Calling functions of ours would double the cost of a large write.
CREATE FUNCTION log_guides() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET enable_nestloop = off SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (site_id, action, resource_id, subject, title, after)
    SELECT site_id, 'guide.created', id, slug, title, jsonb_strip_nulls(jsonb_build_object(
        'status', status,
        'published_at', published_at,
        'origin_id', origin_id))
    FROM added;
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, subject, title, before, after)
    SELECT n.site_id, CASE
        WHEN o.slug <> n.slug THEN 'guide.renamed'
        WHEN o.status <> n.status AND n.status = 'published' THEN 'guide.published'
        WHEN o.status <> n.status THEN 'guide.unpublished'
        ELSE 'guide.updated' END,
      n.id, n.slug, CASE WHEN o.slug <> n.slug OR o.title <> n.title THEN n.title END,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug IS DISTINCT FROM n.slug THEN o.slug END,
        'status', CASE WHEN o.status IS DISTINCT FROM n.status THEN o.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN o.published_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN o.origin_id END)), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug IS DISTINCT FROM n.slug THEN n.slug END,
        'status', CASE WHEN o.status IS DISTINCT FROM n.status THEN n.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN n.published_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN n.origin_id END,
        'fields', nullif(current_setting('audit.fields', true), ''))), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at OR n.origin_id IS DISTINCT FROM o.origin_id;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER guides_inserted_logged AFTER INSERT ON guides
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_guides();

CREATE TRIGGER guides_updated_logged AFTER UPDATE ON guides
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_guides();
