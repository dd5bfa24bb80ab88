ALTER TABLE "operator_tokens" ADD COLUMN "made_by" uuid DEFAULT nullif(current_setting('audit.actor_id', true), '')::uuid;--> statement-breakpoint
ALTER TABLE "preview_links" ADD COLUMN "made_by" uuid DEFAULT nullif(current_setting('audit.actor_id', true), '')::uuid;--> statement-breakpoint
ALTER TABLE "preview_links" ADD COLUMN "made_by_name" text DEFAULT nullif(current_setting('audit.actor', true), '');--> statement-breakpoint
CREATE INDEX CONCURRENTLY "operator_tokens_made_by" ON "operator_tokens" USING btree ("made_by");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "preview_links_by_maker" ON "preview_links" USING btree ("made_by") WHERE "preview_links"."revoked_at" is null;
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
        'publish_at', publish_at,
        'origin_id', origin_id,
        'language', language,
        'quality_band', quality_band,
        'review_status', review_status,
        'canonical_url', canonical_url))
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
        'canonical_url', CASE WHEN o.canonical_url IS DISTINCT FROM n.canonical_url THEN n.canonical_url END,
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
CREATE OR REPLACE FUNCTION public.may_edit(person uuid, site uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT person IS NULL OR EXISTS (
    SELECT FROM operators o
    WHERE o.id = person AND o.role <> 'viewer' AND (o.sites IS NULL OR site = ANY (o.sites)))
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.end_made_by()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE preview_links SET revoked_at = now()
  WHERE made_by = OLD.id AND revoked_at IS NULL AND expires_at > now() AND NOT may_edit(OLD.id, site_id);
  UPDATE posts SET publish_at = NULL
  WHERE publish_at IS NOT NULL AND scheduled_by ->> 'id' = OLD.id::text AND NOT may_edit(OLD.id, site_id);
  UPDATE operator_tokens SET revoked_at = now()
  WHERE made_by = OLD.id AND operator_id <> OLD.id AND revoked_at IS NULL AND expires_at > now()
    AND NOT EXISTS (SELECT FROM operators o WHERE o.id = OLD.id AND o.role = 'admin');
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.require_link_maker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM operators
  WHERE id = NEW.made_by AND role <> 'viewer' AND (sites IS NULL OR NEW.site_id = ANY (sites)) FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The person who makes this link may not edit the site' USING ERRCODE = 'HC002';
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.require_token_maker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM operators WHERE id = NEW.made_by AND role = 'admin' FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The person who makes this token is no admin' USING ERRCODE = 'HC002';
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE TRIGGER operators_removed AFTER DELETE ON public.operators FOR EACH ROW EXECUTE FUNCTION end_made_by();
--> statement-breakpoint
CREATE TRIGGER operators_restricted AFTER UPDATE OF role, sites ON public.operators FOR EACH ROW WHEN (((old.role <> new.role) OR (old.sites IS DISTINCT FROM new.sites))) EXECUTE FUNCTION end_made_by();
--> statement-breakpoint
CREATE TRIGGER preview_links_made BEFORE INSERT ON public.preview_links FOR EACH ROW WHEN ((new.made_by IS NOT NULL)) EXECUTE FUNCTION require_link_maker();
--> statement-breakpoint
CREATE TRIGGER operator_tokens_made BEFORE INSERT ON public.operator_tokens FOR EACH ROW WHEN ((new.made_by <> new.operator_id)) EXECUTE FUNCTION require_token_maker();
--> statement-breakpoint
-- The audit log knows who made the links and tokens that there are. Links and schedules of people who may not edit the site any more end.
UPDATE preview_links l SET made_by = a.actor_id, made_by_name = a.actor FROM audit_log a
WHERE a.resource_id = l.id AND a.action = 'preview_link.created';
--> statement-breakpoint
UPDATE operator_tokens t SET made_by = a.actor_id FROM audit_log a
WHERE a.resource_id = t.operator_id AND a.action IN ('token.created', 'link.created') AND a.after ->> 'id' = t.id::text;
--> statement-breakpoint
UPDATE preview_links SET revoked_at = now() WHERE revoked_at IS NULL AND expires_at > now() AND NOT may_edit(made_by, site_id);
--> statement-breakpoint
UPDATE posts SET publish_at = NULL WHERE publish_at IS NOT NULL AND NOT may_edit((scheduled_by ->> 'id')::uuid, site_id);
