-- No audit entries for webhooks that only move.
ALTER TABLE "webhook_endpoints" DISABLE TRIGGER "webhook_endpoints_logged";--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "id" uuid;--> statement-breakpoint
UPDATE "webhook_endpoints" SET "id" = "site_id";--> statement-breakpoint
ALTER TABLE "webhook_endpoints" DROP CONSTRAINT "webhook_endpoints_pkey";--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER TABLE "webhook_endpoints" ADD PRIMARY KEY ("id");--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ALTER COLUMN "id" SET DEFAULT gen_random_uuid();--> statement-breakpoint
INSERT INTO "webhook_endpoints" ("id", "site_id", "url", "secret", "previous_secret", "previous_secret_expires_at", "secret_rotated_at", "created_at", "updated_at", "events")
SELECT "id", "site_id", "url", "secret", "previous_secret", "previous_secret_expires_at", "secret_rotated_at", "created_at", "updated_at", "events" FROM "webhook_further_endpoints";--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
DROP TABLE "webhook_further_endpoints" CASCADE;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ENABLE TRIGGER "webhook_endpoints_logged";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_endpoints_by_site" ON "webhook_endpoints" USING btree ("site_id","created_at","id");--> statement-breakpoint
DROP TRIGGER posts_events_inserted ON posts;--> statement-breakpoint
DROP TRIGGER posts_events_updated ON posts;--> statement-breakpoint
DROP TRIGGER posts_events_deleted ON posts;--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
DROP FUNCTION insert_post_events();--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
DROP FUNCTION post_events(posts, posts, timestamptz);--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
DROP FUNCTION webhooks_of(uuid[]);--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER TABLE "webhook_events" RENAME COLUMN "post_id" TO "resource_id";--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER INDEX "webhook_events_by_post" RENAME TO "webhook_events_by_resource";--> statement-breakpoint
ALTER TABLE "webhook_events" ADD COLUMN "resource" text DEFAULT 'post';--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER TABLE "webhook_events" ALTER COLUMN "resource" DROP DEFAULT;--> statement-breakpoint
UPDATE "webhook_events" SET "resource" = NULL WHERE "resource_id" IS NULL;--> statement-breakpoint
UPDATE "webhook_events" SET "endpoint_id" = "site_id" WHERE "endpoint_id" IS NULL;--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER TABLE "webhook_events" ALTER COLUMN "endpoint_id" SET NOT NULL;
--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
DROP FUNCTION refuse_source(text, text);
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  noun text := TG_ARGV[0];
  fields text[] := string_to_array(TG_ARGV[1], ' ')
    || CASE WHEN TG_OP = 'UPDATE' THEN string_to_array(TG_ARGV[2], ' ') END;
  old_row jsonb := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE to_jsonb(OLD) END;
  new_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN '{}' ELSE to_jsonb(NEW) END;
  current_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN old_row ELSE new_row END;
  before jsonb := differing(old_row, new_row, fields);
  after jsonb := differing(new_row, old_row, fields);
  name text := coalesce(current_row ->> 'name', '…' || (current_row ->> 'last_four'), split_part(current_row ->> 'url', '?', 1));
BEGIN
  IF TG_OP = 'UPDATE' AND before IS NULL AND after IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO audit_log (site_id, action, resource_id, subject, title, before, after)
  VALUES (
    (current_row ->> CASE noun WHEN 'site' THEN 'id' ELSE 'site_id' END)::uuid,
    coalesce(current_row ->> 'kind', noun) || '.' || CASE
      WHEN TG_OP = 'INSERT' THEN 'created'
      WHEN TG_OP = 'DELETE' THEN 'deleted'
      WHEN after ? 'revoked_at' THEN 'revoked'
      WHEN after ? 'used_at' THEN 'used'
      WHEN after ? 'secret_rotated_at' THEN 'secret_rotated'
      WHEN after ? 'deletion_started_at' THEN 'deletion_started'
      ELSE 'updated' END,
    (current_row ->> CASE noun WHEN 'token' THEN 'operator_id' ELSE 'id' END)::uuid,
    name,
    name,
    before,
    after
  );
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.post_events(now posts, was posts, deleted_at timestamp with time zone)
 RETURNS TABLE(site_id uuid, resource_id uuid, slug text, event text, is_optional boolean, payload text)
 LANGUAGE sql
 STABLE
AS $function$
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
  WHERE was.ready_at IS NULL AND now.ready_at IS NOT NULL
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
  WHERE was.status IS DISTINCT FROM 'published' AND now.status = 'published'
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
    'previousSlug', nullif(was.slug, now.slug),
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE was.status = 'published' AND now.status = 'published' AND now.updated_at <> was.updated_at
  UNION ALL
  SELECT now.site_id, now.id, now.slug, 'post.unpublished', true, json_build_object(
    'event', 'post.unpublished',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'title', was.title,
    'language', now.language,
    'sourcePostId', now.source_post_id,
    'status', now.status,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE was.status = 'published' AND now.status <> 'published'
  UNION ALL
  SELECT was.site_id, was.id, was.slug, 'post.deleted', true, json_build_object(
    'event', 'post.deleted',
    'siteId', was.site_id,
    'postId', was.id,
    'slug', was.slug,
    'language', was.language,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)))::text
  WHERE was.status = 'published' AND deleted_at IS NOT NULL
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.insert_post_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET enable_nestloop TO 'off'
 SET jit TO 'off'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
    WHERE created_at >= date_trunc('milliseconds', now()) AND xmin = pg_current_xact_id()::xid AND resource = 'post');
  IF TG_OP = 'INSERT' THEN
    INSERT INTO webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
    SELECT e.site_id, w.id, e.event, 'post', e.resource_id, e.slug, e.payload
    FROM changed n CROSS JOIN LATERAL post_events(ROW(n.*)::posts, NULL, NULL) e
    JOIN webhook_endpoints w ON w.site_id = ANY (sites) AND w.site_id = e.site_id
      AND (NOT e.is_optional OR e.event = ANY (w.events))
    WHERE e.resource_id <> ALL (done);
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
    SELECT e.site_id, w.id, e.event, 'post', e.resource_id, e.slug, e.payload
    FROM changed n JOIN removed o USING (id)
    CROSS JOIN LATERAL post_events(ROW(n.*)::posts, ROW(o.*)::posts, NULL) e
    JOIN webhook_endpoints w ON w.site_id = ANY (sites) AND w.site_id = e.site_id
      AND (NOT e.is_optional OR e.event = ANY (w.events))
    WHERE e.resource_id <> ALL (done);
  ELSE
    INSERT INTO webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
    SELECT e.site_id, w.id, e.event, 'post', e.resource_id, e.slug, e.payload
    FROM changed o JOIN tombstones t ON t.site_id = o.site_id AND t.resource_id = o.id AND t.slug = o.slug
      AND t.deleted_at >= date_trunc('milliseconds', now()) AND NOT t.published_only AND t.xmin = pg_current_xact_id()::xid
    CROSS JOIN LATERAL post_events(NULL, ROW(o.*)::posts, t.deleted_at) e
    JOIN webhook_endpoints w ON w.site_id = ANY (sites) AND w.site_id = e.site_id
      AND (NOT e.is_optional OR e.event = ANY (w.events));
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE TRIGGER posts_events_inserted AFTER INSERT ON public.posts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();
--> statement-breakpoint
CREATE TRIGGER posts_events_updated AFTER UPDATE ON public.posts REFERENCING OLD TABLE AS removed NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();
--> statement-breakpoint
CREATE TRIGGER posts_events_deleted AFTER DELETE ON public.posts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();
