SET LOCAL check_function_bodies = off;
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
  -- An upsert updates the guide that is there, which prepares it.
  IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM guides WHERE site_id = NEW.site_id AND slug = NEW.slug) THEN
    RETURN NEW;
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
  -- An upsert updates the post that is there, which prepares it.
  IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM posts WHERE site_id = NEW.site_id AND slug = NEW.slug) THEN
    RETURN NEW;
  END IF;
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
