ALTER TABLE "console_sessions" ADD COLUMN "id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "console_sessions" ADD COLUMN "last_seen_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "console_sessions" ADD COLUMN "browser" text;--> statement-breakpoint
ALTER TABLE "console_sessions" ADD COLUMN "ended_by" text;--> statement-breakpoint
ALTER TABLE "operator_tokens" ADD COLUMN "kind" text DEFAULT 'token' NOT NULL;--> statement-breakpoint
ALTER TABLE "operator_tokens" ADD COLUMN "used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "operator_tokens" ADD COLUMN "sent_to" text;--> statement-breakpoint
ALTER TABLE "operators" ADD COLUMN "sites" uuid[];--> statement-breakpoint
-- Contract: the Worker of before lets Postgres make each id.
CREATE UNIQUE INDEX CONCURRENTLY "console_sessions_id" ON "console_sessions" USING btree ("id");--> statement-breakpoint
-- Contract: the Worker of before makes tokens only, the default.
ALTER TABLE "operator_tokens" ADD CONSTRAINT "operator_tokens_kind" CHECK ("operator_tokens"."kind" in ('token', 'link'));--> statement-breakpoint
-- Contract: the Worker of before gives nobody sites.
ALTER TABLE "operators" ADD CONSTRAINT "operators_admins_reach_all" CHECK ("operators"."role" <> 'admin' or "operators"."sites" is null);
--> statement-breakpoint
DROP TRIGGER operator_tokens_logged ON operator_tokens;
--> statement-breakpoint
DROP TRIGGER operators_logged ON operators;
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
BEGIN
  IF TG_OP = 'UPDATE' AND before IS NULL AND after IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO audit_log (site_id, action, resource_id, subject, before, after)
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
    coalesce(current_row ->> 'name', '…' || (current_row ->> 'last_four')),
    before,
    after
  );
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.require_admin(needs_token boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (
    SELECT FROM operators o WHERE o.role = 'admin' AND (NOT needs_token OR EXISTS (
      SELECT FROM operator_tokens t WHERE t.operator_id = o.id AND t.kind = 'token' AND t.revoked_at IS NULL AND t.expires_at > now()))
  ) THEN
    RAISE EXCEPTION 'No admin would be left who can sign in' USING ERRCODE = 'HC003';
  END IF;
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
  INSERT INTO audit_log (action, resource_id, subject, before)
  SELECT 'operator.session_ended', o.id, o.name, jsonb_strip_nulls(jsonb_build_object('browser', NEW.browser))
  FROM operator_tokens t JOIN operators o ON o.id = t.operator_id WHERE t.id = NEW.token_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.forget_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE operators SET sites = array_remove(sites, OLD.id) WHERE OLD.id = ANY (sites);
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE TRIGGER operators_logged AFTER INSERT OR DELETE OR UPDATE ON public.operators FOR EACH ROW EXECUTE FUNCTION log_row('operator', 'name role sites');
--> statement-breakpoint
CREATE TRIGGER operator_tokens_logged AFTER INSERT OR DELETE OR UPDATE OF operator_id, token_hash, last_four, expires_at, revoked_at, maker_id, used_at ON public.operator_tokens FOR EACH ROW EXECUTE FUNCTION log_row('token', 'id maker_id last_four expires_at revoked_at used_at sent_to', 'operator_id token_hash');
--> statement-breakpoint
CREATE TRIGGER console_sessions_ended_logged AFTER UPDATE OF ended_by ON public.console_sessions FOR EACH ROW WHEN (((old.ended_by IS NULL) AND (new.ended_by IS NOT NULL))) EXECUTE FUNCTION log_session_end();
--> statement-breakpoint
CREATE TRIGGER sites_forgotten AFTER DELETE ON public.sites FOR EACH ROW EXECUTE FUNCTION forget_site();
