-- One writer at a time per site, until its transaction ends. Verbs take it first; the row triggers take it for
-- everybody else.
CREATE FUNCTION lock_site(site uuid) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(site::text, 0))
$$;
--> statement-breakpoint
-- The site's next instant: now, or a millisecond after the newest one given out, also by rows of this very
-- statement. Under the lock, so that the order of updated_at is the order of the commits.
-- The settings keep it to the index: a plan made while the table was empty scans it all, and is kept for the whole
-- of a bulk write, which then is quadratic.
CREATE FUNCTION next_tick(site uuid) RETURNS timestamptz LANGUAGE plpgsql
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
CREATE FUNCTION wire_time(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
--> statement-breakpoint
-- Bytes of a value as a string inside a JSON answer.
CREATE FUNCTION json_bytes(value text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(octet_length(to_json(value)::text), 0)
$$;
--> statement-breakpoint
-- A bundle without the dates that the trigger below puts into it.
CREATE FUNCTION undated_bundle(bundle jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT bundle #- '{article,dateModified}' #- '{article,datePublished}'
$$;
--> statement-breakpoint
CREATE FUNCTION stamp_post() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
    IF NEW.title <> OLD.title AND NEW.title_folded = OLD.title_folded THEN
      NEW.title_folded := lower(NEW.title);
    END IF;
  ELSIF NEW.title_folded = '' THEN
    NEW.title_folded := lower(NEW.title);
  END IF;
  NEW.updated_at := next_tick(NEW.site_id);
  IF NEW.schema_bundle_derived THEN
    NEW.schema_bundle := NEW.schema_bundle || jsonb_build_object(
      'article', (NEW.schema_bundle -> 'article') - 'datePublished'
        || jsonb_build_object('dateModified', wire_time(NEW.updated_at))
        || CASE WHEN NEW.published_at IS NULL THEN '{}'::jsonb
                ELSE jsonb_build_object('datePublished', wire_time(NEW.published_at)) END,
      'faq', NEW.faq_json_ld
    );
  END IF;
  NEW.wire_bytes := json_bytes(NEW.content_html) + json_bytes(NEW.seo::text)
    + json_bytes(NEW.faq_json_ld::text) + json_bytes(NEW.schema_bundle::text);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_stamp BEFORE INSERT OR UPDATE ON posts
  FOR EACH ROW EXECUTE FUNCTION stamp_post();
--> statement-breakpoint
CREATE FUNCTION stamp_guide() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW IS DISTINCT FROM OLD THEN
    NEW.updated_at := next_tick(NEW.site_id);
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER guides_stamp BEFORE INSERT OR UPDATE ON guides
  FOR EACH ROW EXECUTE FUNCTION stamp_guide();
--> statement-breakpoint
-- Once a statement, not once a row: a site row updated for every written row would make bulk writes quadratic.
CREATE FUNCTION raise_content_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites s
  SET content_version = s.content_version + 1, last_tick = greatest(s.last_tick, c.newest)
  FROM (SELECT site_id, max(updated_at) AS newest FROM changed GROUP BY site_id) c
  WHERE s.id = c.site_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_inserted AFTER INSERT ON posts
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();
--> statement-breakpoint
CREATE TRIGGER posts_updated AFTER UPDATE ON posts
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();
--> statement-breakpoint
CREATE TRIGGER posts_deleted AFTER DELETE ON posts
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();
--> statement-breakpoint
CREATE TRIGGER guides_inserted AFTER INSERT ON guides
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();
--> statement-breakpoint
CREATE TRIGGER guides_updated AFTER UPDATE ON guides
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();
--> statement-breakpoint
CREATE TRIGGER guides_deleted AFTER DELETE ON guides
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();
--> statement-breakpoint
CREATE FUNCTION raise_site_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.content_version := OLD.content_version + 1;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER sites_shown BEFORE UPDATE OF name, domain, default_language, post_path, guide_path ON sites
  FOR EACH ROW
  WHEN ((OLD.name, OLD.domain, OLD.default_language, OLD.post_path, OLD.guide_path)
    IS DISTINCT FROM (NEW.name, NEW.domain, NEW.default_language, NEW.post_path, NEW.guide_path))
  EXECUTE FUNCTION raise_site_version();
--> statement-breakpoint
-- A translation whose source does not exist (or is the post itself) refuses the whole write; `field` says which.
CREATE FUNCTION refuse_source(slug text, problem text) RETURNS uuid LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', problem USING ERRCODE = 'HC001', DETAIL = slug;
END
$$;
--> statement-breakpoint
-- encodeURIComponent for a slug: what is not an unreserved character of RFC 3986 becomes %XX of its UTF-8 bytes.
CREATE FUNCTION url_component(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(string_agg(
    CASE WHEN part ~ '^[A-Za-z0-9._~-]$' THEN part
         ELSE regexp_replace(upper(encode(convert_to(part, 'UTF8'), 'hex')), '(..)', '%\1', 'g') END,
    '' ORDER BY ordinality), '')
  FROM regexp_split_to_table(value, '') WITH ORDINALITY AS t(part, ordinality)
$$;
--> statement-breakpoint
CREATE FUNCTION weigh_training_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.wire_bytes := json_bytes(NEW.prompt) + json_bytes(NEW.completion);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER training_rows_weigh BEFORE INSERT OR UPDATE ON training_rows
  FOR EACH ROW EXECUTE FUNCTION weigh_training_row();
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
