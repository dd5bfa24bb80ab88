ALTER TABLE "guides" ADD COLUMN "origin_id" text;--> statement-breakpoint
ALTER TABLE "guides" ADD COLUMN "origin_slug" text;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "origin_id" text;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "origin_slug" text;--> statement-breakpoint
-- Contract: no Worker of before writes this column.
CREATE UNIQUE INDEX CONCURRENTLY "guides_origin" ON "guides" USING btree ("site_id","origin_id") WHERE "guides"."origin_id" is not null;--> statement-breakpoint
-- Contract: no Worker of before writes this column.
CREATE UNIQUE INDEX CONCURRENTLY "posts_origin" ON "posts" USING btree ("site_id","origin_id") WHERE "posts"."origin_id" is not null;
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
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
        || jsonb_build_object('dateModified', wire_time(NEW.updated_at))
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
CREATE OR REPLACE FUNCTION public.stamp_guide()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  shown guides;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    shown := NEW;
    shown.title_folded := OLD.title_folded;
    shown.folded_from := OLD.folded_from;
    shown.origin_id := OLD.origin_id;
    shown.origin_slug := OLD.origin_slug;
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
  NEW.wire_bytes := json_bytes(NEW.content_html);
  RETURN NEW;
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
        'origin_id', origin_id,
        'language', language,
        'quality_band', quality_band,
        'review_status', review_status))
    FROM added;
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, subject, before, after)
    SELECT n.site_id, CASE
        WHEN o.slug <> n.slug THEN 'post.renamed'
        WHEN o.status <> n.status AND n.status = 'published' THEN 'post.published'
        WHEN o.status <> n.status THEN 'post.unpublished'
        WHEN o.ready_at IS NULL AND n.ready_at IS NOT NULL THEN 'post.marked_ready'
        ELSE 'post.' || coalesce(nullif(current_setting('audit.verb', true), ''), 'updated') END,
      n.id, n.slug,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN o.slug END,
        'status', CASE WHEN o.status <> n.status THEN o.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN o.published_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN o.origin_id END,
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN o.language END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN o.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN o.review_status END)), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN n.slug END,
        'status', CASE WHEN o.status <> n.status THEN n.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN n.published_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN n.origin_id END,
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN n.language END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN n.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN n.review_status END)), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at OR n.origin_id IS DISTINCT FROM o.origin_id;
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
    INSERT INTO audit_log (site_id, action, resource_id, subject, after)
    SELECT site_id, 'guide.created', id, slug, jsonb_strip_nulls(jsonb_build_object(
        'status', status,
        'published_at', published_at,
        'origin_id', origin_id))
    FROM added;
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, subject, before, after)
    SELECT n.site_id, CASE
        WHEN o.slug <> n.slug THEN 'guide.renamed'
        WHEN o.status <> n.status AND n.status = 'published' THEN 'guide.published'
        WHEN o.status <> n.status THEN 'guide.unpublished'
        ELSE 'guide.updated' END,
      n.id, n.slug,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN o.slug END,
        'status', CASE WHEN o.status <> n.status THEN o.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN o.published_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN o.origin_id END)), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN n.slug END,
        'status', CASE WHEN o.status <> n.status THEN n.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN n.published_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN n.origin_id END)), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at OR n.origin_id IS DISTINCT FROM o.origin_id;
  END IF;
  RETURN NULL;
END
$function$;
