CREATE TABLE "revisions" (
	"site_id" uuid NOT NULL,
	"article_id" uuid NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"before" jsonb NOT NULL,
	CONSTRAINT "revisions_site_id_article_id_updated_at_pk" PRIMARY KEY("site_id","article_id","updated_at")
);
--> statement-breakpoint
ALTER TABLE "revisions" ADD CONSTRAINT "revisions_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;
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
        'fields', nullif(concat_ws(', ',
      CASE WHEN o.title IS DISTINCT FROM n.title THEN 'title' END,
      CASE WHEN o.excerpt IS DISTINCT FROM n.excerpt THEN 'excerpt' END,
      CASE WHEN o.content_html IS DISTINCT FROM n.content_html THEN 'contentHtml' END,
      CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN 'qualityBand' END,
      CASE WHEN o.trust_score IS DISTINCT FROM n.trust_score THEN 'trustScore' END,
      CASE WHEN o.assurance_label IS DISTINCT FROM n.assurance_label THEN 'assuranceLabel' END,
      CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN 'reviewStatus' END,
      CASE WHEN o.ai_generated IS DISTINCT FROM n.ai_generated THEN 'aiGenerated' END,
      CASE WHEN o.language IS DISTINCT FROM n.language THEN 'language' END,
      CASE WHEN o.source_post_id IS DISTINCT FROM n.source_post_id THEN 'sourcePostId' END,
      CASE WHEN o.provenance IS DISTINCT FROM n.provenance THEN 'provenance' END,
      CASE WHEN o.seo IS DISTINCT FROM n.seo THEN 'seo' END,
      CASE WHEN o.faq_json_ld IS DISTINCT FROM n.faq_json_ld THEN 'faqJsonLd' END,
      CASE WHEN CASE WHEN NOT o.schema_bundle_derived THEN o.schema_bundle
        WHEN o.schema_article IS NOT NULL THEN jsonb_build_object('article', o.schema_article) END IS DISTINCT FROM CASE WHEN NOT n.schema_bundle_derived THEN n.schema_bundle
        WHEN n.schema_article IS NOT NULL THEN jsonb_build_object('article', n.schema_article) END THEN 'schemaBundle' END,
      CASE WHEN o.authors IS DISTINCT FROM n.authors THEN 'authors' END,
      CASE WHEN o.image IS DISTINCT FROM n.image THEN 'image' END,
      CASE WHEN o.categories IS DISTINCT FROM n.categories THEN 'categories' END,
      CASE WHEN o.tags IS DISTINCT FROM n.tags THEN 'tags' END,
      CASE WHEN o.canonical_url IS DISTINCT FROM n.canonical_url THEN 'canonicalUrl' END,
      CASE WHEN o.modified_at IS DISTINCT FROM n.modified_at THEN 'modifiedAt' END), ''))), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at OR n.origin_id IS DISTINCT FROM o.origin_id
      OR n.publish_at IS DISTINCT FROM o.publish_at OR n.scheduled_by IS DISTINCT FROM o.scheduled_by
      OR n.change_request IS DISTINCT FROM o.change_request;
    INSERT INTO revisions (site_id, article_id, updated_at, before)
    SELECT site_id, id, updated_at, before FROM (
      SELECT n.site_id, n.id, n.updated_at,
      CASE WHEN o.title IS DISTINCT FROM n.title THEN jsonb_build_object('title', o.title) ELSE '{}' END ||
      CASE WHEN o.excerpt IS DISTINCT FROM n.excerpt THEN jsonb_build_object('excerpt', o.excerpt) ELSE '{}' END ||
      CASE WHEN o.content_html IS DISTINCT FROM n.content_html THEN jsonb_build_object('contentHtml', o.content_html) ELSE '{}' END ||
      CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN jsonb_build_object('qualityBand', o.quality_band) ELSE '{}' END ||
      CASE WHEN o.trust_score IS DISTINCT FROM n.trust_score THEN jsonb_build_object('trustScore', o.trust_score) ELSE '{}' END ||
      CASE WHEN o.assurance_label IS DISTINCT FROM n.assurance_label THEN jsonb_build_object('assuranceLabel', o.assurance_label) ELSE '{}' END ||
      CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN jsonb_build_object('reviewStatus', o.review_status) ELSE '{}' END ||
      CASE WHEN o.ai_generated IS DISTINCT FROM n.ai_generated THEN jsonb_build_object('aiGenerated', o.ai_generated) ELSE '{}' END ||
      CASE WHEN o.language IS DISTINCT FROM n.language THEN jsonb_build_object('language', o.language) ELSE '{}' END ||
      CASE WHEN o.source_post_id IS DISTINCT FROM n.source_post_id THEN jsonb_build_object('sourcePostId', o.source_post_id) ELSE '{}' END ||
      CASE WHEN o.provenance IS DISTINCT FROM n.provenance THEN jsonb_build_object('provenance', o.provenance) ELSE '{}' END ||
      CASE WHEN o.seo IS DISTINCT FROM n.seo THEN jsonb_build_object('seo', o.seo) ELSE '{}' END ||
      CASE WHEN o.faq_json_ld IS DISTINCT FROM n.faq_json_ld THEN jsonb_build_object('faqJsonLd', o.faq_json_ld) ELSE '{}' END ||
      CASE WHEN CASE WHEN NOT o.schema_bundle_derived THEN o.schema_bundle
        WHEN o.schema_article IS NOT NULL THEN jsonb_build_object('article', o.schema_article) END IS DISTINCT FROM CASE WHEN NOT n.schema_bundle_derived THEN n.schema_bundle
        WHEN n.schema_article IS NOT NULL THEN jsonb_build_object('article', n.schema_article) END THEN jsonb_build_object('schemaBundle', CASE WHEN NOT o.schema_bundle_derived THEN o.schema_bundle
        WHEN o.schema_article IS NOT NULL THEN jsonb_build_object('article', o.schema_article) END) ELSE '{}' END ||
      CASE WHEN o.authors IS DISTINCT FROM n.authors THEN jsonb_build_object('authors', o.authors) ELSE '{}' END ||
      CASE WHEN o.image IS DISTINCT FROM n.image THEN jsonb_build_object('image', o.image) ELSE '{}' END ||
      CASE WHEN o.categories IS DISTINCT FROM n.categories THEN jsonb_build_object('categories', o.categories) ELSE '{}' END ||
      CASE WHEN o.tags IS DISTINCT FROM n.tags THEN jsonb_build_object('tags', o.tags) ELSE '{}' END ||
      CASE WHEN o.canonical_url IS DISTINCT FROM n.canonical_url THEN jsonb_build_object('canonicalUrl', o.canonical_url) ELSE '{}' END ||
      CASE WHEN o.modified_at IS DISTINCT FROM n.modified_at THEN jsonb_build_object('modifiedAt', o.modified_at) ELSE '{}' END AS before
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
        ) kept WHERE number > 30 OR bytes > 16777216))
      FROM added n));
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
        'fields', nullif(concat_ws(', ',
      CASE WHEN o.title IS DISTINCT FROM n.title THEN 'title' END,
      CASE WHEN o.excerpt IS DISTINCT FROM n.excerpt THEN 'excerpt' END,
      CASE WHEN o.content_html IS DISTINCT FROM n.content_html THEN 'contentHtml' END), ''))), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at OR n.origin_id IS DISTINCT FROM o.origin_id;
    INSERT INTO revisions (site_id, article_id, updated_at, before)
    SELECT site_id, id, updated_at, before FROM (
      SELECT n.site_id, n.id, n.updated_at,
      CASE WHEN o.title IS DISTINCT FROM n.title THEN jsonb_build_object('title', o.title) ELSE '{}' END ||
      CASE WHEN o.excerpt IS DISTINCT FROM n.excerpt THEN jsonb_build_object('excerpt', o.excerpt) ELSE '{}' END ||
      CASE WHEN o.content_html IS DISTINCT FROM n.content_html THEN jsonb_build_object('contentHtml', o.content_html) ELSE '{}' END AS before
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
        ) kept WHERE number > 30 OR bytes > 16777216))
      FROM added n));
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
  DELETE FROM revisions WHERE site_id = OLD.site_id AND article_id = OLD.id;
  -- Apart, since a guide has no such column.
  IF TG_ARGV[0] = 'post' THEN
    before := before || jsonb_strip_nulls(jsonb_build_object('publish_at', OLD.publish_at));
  END IF;
  INSERT INTO audit_log (site_id, action, resource_id, subject, title, before)
  SELECT s.id, TG_ARGV[0] || '.deleted', OLD.id, OLD.slug, OLD.title, before
  FROM sites s WHERE s.id = OLD.site_id AND s.deletion_started_at IS NULL;
  RETURN NULL;
END
$function$;
