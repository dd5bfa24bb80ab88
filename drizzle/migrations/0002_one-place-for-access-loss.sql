-- Contract: operators_lost_access replaces it in this transaction. A Worker from before it decides about schedules itself, and
-- the trigger then finds none.
DROP TRIGGER operators_departed ON operators;
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.end_made_by()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  choice text := current_setting('access_loss.schedules', true);
  scheduled uuid[] := ARRAY(
    SELECT id FROM posts
    WHERE publish_at IS NOT NULL AND scheduled_by ->> 'id' = OLD.id::text AND NOT may_edit(OLD.id, site_id) FOR UPDATE);
BEGIN
  IF choice = 'ask' AND scheduled <> '{}' THEN
    PERFORM refuse('schedules_undecided', jsonb_build_object('schedules', cardinality(scheduled)));
  ELSIF choice = 'keep' THEN
    UPDATE posts SET scheduled_by = jsonb_build_object(
      'id', nullif(current_setting('audit.actor_id', true), ''), 'name', nullif(current_setting('audit.actor', true), ''))
    WHERE id = ANY (scheduled);
  ELSE
    UPDATE posts SET publish_at = NULL WHERE id = ANY (scheduled);
  END IF;

  UPDATE preview_links SET revoked_at = now()
  WHERE made_by = OLD.id AND revoked_at IS NULL AND expires_at > now() AND NOT may_edit(OLD.id, site_id);

  -- Only admins create tokens for other people.
  IF NEW.role IS DISTINCT FROM 'admin' THEN
    UPDATE operator_tokens SET revoked_at = now()
    WHERE made_by = OLD.id AND operator_id <> OLD.id AND revoked_at IS NULL AND expires_at > now();
    IF OLD.role = 'admin' THEN
      PERFORM set_config('access_loss.is_admin_lost', 'true', true);
    END IF;
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.require_link_maker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM operators WHERE id = NEW.made_by FOR SHARE;
  IF NOT may_edit(NEW.made_by, NEW.site_id) THEN
    RAISE EXCEPTION 'The person who makes this link may not edit the site' USING ERRCODE = 'HC002';
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_auth_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'UPDATE' OR coalesce(OLD.expires_at > now(), true) THEN
    UPDATE sites SET auth_version = auth_version WHERE id IN (OLD.site_id, NEW.site_id);
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.begin_changeset()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.is_head := is_first('audit.begun', concat_ws(' ', NEW.changeset_id, NEW.action, NEW.site_id))
    AND NOT is_begun(NEW.changeset_id, NEW.action, NEW.site_id);
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.check_token_maker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  latest timestamptz;
BEGIN
  IF NEW.made_by <> NEW.operator_id THEN
    PERFORM FROM operators WHERE id = NEW.made_by AND role = 'admin' FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'The person who makes this token is not an admin' USING ERRCODE = 'HC002';
    END IF;
  END IF;
  IF NEW.maker_id IS NOT NULL THEN
    SELECT expires_at INTO latest FROM operator_tokens
    WHERE id = NEW.maker_id AND revoked_at IS NULL AND expires_at > now() FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'The token that makes this one has ended' USING ERRCODE = 'HC002';
    END IF;
    NEW.expires_at := least(NEW.expires_at, latest);
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_version_once()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF is_first('versions.raised', concat_ws(' ', TG_TABLE_NAME, OLD.site_id, NEW.site_id)) THEN
    UPDATE sites SET (content_version, published_version) = (
      SELECT v, CASE WHEN TG_TABLE_NAME = 'redirects' THEN v ELSE published_version END
      FROM next_version(greatest(content_version, published_version)) v
    )
    WHERE id IN (OLD.site_id, NEW.site_id);
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.is_first(setting text, key text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  keys text := coalesce(current_setting(setting, true), '');
BEGIN
  IF strpos(keys, key || E'\n') > 0 THEN
    RETURN false;
  END IF;
  PERFORM set_config(setting, CASE WHEN length(keys) < 2000 THEN keys ELSE '' END || key || E'\n', true);
  RETURN true;
END
$function$;
--> statement-breakpoint
CREATE TRIGGER operators_lost_access AFTER DELETE OR UPDATE OF role, sites ON public.operators FOR EACH ROW EXECUTE FUNCTION end_made_by();
