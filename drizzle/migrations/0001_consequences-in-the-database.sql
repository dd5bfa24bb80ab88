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
-- Contract: no deployment runs the Worker before it.
ALTER TABLE "alerts" RENAME COLUMN "told_at" TO "attempted_at";--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER INDEX "alerts_told" RENAME TO "alerts_attempted";--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER TABLE "audit_log" RENAME COLUMN "door" TO "channel";--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER TABLE "audit_log" ALTER COLUMN "channel" SET DEFAULT coalesce(nullif(current_setting('audit.channel', true), ''), 'database');--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER TABLE "audit_log" RENAME COLUMN "act_id" TO "changeset_id";--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER TABLE "audit_log" ALTER COLUMN "changeset_id" SET DEFAULT coalesce(nullif(current_setting('audit.changeset_id', true), '')::uuid, md5(pg_current_xact_id()::text || now()::text)::uuid);--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER INDEX "audit_log_newest_of_act" RENAME TO "audit_log_newest_of_changeset";--> statement-breakpoint
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
ALTER TABLE "webhook_events" ADD COLUMN "transaction_id" bigint;
--> statement-breakpoint
ALTER TABLE "webhook_events" ALTER COLUMN "transaction_id" SET DEFAULT (pg_current_xact_id()::text)::bigint;
--> statement-breakpoint
ALTER TABLE "guides" ADD COLUMN "previous" jsonb;
--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "previous" jsonb;
--> statement-breakpoint
ALTER TABLE "tombstones" ADD COLUMN "transaction_id" bigint;
--> statement-breakpoint
ALTER TABLE "tombstones" ALTER COLUMN "transaction_id" SET DEFAULT (pg_current_xact_id()::text)::bigint;
--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
DROP TABLE "sitemap_sections" CASCADE;
--> statement-breakpoint
DROP INDEX "posts_translations";
--> statement-breakpoint
DROP INDEX "posts_sitemap";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_endpoints_by_site" ON "webhook_endpoints" USING btree ("site_id","created_at","id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "posts_translations" ON "posts" USING btree ("source_post_id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "posts_sitemap" ON "posts" USING btree ("site_id","created_at","id","source_post_id") WHERE "posts"."status" = 'published';
--> statement-breakpoint
DROP TRIGGER audit_log_acts ON audit_log;
--> statement-breakpoint
DROP TRIGGER preview_links_deleted ON preview_links;
--> statement-breakpoint
DROP TRIGGER preview_links_updated ON preview_links;
--> statement-breakpoint
DROP TRIGGER api_keys_deleted ON api_keys;
--> statement-breakpoint
DROP TRIGGER api_keys_updated ON api_keys;
--> statement-breakpoint
DROP TRIGGER sites_auth_version ON sites;
--> statement-breakpoint
DROP TRIGGER sites_content_version ON sites;
--> statement-breakpoint
DROP TRIGGER posts_truncated_versions ON posts;
--> statement-breakpoint
DROP TRIGGER training_rows_deleted ON training_rows;
--> statement-breakpoint
DROP TRIGGER training_rows_updated ON training_rows;
--> statement-breakpoint
DROP TRIGGER training_rows_inserted ON training_rows;
--> statement-breakpoint
DROP TRIGGER redirects_deleted ON redirects;
--> statement-breakpoint
DROP TRIGGER redirects_updated ON redirects;
--> statement-breakpoint
DROP TRIGGER redirects_inserted ON redirects;
--> statement-breakpoint
DROP TRIGGER posts_leave_tombstone_unpublished ON posts;
--> statement-breakpoint
DROP TRIGGER guides_leave_tombstone_moved ON guides;
--> statement-breakpoint
DROP TRIGGER guides_leave_tombstone_deleted ON guides;
--> statement-breakpoint
DROP TRIGGER guides_leave_tombstone_updated ON guides;
--> statement-breakpoint
DROP TRIGGER posts_leave_tombstone_moved ON posts;
--> statement-breakpoint
DROP TRIGGER posts_leave_tombstone_deleted ON posts;
--> statement-breakpoint
DROP TRIGGER posts_leave_tombstone_updated ON posts;
--> statement-breakpoint
DROP TRIGGER guides_sitemap_truncated ON guides;
--> statement-breakpoint
DROP TRIGGER posts_sitemap_truncated ON posts;
--> statement-breakpoint
DROP TRIGGER guides_sitemap_deleted ON guides;
--> statement-breakpoint
DROP TRIGGER guides_sitemap_updated ON guides;
--> statement-breakpoint
DROP TRIGGER guides_sitemap_inserted ON guides;
--> statement-breakpoint
DROP TRIGGER posts_sitemap_deleted ON posts;
--> statement-breakpoint
DROP TRIGGER posts_sitemap_updated ON posts;
--> statement-breakpoint
DROP TRIGGER posts_sitemap_inserted ON posts;
--> statement-breakpoint
DROP TRIGGER guides_end_redirects ON guides;
--> statement-breakpoint
DROP TRIGGER posts_end_redirects ON posts;
--> statement-breakpoint
DROP TRIGGER guides_take_slugs ON guides;
--> statement-breakpoint
DROP TRIGGER posts_take_slugs ON posts;
--> statement-breakpoint
DROP TRIGGER guides_renamed ON guides;
--> statement-breakpoint
DROP TRIGGER posts_renamed ON posts;
--> statement-breakpoint
DROP TRIGGER posts_truncated ON posts;
--> statement-breakpoint
DROP TRIGGER posts_titles_deleted ON posts;
--> statement-breakpoint
DROP TRIGGER posts_titles_updated ON posts;
--> statement-breakpoint
DROP TRIGGER posts_titles_inserted ON posts;
--> statement-breakpoint
DROP TRIGGER posts_count_deleted ON posts;
--> statement-breakpoint
DROP TRIGGER posts_count_updated ON posts;
--> statement-breakpoint
DROP TRIGGER posts_count_inserted ON posts;
--> statement-breakpoint
DROP TRIGGER posts_stamp ON posts;
--> statement-breakpoint
DROP TRIGGER posts_derive ON posts;
--> statement-breakpoint
DROP TRIGGER operator_tokens_bound ON operator_tokens;
--> statement-breakpoint
DROP TRIGGER guides_stamp ON guides;
--> statement-breakpoint
DROP TRIGGER guides_derive ON guides;
--> statement-breakpoint
DROP TRIGGER posts_events_updated ON posts;
--> statement-breakpoint
DROP TRIGGER operator_tokens_made ON operator_tokens;
--> statement-breakpoint
DROP TRIGGER operators_restricted ON operators;
--> statement-breakpoint
DROP TRIGGER operators_removed ON operators;
--> statement-breakpoint
DROP TRIGGER console_sessions_ended_logged ON console_sessions;
--> statement-breakpoint
DROP TRIGGER console_sessions_end_logged ON console_sessions;
--> statement-breakpoint
DROP TRIGGER console_sessions_logged ON console_sessions;
--> statement-breakpoint
DROP TRIGGER webhook_resends_ended_logged ON webhook_resends;
--> statement-breakpoint
DROP TRIGGER webhook_resends_started_logged ON webhook_resends;
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION is_begun(act uuid, of_action text, of_site uuid);
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION begin_act();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION raise_own_auth_version();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION raise_own_content_version();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION raise_versions_of_changed();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION leave_unpublished_tombstone();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION leave_guide_tombstone();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION leave_post_tombstone();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION forget_sitemap_sections();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION cut_sitemap_section();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION count_sitemap_urls();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION end_redirects();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION take_slugs();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION leave_redirect();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION truncate_post_copies();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION copy_titles();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION count_posts();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION stamp_post();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION derive_post();
--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
DROP FUNCTION refuse_source(slug text, problem text);
--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
DROP FUNCTION post_events(now posts, was posts, deleted_at timestamp with time zone);
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION bound_token();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION stamp_guide();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION derive_guide();
--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
DROP FUNCTION webhooks_of(sites uuid[]);
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION require_token_maker();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION log_session_end();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION log_sign_out();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION log_sign_in();
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.begin_changeset()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  key text := concat_ws(' ', NEW.changeset_id, NEW.action, NEW.site_id) || E'\n';
  begun text := coalesce(current_setting('audit.begun', true), '');
BEGIN
  IF strpos(begun, key) > 0 THEN
    NEW.is_head := false;
  ELSE
    NEW.is_head := NOT is_begun(NEW.changeset_id, NEW.action, NEW.site_id);
    PERFORM set_config('audit.begun', CASE WHEN length(begun) < 2000 THEN begun ELSE '' END || key, true);
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.is_begun(changeset uuid, of_action text, of_site uuid)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  SELECT EXISTS (
    SELECT FROM audit_log WHERE changeset_id = changeset AND is_head AND action = of_action AND site_id IS NOT DISTINCT FROM of_site)
$function$;
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
CREATE OR REPLACE FUNCTION public.log_posts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET enable_nestloop TO 'off'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_guides()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET enable_nestloop TO 'off'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_resend_of_failed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.total > 0 THEN
    INSERT INTO audit_log (site_id, action, resource_id, after)
    VALUES (NEW.site_id, 'event.resend_started', NEW.id, jsonb_build_object('events', NEW.total));
  ELSIF TG_OP = 'UPDATE' AND OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL THEN
    INSERT INTO audit_log (site_id, action, resource_id, after)
    SELECT NEW.site_id, CASE NEW.ending
        WHEN 'done' THEN 'event.resend_finished'
        WHEN 'stopped' THEN 'event.resend_stopped'
        ELSE 'event.resend_broken_off' END,
      NEW.id, jsonb_strip_nulls(jsonb_build_object(
        'arrived', count(*) FILTER (WHERE d.error IS NULL AND d.status IS NOT NULL),
        'failed', count(*) FILTER (WHERE d.error IS NOT NULL),
        'being_sent', nullif(count(*) FILTER (WHERE d.error IS NULL AND d.status IS NULL), 0),
        'not_sent', greatest(NEW.total - count(*), 0)))
    FROM webhook_deliveries d WHERE d.site_id = NEW.site_id AND d.resend_id = NEW.id;
  END IF;
  RETURN NULL;
END
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
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_content_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM raise_site_versions(site_id, array_agg(DISTINCT slug_part(slug)),
    array_agg(DISTINCT slug_part(slug)) FILTER (WHERE status = 'published'), max(updated_at))
  FROM changed GROUP BY site_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_content_version_for_updates()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM raise_site_versions(site_id, array_agg(DISTINCT slug_part(slug)),
    array_agg(DISTINCT slug_part(slug)) FILTER (WHERE status = 'published'), max(updated_at))
  FROM (
    (SELECT id, site_id, slug, status, updated_at, title_folded FROM changed
    EXCEPT SELECT id, site_id, slug, status, updated_at, title_folded FROM removed)
    UNION ALL
    (SELECT id, site_id, slug, status, updated_at, title_folded FROM removed
    EXCEPT SELECT id, site_id, slug, status, updated_at, title_folded FROM changed)
  ) shown GROUP BY site_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_all_versions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_TABLE_NAME = 'posts' THEN
    TRUNCATE post_counts, post_titles;
  END IF;
  IF TG_TABLE_NAME IN ('posts', 'guides') THEN
    DELETE FROM redirects WHERE coalesce(target_resource, resource) || 's' = TG_TABLE_NAME;
  END IF;
  UPDATE sites SET (content_version, slug_versions, published_version, published_slug_versions) = (
    SELECT v, all_slug_versions(v), v, all_slug_versions(v) FROM next_version(greatest(content_version, published_version)) v
  );
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_auth_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'UPDATE' OR coalesce(OLD.expires_at > now(), true) THEN
    UPDATE sites SET auth_version = auth_version WHERE id = OLD.site_id;
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_session()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (action) VALUES ('operator.signed_in');
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO audit_log (action, resource_id, subject, title, before)
    SELECT 'operator.session_ended', o.id, o.name, o.name, jsonb_strip_nulls(jsonb_build_object('browser', NEW.browser))
    FROM operator_tokens t JOIN operators o ON o.id = t.operator_id
    WHERE t.id = NEW.token_id AND OLD.ended_by IS NULL AND NEW.ended_by IS NOT NULL;
  ELSIF OLD.expires_at > now() AND pg_trigger_depth() = 1 THEN
    INSERT INTO audit_log (action) VALUES ('operator.signed_out');
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.post_events(now posts, was jsonb, deleted_at timestamp with time zone)
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
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.prepare_guide()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  shown guides;
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM leave_tombstone(OLD.site_id, 'guide', OLD.id, OLD.slug, NULL, OLD.status, OLD.status <> 'published');
    RETURN OLD;
  END IF;
  NEW.slug := normalize(NEW.slug, NFC);
  -- An upsert updates the guide that is there, which prepares it. The lock keeps it there.
  IF TG_OP = 'INSERT' THEN
    PERFORM lock_site(NEW.site_id);
    IF EXISTS (SELECT FROM guides WHERE site_id = NEW.site_id AND slug = NEW.slug) THEN
      RETURN NEW;
    END IF;
  END IF;

  IF TG_OP = 'UPDATE' THEN
    -- The API's feed shows only published guides.
    IF OLD.slug <> NEW.slug OR OLD.site_id <> NEW.site_id OR (OLD.status = 'published' AND NEW.status <> 'published') THEN
      PERFORM leave_tombstone(OLD.site_id, 'guide', OLD.id, OLD.slug, NULL, NEW.status, OLD.status <> 'published');
    END IF;
    shown := NEW;
    shown.title_folded := OLD.title_folded;
    shown.folded_from := OLD.folded_from;
    shown.fold_version := OLD.fold_version;
    shown.origin_id := OLD.origin_id;
    shown.origin_slug := OLD.origin_slug;
    IF shown IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  END IF;
  NEW.previous := state_before(OLD.previous, OLD.status, OLD.slug, OLD.title, NULL);

  IF NEW.folded_from IS DISTINCT FROM NEW.title AND (TG_OP = 'INSERT' OR NEW.title <> OLD.title) THEN
    NEW.folded_from := NULL;
    IF NEW.title_folded = coalesce(OLD.title_folded, '') THEN
      NEW.title_folded := lower(NEW.title);
    END IF;
  END IF;
  NEW.updated_at := next_sequence(NEW.site_id);
  NEW.wire_bytes := json_bytes(NEW.content_html);
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.check_token_maker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  latest timestamptz;
BEGIN
  IF NEW.made_by <> NEW.operator_id THEN
    PERFORM FROM operators WHERE id = NEW.made_by AND role = 'admin' FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'The person who makes this token is no admin' USING ERRCODE = 'HC002';
    END IF;
  END IF;
  IF NEW.maker_id IS NOT NULL THEN
    SELECT expires_at INTO latest FROM operator_tokens
    WHERE id = NEW.maker_id AND revoked_at IS NULL AND expires_at > now() FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'The token that makes this one opens nothing any more' USING ERRCODE = 'HC002';
    END IF;
    NEW.expires_at := least(NEW.expires_at, latest);
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.prepare_post()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  shown posts;
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM leave_tombstone(OLD.site_id, 'post', OLD.id, OLD.slug, OLD.language, OLD.status, false);
    RETURN OLD;
  END IF;

  -- Columns that follow from others. A published post has no schedule, and the writer is who marks it ready.
  NEW.slug := normalize(NEW.slug, NFC);
  -- An upsert updates the post that is there, which prepares it. The lock keeps it there.
  IF TG_OP = 'INSERT' THEN
    PERFORM lock_site(NEW.site_id);
    IF EXISTS (SELECT FROM posts WHERE site_id = NEW.site_id AND slug = NEW.slug) THEN
      RETURN NEW;
    END IF;
  END IF;
  NEW.language_key := lower(coalesce(NEW.language, ''));
  IF NEW.status = 'published' OR NEW.publish_at IS NULL THEN
    NEW.publish_at := NULL;
    NEW.scheduled_by := NULL;
  END IF;
  IF NEW.ready_at IS NULL THEN
    NEW.ready_by := NULL;
  ELSIF OLD.ready_at IS NULL THEN
    NEW.ready_by := nullif(current_setting('audit.actor', true), '');
  END IF;

  -- Tombstones come before the next updated_at: the change feed shows the end of the old slug first.
  IF TG_OP = 'UPDATE' THEN
    IF OLD.slug <> NEW.slug OR OLD.site_id <> NEW.site_id THEN
      PERFORM leave_tombstone(OLD.site_id, 'post', OLD.id, OLD.slug, OLD.language, OLD.status, false);
    END IF;
    -- A draft is gone for keys with the access `published`. With a new slug, the old one's tombstone says so.
    IF OLD.status = 'published' AND NEW.status <> 'published' AND OLD.slug = NEW.slug THEN
      INSERT INTO tombstones (site_id, deleted_at, resource, resource_id, slug, language, status, published_only)
      VALUES (OLD.site_id, next_sequence(OLD.site_id), 'post', OLD.id, OLD.slug, OLD.language, OLD.status, true);
    END IF;

    IF OLD.schema_bundle_derived AND NEW.schema_bundle_derived
      AND undated_bundle(NEW.schema_bundle) = undated_bundle(OLD.schema_bundle) THEN
      NEW.schema_bundle := OLD.schema_bundle;
    END IF;
    shown := NEW;
    shown.title_folded := OLD.title_folded;
    shown.folded_from := OLD.folded_from;
    shown.fold_version := OLD.fold_version;
    shown.origin_id := OLD.origin_id;
    shown.origin_slug := OLD.origin_slug;
    shown.publish_at := OLD.publish_at;
    shown.scheduled_by := OLD.scheduled_by;
    shown.change_request := OLD.change_request;
    IF shown IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  END IF;
  NEW.previous := state_before(OLD.previous, OLD.status, OLD.slug, OLD.title, OLD.ready_at IS NOT NULL);

  -- Where SQL by hand sets a title, lower() stands in for the service's foldCase() until the sweep.
  IF NEW.folded_from IS DISTINCT FROM NEW.title AND (TG_OP = 'INSERT' OR NEW.title <> OLD.title) THEN
    NEW.folded_from := NULL;
    IF NEW.title_folded = coalesce(OLD.title_folded, '') THEN
      NEW.title_folded := lower(NEW.title);
    END IF;
  END IF;

  NEW.updated_at := next_sequence(NEW.site_id);
  NEW.lastmod := least(NEW.modified_at, NEW.updated_at);
  IF NEW.schema_bundle_derived THEN
    NEW.schema_bundle := NEW.schema_bundle || jsonb_build_object(
      'article', (NEW.schema_bundle -> 'article') - 'datePublished'
        || jsonb_build_object('dateModified', wire_time(coalesce(NEW.modified_at, NEW.updated_at)))
        || CASE WHEN NEW.published_at IS NULL THEN '{}'::jsonb
                ELSE jsonb_build_object('datePublished', wire_time(NEW.published_at)) END
        || coalesce(NEW.schema_article, '{}'::jsonb),
      'faq', NEW.faq_json_ld
    );
  END IF;
  NEW.wire_bytes := json_bytes(NEW.content_html) + json_bytes(NEW.seo::text)
    + json_bytes(NEW.faq_json_ld::text) + json_bytes(NEW.schema_bundle::text);
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.copy_posts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM post_titles t USING removed r WHERE (t.site_id, t.updated_at) = (r.site_id, r.updated_at);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO post_titles (site_id, updated_at, status, language_key, title_folded, published_at, id, slug_folded,
      quality_band, ready_at, publish_at, changes_requested, title_key)
    SELECT site_id, updated_at, status, language_key, title_folded, published_at, id, lower(slug), quality_band, ready_at,
      publish_at, change_request IS NOT NULL OR coalesce(review_status = 'changes_requested', false),
      without_diacritics(title_folded)
    FROM added;
  END IF;

  IF TG_OP = 'UPDATE' THEN
    PERFORM site_id, status, language_key, quality_band, slug FROM added
    EXCEPT ALL SELECT site_id, status, language_key, quality_band, slug FROM removed;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE post_counts c SET posts = c.posts - r.posts
    FROM (
      SELECT site_id, status, language_key, coalesce(quality_band, '') AS quality_band, count(*) AS posts
      FROM removed GROUP BY 1, 2, 3, 4
    ) r
    WHERE (c.site_id, c.status, c.language_key, c.quality_band)
      = (r.site_id, r.status, r.language_key, r.quality_band);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO post_counts AS c (site_id, status, language_key, quality_band, posts, slug_bytes)
    SELECT site_id, status, language_key, coalesce(quality_band, ''), count(*), max(url_bytes(slug))
    FROM added GROUP BY 1, 2, 3, 4
    ON CONFLICT (site_id, status, language_key, quality_band) DO UPDATE
    SET posts = c.posts + excluded.posts, slug_bytes = greatest(c.slug_bytes, excluded.slug_bytes);
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.keep_redirects()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM redirects WHERE resource_id = OLD.id AND coalesce(target_resource, resource) = TG_ARGV[0];
    RETURN NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.slug = NEW.slug THEN
    RETURN NULL;
  END IF;
  DELETE FROM redirects WHERE site_id = NEW.site_id AND resource = TG_ARGV[0] AND slug = NEW.slug;
  IF TG_OP = 'UPDATE' AND OLD.published_at IS NOT NULL THEN
    INSERT INTO redirects (site_id, resource, slug, resource_id)
    VALUES (OLD.site_id, TG_ARGV[0], OLD.slug, OLD.id)
    ON CONFLICT (site_id, resource, slug)
    DO UPDATE SET resource_id = excluded.resource_id, created_at = excluded.created_at;
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.state_before(previous jsonb, status text, slug text, title text, is_ready boolean)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  SELECT CASE WHEN (previous ->> 'transaction')::bigint = pg_current_xact_id()::text::bigint THEN previous
    ELSE jsonb_build_object('transaction', pg_current_xact_id()::text::bigint, 'status', status, 'slug', slug, 'title', title,
      'ready', is_ready) END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_site_versions(site uuid, parts integer[], published_parts integer[], highest timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  UPDATE sites s
  SET (content_version, slug_versions, published_version, published_slug_versions, last_sequence) = (
    SELECT v, raise_slug_versions(s.slug_versions, parts, v),
      CASE WHEN published_parts IS NULL THEN s.published_version ELSE v END,
      raise_slug_versions(s.published_slug_versions, coalesce(published_parts, '{}'), v),
      greatest(s.last_sequence, highest)
    FROM next_version(greatest(s.content_version, s.published_version, wire_sequence(highest) - 1)) v
  )
  WHERE s.id = site
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_version_once()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  site uuid := coalesce(NEW.site_id, OLD.site_id);
  key text := concat(TG_TABLE_NAME, ' ', site, E'\n');
  raised text := coalesce(current_setting('versions.raised', true), '');
BEGIN
  IF strpos(raised, key) > 0 THEN
    RETURN NULL;
  END IF;
  PERFORM set_config('versions.raised', CASE WHEN length(raised) < 2000 THEN raised ELSE '' END || key, true);
  UPDATE sites SET (content_version, published_version) = (
    SELECT v, CASE WHEN TG_TABLE_NAME = 'redirects' THEN v ELSE published_version END
    FROM next_version(greatest(content_version, published_version)) v
  )
  WHERE id = site;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_own_versions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.auth_version := next_version(OLD.auth_version);
  IF (OLD.name, OLD.domain, OLD.default_language, OLD.post_path, OLD.guide_path, OLD.feed_content)
    IS DISTINCT FROM (NEW.name, NEW.domain, NEW.default_language, NEW.post_path, NEW.guide_path, NEW.feed_content) THEN
    NEW.content_version := next_version(greatest(OLD.content_version, OLD.published_version));
    NEW.slug_versions := all_slug_versions(NEW.content_version);
    NEW.published_version := NEW.content_version;
    NEW.published_slug_versions := NEW.slug_versions;
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE TRIGGER console_sessions_logged AFTER INSERT OR DELETE OR UPDATE OF ended_by ON public.console_sessions FOR EACH ROW EXECUTE FUNCTION log_session();
--> statement-breakpoint
CREATE TRIGGER operator_tokens_made BEFORE INSERT ON public.operator_tokens FOR EACH ROW EXECUTE FUNCTION check_token_maker();
--> statement-breakpoint
CREATE TRIGGER posts_events_updated AFTER UPDATE ON public.posts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();
--> statement-breakpoint
CREATE TRIGGER posts_truncated AFTER TRUNCATE ON public.posts FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();
--> statement-breakpoint
CREATE TRIGGER webhook_resends_logged AFTER INSERT OR UPDATE OF ended_at ON public.webhook_resends FOR EACH ROW EXECUTE FUNCTION log_resend_of_failed();
--> statement-breakpoint
CREATE TRIGGER operators_departed AFTER DELETE OR UPDATE OF role, sites ON public.operators FOR EACH ROW EXECUTE FUNCTION end_made_by();
--> statement-breakpoint
CREATE TRIGGER guides_prepare BEFORE INSERT OR DELETE OR UPDATE ON public.guides FOR EACH ROW EXECUTE FUNCTION prepare_guide();
--> statement-breakpoint
CREATE TRIGGER posts_prepare BEFORE INSERT OR DELETE OR UPDATE ON public.posts FOR EACH ROW EXECUTE FUNCTION prepare_post();
--> statement-breakpoint
CREATE TRIGGER posts_copy_inserted AFTER INSERT ON public.posts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION copy_posts();
--> statement-breakpoint
CREATE TRIGGER posts_copy_updated AFTER UPDATE ON public.posts REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION copy_posts();
--> statement-breakpoint
CREATE TRIGGER posts_copy_deleted AFTER DELETE ON public.posts REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION copy_posts();
--> statement-breakpoint
CREATE TRIGGER posts_keep_redirects AFTER INSERT OR DELETE OR UPDATE OF slug ON public.posts FOR EACH ROW EXECUTE FUNCTION keep_redirects('post');
--> statement-breakpoint
CREATE TRIGGER guides_keep_redirects AFTER INSERT OR DELETE OR UPDATE OF slug ON public.guides FOR EACH ROW EXECUTE FUNCTION keep_redirects('guide');
--> statement-breakpoint
CREATE TRIGGER redirects_version AFTER INSERT OR DELETE OR UPDATE ON public.redirects FOR EACH ROW EXECUTE FUNCTION raise_version_once();
--> statement-breakpoint
CREATE TRIGGER training_rows_version AFTER INSERT OR DELETE OR UPDATE ON public.training_rows FOR EACH ROW EXECUTE FUNCTION raise_version_once();
--> statement-breakpoint
CREATE TRIGGER sites_versions BEFORE UPDATE OF name, domain, default_language, post_path, guide_path, plan, daily_quota, training_opt_in, sitemap_id, feed_content, preview_url, deletion_started_at, auth_version ON public.sites FOR EACH ROW EXECUTE FUNCTION raise_own_versions();
--> statement-breakpoint
CREATE TRIGGER api_keys_version AFTER DELETE OR UPDATE OF site_id, access, key_hash, expires_at, revoked_at ON public.api_keys FOR EACH ROW EXECUTE FUNCTION raise_auth_version();
--> statement-breakpoint
CREATE TRIGGER preview_links_version AFTER DELETE OR UPDATE OF site_id, post_id, token_hash, expires_at, revoked_at ON public.preview_links FOR EACH ROW EXECUTE FUNCTION raise_auth_version();
--> statement-breakpoint
CREATE TRIGGER audit_log_changesets BEFORE INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION begin_changeset();
--> statement-breakpoint
-- Contract: no deployment runs the Worker before it.
ALTER TABLE "posts" DROP COLUMN "slug_bytes";
