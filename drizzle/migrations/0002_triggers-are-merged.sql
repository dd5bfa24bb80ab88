DROP TRIGGER api_keys_deleted ON api_keys;
--> statement-breakpoint
DROP TRIGGER api_keys_updated ON api_keys;
--> statement-breakpoint
DROP TRIGGER posts_truncated_versions ON posts;
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
DROP TRIGGER guides_stamp ON guides;
--> statement-breakpoint
DROP TRIGGER guides_derive ON guides;
--> statement-breakpoint
DROP TRIGGER operators_restricted ON operators;
--> statement-breakpoint
DROP TRIGGER operators_removed ON operators;
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
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION stamp_guide();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION derive_guide();
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
CREATE OR REPLACE FUNCTION public.raise_all_versions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_TABLE_NAME = 'posts' THEN
    TRUNCATE post_counts, post_titles;
    DELETE FROM redirects WHERE coalesce(target_resource, resource) = 'post';
  END IF;
  UPDATE sites SET (content_version, slug_versions, published_version, published_slug_versions) = (
    SELECT v, all_slug_versions(v), v, all_slug_versions(v) FROM next_version(greatest(content_version, published_version)) v
  );
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.prepare_guide()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  shown guides;
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM leave_tombstone(OLD.site_id, 'guide', OLD.id, OLD.slug, NULL, OLD.status, OLD.status <> 'published');
    RETURN OLD;
  END IF;
  NEW.slug := normalize(NEW.slug, NFC);

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
CREATE OR REPLACE FUNCTION public.prepare_post()
 RETURNS trigger
 LANGUAGE plpgsql
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
CREATE TRIGGER posts_truncated AFTER TRUNCATE ON public.posts FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();
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
CREATE TRIGGER api_keys_changed AFTER DELETE OR UPDATE OF site_id, access, key_hash, expires_at, revoked_at ON public.api_keys FOR EACH ROW EXECUTE FUNCTION raise_auth_version();
