ALTER TABLE "redirects" ALTER COLUMN "resource_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "redirects" ADD COLUMN "target_resource" text;--> statement-breakpoint
ALTER TABLE "redirects" ADD COLUMN "target" text;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "redirects_by_target" ON "redirects" USING btree ("site_id","target") WHERE "redirects"."target" is not null;--> statement-breakpoint
-- Contract: only triggers write redirects for a Worker of before, each with the article that it leads to.
ALTER TABLE "redirects" ADD CONSTRAINT "redirects_one_target" CHECK (num_nonnulls("redirects"."resource_id", "redirects"."target") = 1);
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.end_redirects()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
BEGIN
  DELETE FROM redirects r USING removed d
  WHERE r.resource_id = d.id AND coalesce(r.target_resource, r.resource) = TG_ARGV[0];
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.truncate_post_copies()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  TRUNCATE post_counts, post_titles;
  DELETE FROM redirects WHERE coalesce(target_resource, resource) = 'post';
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_redirect()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  shown redirects := coalesce(NEW, OLD);
  before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN jsonb_strip_nulls(jsonb_build_object(
    'target', split_part(OLD.target, '?', 1), 'target_resource', OLD.target_resource, 'resource_id', OLD.resource_id)) END;
  after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN jsonb_strip_nulls(jsonb_build_object(
    'target', split_part(NEW.target, '?', 1), 'target_resource', NEW.target_resource, 'resource_id', NEW.resource_id)) END;
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject, before, after)
  SELECT s.id, 'redirect.' || CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END,
    shown.resource_id, shown.slug, before, after
  FROM sites s WHERE s.id = shown.site_id AND s.deletion_started_at IS NULL;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE TRIGGER redirects_logged AFTER INSERT OR DELETE OR UPDATE ON public.redirects FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION log_redirect();
