-- When people are removed, become viewers or lose sites, revokes what they created. Also applies to manual SQL.

-- True if a person may change content of a site. Null stands for OPERATOR_TOKEN and manual SQL.
CREATE FUNCTION may_edit(person uuid, site uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT person IS NULL OR EXISTS (
    SELECT FROM operators o
    WHERE o.id = person AND o.role <> 'viewer' AND (o.sites IS NULL OR site = ANY (o.sites)))
$$;

-- Row trigger: ends the schedules, preview links and tokens that the person could no longer create. src/people/access-loss.ts
-- sets what happens to schedules; manual SQL cancels them. The service reads is_admin_lost at the end of the transaction, after
-- all cascades.
CREATE FUNCTION end_made_by() RETURNS trigger LANGUAGE plpgsql AS $$
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
$$;

CREATE TRIGGER operators_lost_access AFTER DELETE OR UPDATE OF role, sites ON operators
  FOR EACH ROW EXECUTE FUNCTION end_made_by();

-- Row trigger: refuses links of people who may not edit the site. The lock makes a concurrent removal of the person wait, so that it
-- also revokes this link.
CREATE FUNCTION require_link_maker() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM operators WHERE id = NEW.made_by FOR SHARE;
  IF NOT may_edit(NEW.made_by, NEW.site_id) THEN
    RAISE EXCEPTION 'The person who makes this link may not edit the site' USING ERRCODE = 'HC002';
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER preview_links_made BEFORE INSERT ON preview_links
  FOR EACH ROW WHEN (NEW.made_by IS NOT NULL) EXECUTE FUNCTION require_link_maker();
