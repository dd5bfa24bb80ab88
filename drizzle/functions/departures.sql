-- Ends draft links, schedules and tokens when their maker is removed or restricted, whoever writes that.

-- True if a person may change content of a site. Null stands for OPERATOR_TOKEN and manual SQL.
CREATE FUNCTION may_edit(person uuid, site uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT person IS NULL OR EXISTS (
    SELECT FROM operators o
    WHERE o.id = person AND o.role <> 'viewer' AND (o.sites IS NULL OR site = ANY (o.sites)))
$$;

-- Row trigger: ends what a person made. Tokens for other people require an admin.
CREATE FUNCTION end_made_by() RETURNS trigger LANGUAGE plpgsql AS $$
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
$$;

CREATE TRIGGER operators_departed AFTER DELETE OR UPDATE OF role, sites ON operators
  FOR EACH ROW EXECUTE FUNCTION end_made_by();

-- Row trigger: a person being removed creates no links. The lock makes the removal wait, and then end this row too.
CREATE FUNCTION require_link_maker() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM operators
  WHERE id = NEW.made_by AND role <> 'viewer' AND (sites IS NULL OR NEW.site_id = ANY (sites)) FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The person who makes this link may not edit the site' USING ERRCODE = 'HC002';
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER preview_links_made BEFORE INSERT ON preview_links
  FOR EACH ROW WHEN (NEW.made_by IS NOT NULL) EXECUTE FUNCTION require_link_maker();
