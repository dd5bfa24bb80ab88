-- The outbox: whoever changes posts, the events of the change are inserted in the same transaction. SQL by hand that shall send none
-- runs `SET events.sending = 'none'` before.

-- The webhooks of sites. The first one of a site has no id.
CREATE FUNCTION webhooks_of(sites uuid[]) RETURNS TABLE (site_id uuid, id uuid, events text[]) LANGUAGE sql STABLE AS $$
  SELECT f.site_id, NULL::uuid, f.events FROM webhook_endpoints f WHERE f.site_id = ANY (sites)
  UNION ALL
  SELECT w.site_id, w.id, w.events FROM webhook_further_endpoints w WHERE w.site_id = ANY (sites)
$$;

-- Statement trigger: inserts the events of what a statement changes in posts, one for each webhook that wants it. A post makes one event
-- in a transaction, and one more when it is deleted. Its tombstone has the number of the deletion.
-- Without nested loops, which its plan must have all the same, its cost seems so high that Postgres would compile it.
CREATE FUNCTION insert_post_events() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET enable_nestloop = off SET jit = off SET search_path = public, pg_temp AS $$
DECLARE
  sites uuid[] := ARRAY(SELECT DISTINCT site_id FROM changed);
  done uuid[];
BEGIN
  IF current_setting('events.sending', true) = 'none' OR NOT EXISTS (SELECT FROM webhooks_of(sites)) THEN
    RETURN NULL;
  END IF;
  done := ARRAY(
    SELECT post_id FROM webhook_events
    WHERE created_at >= date_trunc('milliseconds', now()) AND xmin = pg_current_xact_id()::xid AND post_id IS NOT NULL);
  IF TG_OP = 'INSERT' THEN
    INSERT INTO webhook_events (site_id, endpoint_id, event, post_id, slug, payload)
    SELECT e.site_id, w.id, e.event, e.post_id, e.slug, e.payload
    FROM changed n CROSS JOIN LATERAL post_events(ROW(n.*)::posts, NULL, NULL) e
    JOIN webhooks_of(sites) w ON w.site_id = e.site_id AND (NOT e.is_optional OR e.event = ANY (w.events))
    WHERE e.post_id <> ALL (done);
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO webhook_events (site_id, endpoint_id, event, post_id, slug, payload)
    SELECT e.site_id, w.id, e.event, e.post_id, e.slug, e.payload
    FROM changed n JOIN removed o USING (id) CROSS JOIN LATERAL post_events(ROW(n.*)::posts, ROW(o.*)::posts, NULL) e
    JOIN webhooks_of(sites) w ON w.site_id = e.site_id AND (NOT e.is_optional OR e.event = ANY (w.events))
    WHERE e.post_id <> ALL (done);
  ELSE
    INSERT INTO webhook_events (site_id, endpoint_id, event, post_id, slug, payload)
    SELECT e.site_id, w.id, e.event, e.post_id, e.slug, e.payload
    FROM changed o JOIN tombstones t ON t.site_id = o.site_id AND t.resource_id = o.id AND t.slug = o.slug
      AND t.deleted_at >= date_trunc('milliseconds', now()) AND NOT t.published_only AND t.xmin = pg_current_xact_id()::xid
    CROSS JOIN LATERAL post_events(NULL, ROW(o.*)::posts, t.deleted_at) e
    JOIN webhooks_of(sites) w ON w.site_id = e.site_id AND (NOT e.is_optional OR e.event = ANY (w.events));
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_events_inserted AFTER INSERT ON posts
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();

CREATE TRIGGER posts_events_updated AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS removed NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();

CREATE TRIGGER posts_events_deleted AFTER DELETE ON posts
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();
