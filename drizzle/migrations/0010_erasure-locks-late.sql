SET LOCAL check_function_bodies = off;
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
  -- Late, because writers of these sites wait for the locks. The narrow copy has indexes on both.
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
  -- Writers lock the site first.
  UPDATE preview_links SET made_by_name = NULL WHERE made_by = person;
  RETURN as_actor + as_subject;
END
$function$;
