SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_resend_of_failed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (site_id, action, resource_id, after)
    VALUES (NEW.site_id, 'event.resend_started', NEW.id, jsonb_build_object('events', NEW.total));
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, after)
    SELECT NEW.site_id, CASE NEW.ending
        WHEN 'done' THEN 'event.resend_finished'
        WHEN 'stopped' THEN 'event.resend_stopped'
        ELSE 'event.resend_broken_off' END,
      NEW.id, jsonb_strip_nulls(jsonb_build_object(
        'arrived', count(*) FILTER (WHERE d.error IS NULL AND d.status IS NOT NULL),
        'failed', count(*) FILTER (WHERE d.error IS NOT NULL),
        'being_sent', nullif(count(*) FILTER (WHERE d.error IS NULL AND d.status IS NULL), 0),
        'not_sent', greatest(NEW.total - count(*), 0)))
    FROM webhook_deliveries d WHERE d.site_id = NEW.site_id AND d.resend_id = NEW.id;
  END IF;
  RETURN NULL;
END
$function$;
