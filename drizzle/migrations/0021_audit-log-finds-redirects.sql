SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_resend()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject, title)
  SELECT NEW.site_id, 'event.resent', e.id, e.slug, e.slug FROM webhook_events e WHERE e.id = NEW.event_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_refusal(kind text, what text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  in_minute bigint;
  in_hour bigint;
  is_known boolean;
BEGIN
  IF kind NOT IN ('operator.refused', 'operator.sign_in_failed') THEN
    RAISE EXCEPTION 'No kind of refusal: %', kind;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('log_refusal', 0));
  SELECT count(*) FILTER (WHERE at > now() - interval '1 minute'), count(*), coalesce(bool_or(
      at > now() - interval '1 minute'
      AND subject IS NOT DISTINCT FROM left(what, 300)
      AND address IS NOT DISTINCT FROM nullif(current_setting('audit.address', true), '')), false)
  INTO in_minute, in_hour, is_known
  FROM audit_log
  WHERE action IN ('operator.refused', 'operator.sign_in_failed') AND action = kind AND at > now() - interval '1 hour'
    AND actor_id IS NOT DISTINCT FROM nullif(current_setting('audit.actor_id', true), '')::uuid;
  IF in_minute < 60 AND in_hour < 300 AND NOT is_known THEN
    INSERT INTO audit_log (action, subject, title) VALUES (kind, left(what, 300), left(what, 300));
  END IF;
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
  INSERT INTO audit_log (site_id, action, resource_id, subject, title, before, after)
  SELECT s.id, 'redirect.' || CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END,
    shown.resource_id, shown.slug, shown.slug, before, after
  FROM sites s WHERE s.id = shown.site_id AND s.deletion_started_at IS NULL;
  RETURN NULL;
END
$function$;
