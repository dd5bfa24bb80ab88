DROP INDEX "audit_log_by_site";--> statement-breakpoint
DROP INDEX "audit_log_by_resource";--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "title" text;--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "act_id" uuid;--> statement-breakpoint
ALTER TABLE "audit_log" ALTER COLUMN "act_id" SET DEFAULT coalesce(nullif(current_setting('audit.act_id', true), '')::uuid, md5(pg_current_xact_id()::text || now()::text)::uuid);--> statement-breakpoint
-- Older entries count as heads: lists show the first entry of an act.
ALTER TABLE "audit_log" ADD COLUMN "is_head" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_log" ALTER COLUMN "is_head" SET DEFAULT false;--> statement-breakpoint
-- Allows the update below; the next migration forbids it again.
CREATE OR REPLACE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '400 days' THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.act_id IS NULL THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'The audit log is append-only';
END
$$;
--> statement-breakpoint
-- In batches: what one actor wrote at one moment was one act.
UPDATE "audit_log" SET
  "act_id" = md5(concat_ws(' ', "at", "actor_id", "actor", "door", "address"))::uuid,
  "title" = CASE WHEN "action" !~ '^(post|guide)\.' OR "action" ~ '\.(created|renamed|deleted)$' THEN "subject" END
WHERE "id" IN (SELECT "id" FROM "audit_log" WHERE "act_id" IS NULL LIMIT 5000);
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "audit_log_newest" ON "audit_log" USING btree ("is_head","at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "audit_log_newest_of_site" ON "audit_log" USING btree ("site_id","is_head","at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "audit_log_newest_of_action" ON "audit_log" USING btree ("action","is_head","at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "audit_log_newest_of_actor_id" ON "audit_log" USING btree ("actor_id","is_head","at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "audit_log_newest_of_actor" ON "audit_log" USING btree ("actor","is_head","at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "audit_log_newest_of_resource" ON "audit_log" USING btree ("resource_id","at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "audit_log_newest_of_act" ON "audit_log" USING btree ("act_id","is_head","at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "audit_log_titles" ON "audit_log" USING gin (without_diacritics(lower(coalesce("subject", '') || ' ' || "title")) gin_trgm_ops) WHERE "audit_log"."title" is not null;
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
    (current_row ->> CASE WHEN noun = 'token' THEN 'operator_id' WHEN current_row ? 'id' THEN 'id' ELSE 'site_id' END)::uuid,
    name,
    name,
    before,
    after
  );
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_sitemap()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject, title)
  VALUES (NEW.id, CASE
    WHEN OLD.sitemap_id IS NULL THEN 'sitemap.published'
    WHEN NEW.sitemap_id IS NULL THEN 'sitemap.unpublished'
    ELSE 'sitemap.renewed' END, NEW.id, NEW.name, NEW.name);
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
        WHEN n.updated_at = o.updated_at AND n.publish_at IS DISTINCT FROM o.publish_at
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
        'canonical_url', CASE WHEN o.canonical_url IS DISTINCT FROM n.canonical_url THEN n.canonical_url END)), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at OR n.origin_id IS DISTINCT FROM o.origin_id
      OR n.publish_at IS DISTINCT FROM o.publish_at OR n.change_request IS DISTINCT FROM o.change_request;
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
  INSERT INTO audit_log (site_id, action, resource_id, subject, title, before)
  SELECT s.id, TG_ARGV[0] || '.deleted', OLD.id, OLD.slug, OLD.title, before
  FROM sites s WHERE s.id = OLD.site_id AND s.deletion_started_at IS NULL;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_session_end()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO audit_log (action, resource_id, subject, title, before)
  SELECT 'operator.session_ended', o.id, o.name, o.name, jsonb_strip_nulls(jsonb_build_object('browser', NEW.browser))
  FROM operator_tokens t JOIN operators o ON o.id = t.operator_id WHERE t.id = NEW.token_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.begin_act()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  key text := concat_ws(' ', NEW.act_id, NEW.action, NEW.site_id) || E'\n';
  begun text := coalesce(current_setting('audit.begun', true), '');
BEGIN
  IF strpos(begun, key) > 0 THEN
    NEW.is_head := false;
  ELSE
    NEW.is_head := NOT is_begun(NEW.act_id, NEW.action, NEW.site_id);
    PERFORM set_config('audit.begun', CASE WHEN length(begun) < 2000 THEN begun ELSE '' END || key, true);
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.is_begun(act uuid, of_action text, of_site uuid)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  SELECT EXISTS (
    SELECT FROM audit_log WHERE act_id = act AND is_head AND action = of_action AND site_id IS NOT DISTINCT FROM of_site)
$function$;
--> statement-breakpoint
CREATE TRIGGER audit_log_acts BEFORE INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION begin_act();
