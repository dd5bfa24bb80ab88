DROP TRIGGER training_rows_deleted ON training_rows;
--> statement-breakpoint
DROP TRIGGER training_rows_updated ON training_rows;
--> statement-breakpoint
DROP TRIGGER training_rows_inserted ON training_rows;
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION raise_content_version_for_training();
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
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
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN o.language END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN o.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN o.review_status END)), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN n.slug END,
        'status', CASE WHEN o.status <> n.status THEN n.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN n.published_at END,
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN n.language END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN n.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN n.review_status END)), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at;
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
        'published_at', published_at))
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
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN o.published_at END)), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN n.slug END,
        'status', CASE WHEN o.status <> n.status THEN n.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN n.published_at END)), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at;
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE TRIGGER training_rows_inserted AFTER INSERT ON public.training_rows REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
--> statement-breakpoint
CREATE TRIGGER training_rows_updated AFTER UPDATE ON public.training_rows REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
--> statement-breakpoint
CREATE TRIGGER training_rows_deleted AFTER DELETE ON public.training_rows REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
