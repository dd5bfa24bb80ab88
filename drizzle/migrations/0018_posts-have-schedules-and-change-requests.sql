ALTER TABLE "posts" ADD COLUMN "ready_by" text;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "publish_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "scheduled_by" jsonb;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "change_request" jsonb;--> statement-breakpoint
ALTER TABLE "post_titles" ADD COLUMN "publish_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "post_titles" ADD COLUMN "changes_requested" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "post_titles_scheduled" ON "post_titles" USING btree ("site_id","publish_at") WHERE "post_titles"."publish_at" is not null;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "post_titles_changes_requested" ON "post_titles" USING btree ("site_id","updated_at") WHERE "post_titles"."changes_requested";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "posts_scheduled" ON "posts" USING btree ("publish_at","site_id") WHERE "posts"."publish_at" is not null;
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.derive_post()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.slug := normalize(NEW.slug, NFC);
  NEW.language_key := lower(coalesce(NEW.language, ''));
  NEW.slug_bytes := url_bytes(NEW.slug);
  IF NEW.status = 'published' OR NEW.publish_at IS NULL THEN
    NEW.publish_at := NULL;
    NEW.scheduled_by := NULL;
  END IF;
  IF NEW.ready_at IS NULL THEN
    NEW.ready_by := NULL;
  ELSIF OLD.ready_at IS NULL THEN
    NEW.ready_by := nullif(current_setting('audit.actor', true), '');
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.stamp_post()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  shown posts;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.schema_bundle_derived AND NEW.schema_bundle_derived
      AND undated_bundle(NEW.schema_bundle) = undated_bundle(OLD.schema_bundle) THEN
      NEW.schema_bundle := OLD.schema_bundle;
    END IF;
    shown := NEW;
    shown.title_folded := OLD.title_folded;
    shown.folded_from := OLD.folded_from;
    shown.origin_id := OLD.origin_id;
    shown.origin_slug := OLD.origin_slug;
    shown.publish_at := OLD.publish_at;
    shown.scheduled_by := OLD.scheduled_by;
    shown.change_request := OLD.change_request;
    IF shown IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  END IF;
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
CREATE OR REPLACE FUNCTION public.copy_titles()
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
    INSERT INTO audit_log (site_id, action, resource_id, subject, after)
    SELECT site_id, 'post.created', id, slug, jsonb_strip_nulls(jsonb_build_object(
        'status', status,
        'published_at', published_at,
        'publish_at', publish_at,
        'origin_id', origin_id,
        'language', language,
        'quality_band', quality_band,
        'review_status', review_status,
        'canonical_url', canonical_url))
    FROM added;
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, subject, before, after)
    SELECT n.site_id, CASE
        WHEN o.slug <> n.slug THEN 'post.renamed'
        WHEN o.status <> n.status AND n.status = 'published' THEN 'post.published'
        WHEN o.status <> n.status THEN 'post.unpublished'
        WHEN o.ready_at IS NULL AND n.ready_at IS NOT NULL THEN 'post.marked_ready'
        WHEN n.change_request ->> 'requestedAt' IS DISTINCT FROM o.change_request ->> 'requestedAt'
          THEN CASE WHEN n.change_request IS NULL THEN 'post.changes_resolved' ELSE 'post.changes_requested' END
        WHEN n.updated_at = o.updated_at AND n.publish_at IS DISTINCT FROM o.publish_at
          THEN CASE WHEN n.publish_at IS NULL THEN 'post.schedule_cancelled' ELSE 'post.scheduled' END
        ELSE 'post.' || coalesce(nullif(current_setting('audit.verb', true), ''), 'updated') END,
      n.id, n.slug,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN o.slug END,
        'status', CASE WHEN o.status <> n.status THEN o.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN o.published_at END,
        'publish_at', CASE WHEN o.publish_at IS DISTINCT FROM n.publish_at THEN o.publish_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN o.origin_id END,
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN o.language END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN o.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN o.review_status END,
        'canonical_url', CASE WHEN o.canonical_url IS DISTINCT FROM n.canonical_url THEN o.canonical_url END)), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN n.slug END,
        'status', CASE WHEN o.status <> n.status THEN n.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN n.published_at END,
        'publish_at', CASE WHEN o.publish_at IS DISTINCT FROM n.publish_at THEN n.publish_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN n.origin_id END,
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN n.language END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN n.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN n.review_status END,
        'canonical_url', CASE WHEN o.canonical_url IS DISTINCT FROM n.canonical_url THEN n.canonical_url END)), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at OR n.origin_id IS DISTINCT FROM o.origin_id
      OR n.publish_at IS DISTINCT FROM o.publish_at OR n.change_request IS DISTINCT FROM o.change_request;
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_article_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  before jsonb := jsonb_build_object('status', OLD.status);
BEGIN
  -- Apart, since a guide has no such column.
  IF TG_ARGV[0] = 'post' THEN
    before := before || jsonb_strip_nulls(jsonb_build_object('publish_at', OLD.publish_at));
  END IF;
  INSERT INTO audit_log (site_id, action, resource_id, subject, before)
  SELECT s.id, TG_ARGV[0] || '.deleted', OLD.id, OLD.slug, before
  FROM sites s WHERE s.id = OLD.site_id AND s.deletion_started_at IS NULL;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
-- In batches
UPDATE post_titles SET changes_requested = true WHERE (site_id, updated_at) IN (
  SELECT t.site_id, t.updated_at FROM post_titles t
  JOIN posts p ON (p.site_id, p.updated_at) = (t.site_id, t.updated_at)
  WHERE p.review_status = 'changes_requested' AND NOT t.changes_requested LIMIT 5000
);
