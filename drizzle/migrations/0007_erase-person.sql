SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.keep_audit_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '400 days' THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('audit.erasing', true) IN (OLD.actor_id::text, OLD.resource_id::text)
    AND pg_has_role(current_user, (SELECT relowner FROM pg_catalog.pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'The audit log is append-only';
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
  PERFORM set_config('audit.erasing', person::text, true);
  UPDATE audit_log SET actor = nobody, address = NULL
  WHERE actor_id = person AND actor IS DISTINCT FROM nobody;
  GET DIAGNOSTICS as_actor = ROW_COUNT;
  UPDATE audit_log SET before = before - personal, after = after - personal,
    subject = CASE WHEN action LIKE 'operator.%' THEN nobody ELSE subject END,
    title = CASE WHEN action LIKE 'operator.%' THEN nobody ELSE title END
  WHERE resource_id = person AND action ~ '^(operator|token|link)[.]'
    AND (action LIKE 'operator.%' AND subject <> nobody OR before ?| personal OR after ?| personal);
  GET DIAGNOSTICS as_subject = ROW_COUNT;
  PERFORM set_config('audit.erasing', '', true);
  UPDATE preview_links SET made_by_name = NULL WHERE made_by = person;
  UPDATE imports SET started_by = NULL, address = '' WHERE started_by_id = person;
  IF as_actor + as_subject > 0 THEN
    INSERT INTO audit_log (action, resource_id, subject, title) VALUES ('operator.erased', person, nobody, nobody);
  END IF;
  RETURN as_actor + as_subject;
END
$function$;
