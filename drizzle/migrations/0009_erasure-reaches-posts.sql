SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.keep_audit_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '30 days' THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE'
    AND (current_setting('audit.erasing', true) IN (OLD.actor_id::text, OLD.resource_id::text)
      OR current_setting('audit.erasing', true) <> '' AND OLD.action = 'operator.sign_in_failed')
    AND pg_has_role(current_user, (SELECT relowner FROM pg_catalog.pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'The audit log is append-only';
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
      OR n.change_request - 'requestedBy' IS DISTINCT FROM o.change_request - 'requestedBy';
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
    shown.ready_by := OLD.ready_by;
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
CREATE OR REPLACE FUNCTION public.erase_person(person uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  nobody text := 'Erased person';
  personal text[] := ARRAY['name', 'sent_to', 'browser'];
  names text[] := names_of_person(person);
  named uuid[];
  as_actor bigint;
  as_subject bigint;
BEGIN
  IF EXISTS (SELECT FROM operators WHERE id = person) THEN
    RAISE EXCEPTION 'The person still has access' USING ERRCODE = 'HC004';
  END IF;
  -- An actor may also be a key.
  IF NOT EXISTS (SELECT FROM audit_log WHERE resource_id = person AND action = 'operator.deleted') THEN
    RETURN 0;
  END IF;
  -- The narrow copy has indexes on both.
  named := ARRAY(
    SELECT p.id FROM post_titles t JOIN posts p ON p.id = t.id
    WHERE t.ready_at IS NOT NULL AND p.ready_by = ANY(names)
      OR t.changes_requested AND p.change_request ->> 'requestedBy' = ANY(names));
  PERFORM lock_site(site_id) FROM (SELECT DISTINCT site_id FROM posts WHERE id = ANY(named) ORDER BY site_id) s;
  UPDATE posts SET
    ready_by = CASE WHEN ready_by = ANY(names) THEN nobody ELSE ready_by END,
    change_request = CASE WHEN change_request ->> 'requestedBy' = ANY(names)
      THEN jsonb_set(change_request, '{requestedBy}', to_jsonb(nobody)) ELSE change_request END
  WHERE id = ANY(named);
  UPDATE preview_links SET made_by_name = NULL WHERE made_by = person;
  UPDATE imports SET started_by = NULL, address = '' WHERE started_by_id = person;
  UPDATE console_sessions SET ended_by = nobody WHERE ended_by = ANY(names);
  PERFORM set_config('audit.erasing', person::text, true);
  UPDATE audit_log SET actor = nobody, address = NULL
  WHERE actor_id = person AND actor IS DISTINCT FROM nobody
    -- Cloudflare Access still reports the name after the person was removed.
    OR actor_id IS NULL AND action = 'operator.sign_in_failed' AND actor = ANY(names);
  GET DIAGNOSTICS as_actor = ROW_COUNT;
  UPDATE audit_log SET before = before - personal, after = after - personal,
    subject = CASE WHEN action LIKE 'operator.%' THEN nobody ELSE subject END,
    title = CASE WHEN action LIKE 'operator.%' THEN nobody ELSE title END
  WHERE resource_id = person AND action ~ '^(operator|token|link)[.]'
    AND (action LIKE 'operator.%' AND subject <> nobody OR before ?| personal OR after ?| personal);
  GET DIAGNOSTICS as_subject = ROW_COUNT;
  PERFORM set_config('audit.erasing', '', true);
  IF as_actor + as_subject > 0 THEN
    INSERT INTO audit_log (action, resource_id, subject, title) VALUES ('operator.erased', person, nobody, nobody);
  END IF;
  RETURN as_actor + as_subject;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.names_of_person(person uuid)
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce(array_agg(DISTINCT name), '{}') FROM (
    SELECT name FROM operators WHERE id = person
    UNION ALL SELECT actor FROM audit_log WHERE actor_id = person
    UNION ALL SELECT subject FROM audit_log WHERE resource_id = person AND action LIKE 'operator.%'
  ) known
  WHERE name <> 'Erased person' AND NOT EXISTS (SELECT FROM operators o WHERE o.id <> person AND o.name = known.name)
$function$;
