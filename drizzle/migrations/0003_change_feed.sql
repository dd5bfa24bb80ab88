-- As before, and after every tombstone too.
CREATE OR REPLACE FUNCTION next_tick(site uuid) RETURNS timestamptz LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
  newest timestamptz;
BEGIN
  PERFORM lock_site(site);
  SELECT greatest(
    s.last_tick,
    (SELECT p.updated_at FROM posts p WHERE p.site_id = site ORDER BY p.updated_at DESC LIMIT 1),
    (SELECT g.updated_at FROM guides g WHERE g.site_id = site ORDER BY g.updated_at DESC LIMIT 1),
    (SELECT t.deleted_at FROM tombstones t WHERE t.site_id = site ORDER BY t.deleted_at DESC LIMIT 1)
  ) INTO newest FROM sites s WHERE s.id = site;
  RETURN greatest(date_trunc('milliseconds', clock_timestamp()), newest + interval '1 millisecond');
END
$$;
--> statement-breakpoint
-- The number of a change in the feed and in webhooks: its tick in milliseconds.
CREATE FUNCTION wire_sequence(at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT (extract(epoch FROM at) * 1000)::bigint
$$;
--> statement-breakpoint
-- A site that is being deleted itself needs no tombstones.
CREATE FUNCTION bury(site uuid, kind text, resource uuid, old_slug text, old_language text, status text)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO tombstones (site_id, deleted_at, resource, resource_id, slug, language, status)
  SELECT s.id, next_tick(s.id), kind, resource, old_slug, old_language, status FROM sites s WHERE s.id = site
$$;
--> statement-breakpoint
-- Named to come before posts_stamp: the old slug is gone before the new one is there.
CREATE FUNCTION bury_old_post() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM bury(OLD.site_id, 'post', OLD.id, OLD.slug, OLD.language, OLD.status);
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_bury_slug BEFORE UPDATE ON posts
  FOR EACH ROW WHEN (OLD.slug <> NEW.slug) EXECUTE FUNCTION bury_old_post();
--> statement-breakpoint
CREATE TRIGGER posts_bury BEFORE DELETE ON posts
  FOR EACH ROW EXECUTE FUNCTION bury_old_post();
--> statement-breakpoint
CREATE FUNCTION bury_old_guide() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM bury(OLD.site_id, 'guide', OLD.id, OLD.slug, NULL, OLD.status);
    RETURN OLD;
  END IF;
  PERFORM bury(OLD.site_id, 'guide', OLD.id, OLD.slug, NULL, NEW.status);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER guides_bury_old BEFORE UPDATE ON guides
  FOR EACH ROW WHEN (OLD.status = 'published' AND (NEW.status <> 'published' OR OLD.slug <> NEW.slug))
  EXECUTE FUNCTION bury_old_guide();
--> statement-breakpoint
CREATE TRIGGER guides_bury BEFORE DELETE ON guides
  FOR EACH ROW WHEN (OLD.status = 'published') EXECUTE FUNCTION bury_old_guide();
