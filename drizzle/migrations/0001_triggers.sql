-- Triggers of the same event run in the order of their names. BEFORE triggers on posts: posts_derive,
-- posts_leave_tombstone_*, posts_stamp.

-- Transaction lock: one writer per site at a time. The service takes it first; the row triggers take it for SQL
-- written by hand.
CREATE FUNCTION lock_site(site uuid) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(site::text, 0))
$$;
--> statement-breakpoint
-- The next value of a site's sequence, used for updated_at and deleted_at: the current time, or 1 ms after the highest
-- value so far, rows of the running statement included. Taken under the lock, so that the order of values is commit
-- order.
-- The settings force index scans. A plan made while the tables were empty would be a sequential scan and stay cached
-- for a whole bulk write, making it quadratic.
CREATE FUNCTION next_sequence(site uuid) RETURNS timestamptz LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
  highest timestamptz;
BEGIN
  PERFORM lock_site(site);
  SELECT greatest(
    s.last_sequence,
    (SELECT p.updated_at FROM posts p WHERE p.site_id = site ORDER BY p.updated_at DESC LIMIT 1),
    (SELECT g.updated_at FROM guides g WHERE g.site_id = site ORDER BY g.updated_at DESC LIMIT 1),
    (SELECT t.deleted_at FROM tombstones t WHERE t.site_id = site ORDER BY t.deleted_at DESC LIMIT 1)
  ) INTO highest FROM sites s WHERE s.id = site;
  RETURN greatest(date_trunc('milliseconds', clock_timestamp()), highest + interval '1 millisecond');
END
$$;
--> statement-breakpoint
-- A sequence value as the number in the change feed and in webhooks: milliseconds since 1970.
CREATE FUNCTION wire_sequence(sequence timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT (extract(epoch FROM sequence) * 1000)::bigint
$$;
--> statement-breakpoint
-- RFC 3339 in UTC with milliseconds.
CREATE FUNCTION wire_time(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
--> statement-breakpoint
-- The size of a value as a JSON string.
CREATE FUNCTION json_bytes(value text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(octet_length(to_json(value)::text), 0)
$$;
--> statement-breakpoint
-- encodeURIComponent for a slug: percent-encodes the UTF-8 bytes of everything but the unreserved characters of
-- RFC 3986.
CREATE FUNCTION url_component(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(string_agg(
    CASE WHEN part ~ '^[A-Za-z0-9._~-]$' THEN part
         ELSE regexp_replace(upper(encode(convert_to(part, 'UTF8'), 'hex')), '(..)', '%\1', 'g') END,
    '' ORDER BY ordinality), '')
  FROM regexp_split_to_table(value, '') WITH ORDINALITY AS t(part, ordinality)
$$;
--> statement-breakpoint
-- The length of url_component(slug): an encoded byte takes three.
CREATE FUNCTION url_bytes(slug text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN slug ~ '^[A-Za-z0-9._~-]*$' THEN octet_length(slug)
    ELSE 3 * octet_length(slug) - 2 * octet_length(regexp_replace(slug, '[^A-Za-z0-9._~-]', '', 'g')) END
$$;
--> statement-breakpoint
-- Raises the error that the service answers with 400. By the slug, in DETAIL, it finds the refused row of the request.
CREATE FUNCTION refuse_source(slug text, problem text) RETURNS uuid LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', problem USING ERRCODE = 'HC001', DETAIL = slug;
END
$$;
--> statement-breakpoint
-- A schema bundle without the dates that stamp_post sets.
CREATE FUNCTION undated_bundle(bundle jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT bundle #- '{article,dateModified}' #- '{article,datePublished}'
$$;
--> statement-breakpoint
-- Row trigger: columns computed from others. Runs before stamp_post, which compares the whole row with the old one.
CREATE FUNCTION derive_post() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.language_key := lower(coalesce(NEW.language, ''));
  NEW.slug_bytes := url_bytes(NEW.slug);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_derive BEFORE INSERT OR UPDATE ON posts
  FOR EACH ROW EXECUTE FUNCTION derive_post();
--> statement-breakpoint
-- Row trigger: a post that changes gets the next updated_at and what depends on it. An update that changes nothing
-- keeps the row as it is. lower() stands in for the service's foldCase() where SQL written by hand sets a title.
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
  NEW.updated_at := next_sequence(NEW.site_id);
  NEW.lastmod := least(NEW.modified_at, NEW.updated_at);
  IF NEW.schema_bundle_derived THEN
    NEW.schema_bundle := NEW.schema_bundle || jsonb_build_object(
      'article', (NEW.schema_bundle -> 'article') - 'datePublished'
        || jsonb_build_object('dateModified', wire_time(NEW.updated_at))
        || CASE WHEN NEW.published_at IS NULL THEN '{}'::jsonb
                ELSE jsonb_build_object('datePublished', wire_time(NEW.published_at)) END
        || coalesce(NEW.schema_article, '{}'::jsonb),
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
-- Row trigger: a guide that changes gets the next updated_at and its JSON size.
CREATE FUNCTION stamp_guide() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW IS DISTINCT FROM OLD THEN
    NEW.updated_at := next_sequence(NEW.site_id);
    NEW.wire_bytes := json_bytes(NEW.content_html);
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER guides_stamp BEFORE INSERT OR UPDATE ON guides
  FOR EACH ROW EXECUTE FUNCTION stamp_guide();
--> statement-breakpoint
-- Row trigger: the JSON size of a training row.
CREATE FUNCTION measure_training_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.wire_bytes := json_bytes(NEW.prompt) + json_bytes(NEW.completion);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER training_rows_measure BEFORE INSERT OR UPDATE ON training_rows
  FOR EACH ROW EXECUTE FUNCTION measure_training_row();
--> statement-breakpoint
-- Writes no tombstone while the site itself is being deleted: by SQL its row is gone by then, and the service has marked it.
CREATE FUNCTION leave_tombstone(site uuid, kind text, resource uuid, old_slug text, old_language text, status text,
  operator_only boolean)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO tombstones (site_id, deleted_at, resource, resource_id, slug, language, status, operator_only)
  SELECT s.id, next_sequence(s.id), kind, resource, old_slug, old_language, status, operator_only FROM sites s
  WHERE s.id = site AND s.deletion_started_at IS NULL
$$;
--> statement-breakpoint
-- Row trigger: a deleted post or an old slug. Runs before stamp_post, so that in the feed the old slug goes before the
-- new one comes.
CREATE FUNCTION leave_post_tombstone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM leave_tombstone(OLD.site_id, 'post', OLD.id, OLD.slug, OLD.language, OLD.status, false);
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_leave_tombstone_updated BEFORE UPDATE ON posts
  FOR EACH ROW WHEN (OLD.slug <> NEW.slug) EXECUTE FUNCTION leave_post_tombstone();
--> statement-breakpoint
CREATE TRIGGER posts_leave_tombstone_deleted BEFORE DELETE ON posts
  FOR EACH ROW EXECUTE FUNCTION leave_post_tombstone();
--> statement-breakpoint
-- Row trigger: the same for guides, of which the API's feed shows only the published ones.
CREATE FUNCTION leave_guide_tombstone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM leave_tombstone(OLD.site_id, 'guide', OLD.id, OLD.slug, NULL,
    CASE WHEN TG_OP = 'DELETE' THEN OLD.status ELSE NEW.status END, OLD.status <> 'published');
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;
--> statement-breakpoint
CREATE TRIGGER guides_leave_tombstone_updated BEFORE UPDATE ON guides
  FOR EACH ROW WHEN (OLD.slug <> NEW.slug OR (OLD.status = 'published' AND NEW.status <> 'published'))
  EXECUTE FUNCTION leave_guide_tombstone();
--> statement-breakpoint
CREATE TRIGGER guides_leave_tombstone_deleted BEFORE DELETE ON guides
  FOR EACH ROW EXECUTE FUNCTION leave_guide_tombstone();
--> statement-breakpoint
-- Row trigger: an old slug leads to its article, however often that is renamed, and the new one nowhere else. The slug of
-- what was never published is not told to anybody.
CREATE FUNCTION leave_redirect() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM redirects WHERE site_id = NEW.site_id AND resource = TG_ARGV[0] AND slug = NEW.slug;
  IF OLD.published_at IS NOT NULL THEN
    INSERT INTO redirects (site_id, resource, slug, resource_id)
    VALUES (OLD.site_id, TG_ARGV[0], OLD.slug, OLD.id)
    ON CONFLICT (site_id, resource, slug)
    DO UPDATE SET resource_id = excluded.resource_id, created_at = excluded.created_at;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_renamed AFTER UPDATE ON posts
  FOR EACH ROW WHEN (OLD.slug <> NEW.slug) EXECUTE FUNCTION leave_redirect('post');
--> statement-breakpoint
CREATE TRIGGER guides_renamed AFTER UPDATE ON guides
  FOR EACH ROW WHEN (OLD.slug <> NEW.slug) EXECUTE FUNCTION leave_redirect('guide');
--> statement-breakpoint
-- Statement trigger: a new article takes its slug from those that had it before. The settings force index lookups, as in
-- next_sequence.
CREATE FUNCTION take_slugs() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM redirects r USING added a
  WHERE r.site_id = a.site_id AND r.resource = TG_ARGV[0] AND r.slug = a.slug;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_take_slugs AFTER INSERT ON posts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION take_slugs('post');
--> statement-breakpoint
CREATE TRIGGER guides_take_slugs AFTER INSERT ON guides
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION take_slugs('guide');
--> statement-breakpoint
-- Statement trigger: old slugs of a deleted article lead nowhere.
CREATE FUNCTION end_redirects() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM redirects r USING removed d WHERE r.resource_id = d.id AND r.resource = TG_ARGV[0];
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_end_redirects AFTER DELETE ON posts
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION end_redirects('post');
--> statement-breakpoint
CREATE TRIGGER guides_end_redirects AFTER DELETE ON guides
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION end_redirects('guide');
--> statement-breakpoint
-- Statement trigger: updating the site's row once per written row would make bulk writes quadratic.
CREATE FUNCTION raise_content_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites s
  SET content_version = next_version(s.content_version), last_sequence = greatest(s.last_sequence, c.highest)
  FROM (SELECT site_id, max(updated_at) AS highest FROM changed GROUP BY site_id) c
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
-- Statement trigger: the same for training rows, which are not in the feed.
CREATE FUNCTION raise_content_version_for_training() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites SET content_version = next_version(content_version) WHERE id IN (SELECT site_id FROM changed);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER training_rows_inserted AFTER INSERT ON training_rows
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version_for_training();
--> statement-breakpoint
CREATE TRIGGER training_rows_updated AFTER UPDATE ON training_rows
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version_for_training();
--> statement-breakpoint
CREATE TRIGGER training_rows_deleted AFTER DELETE ON training_rows
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version_for_training();
--> statement-breakpoint
-- Row trigger: for the settings of a site that its content shows.
CREATE FUNCTION raise_own_content_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.content_version := next_version(OLD.content_version);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER sites_content_version BEFORE UPDATE OF name, domain, default_language, post_path, guide_path ON sites
  FOR EACH ROW
  WHEN ((OLD.name, OLD.domain, OLD.default_language, OLD.post_path, OLD.guide_path)
    IS DISTINCT FROM (NEW.name, NEW.domain, NEW.default_language, NEW.post_path, NEW.guide_path))
  EXECUTE FUNCTION raise_own_content_version();
--> statement-breakpoint
-- Row trigger: for all settings of a site.
CREATE FUNCTION raise_own_auth_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.auth_version := next_version(OLD.auth_version);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER sites_auth_version BEFORE UPDATE OF
    name, domain, default_language, post_path, guide_path, plan, daily_quota, training_opt_in, sitemap_id,
    deletion_started_at, auth_version
  ON sites
  FOR EACH ROW EXECUTE FUNCTION raise_own_auth_version();
--> statement-breakpoint
-- Row trigger: for the keys of a site. Naming auth_version in an update is what fires sites_auth_version. An update of
-- last_used_at does not count: it changes nothing about the key's access.
CREATE FUNCTION raise_auth_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites SET auth_version = auth_version WHERE id = OLD.site_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER api_keys_updated AFTER UPDATE OF site_id, access, key_hash, expires_at, revoked_at ON api_keys
  FOR EACH ROW EXECUTE FUNCTION raise_auth_version();
--> statement-breakpoint
CREATE TRIGGER api_keys_deleted AFTER DELETE ON api_keys
  FOR EACH ROW EXECUTE FUNCTION raise_auth_version();
--> statement-breakpoint
-- Statement trigger: keeps post_counts exact. Most updates change no count and end at the first check.
CREATE FUNCTION count_posts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM site_id, status, language_key, quality_band, slug FROM added
    EXCEPT ALL SELECT site_id, status, language_key, quality_band, slug FROM removed;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE post_counts c SET posts = c.posts - r.posts
    FROM (
      SELECT site_id, status, language_key, coalesce(quality_band, '') AS quality_band, count(*) AS posts
      FROM removed GROUP BY 1, 2, 3, 4
    ) r
    WHERE (c.site_id, c.status, c.language_key, c.quality_band)
      = (r.site_id, r.status, r.language_key, r.quality_band);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO post_counts AS c (site_id, status, language_key, quality_band, posts, slug_bytes)
    SELECT site_id, status, language_key, coalesce(quality_band, ''), count(*), max(url_bytes(slug))
    FROM added GROUP BY 1, 2, 3, 4
    ON CONFLICT (site_id, status, language_key, quality_band) DO UPDATE
    SET posts = c.posts + excluded.posts, slug_bytes = greatest(c.slug_bytes, excluded.slug_bytes);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_count_inserted AFTER INSERT ON posts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_posts();
--> statement-breakpoint
CREATE TRIGGER posts_count_updated AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_posts();
--> statement-breakpoint
CREATE TRIGGER posts_count_deleted AFTER DELETE ON posts
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_posts();
--> statement-breakpoint
-- Statement trigger: keeps post_titles a copy of posts.
CREATE FUNCTION copy_titles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM post_titles t USING removed r WHERE (t.site_id, t.updated_at) = (r.site_id, r.updated_at);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO post_titles (site_id, updated_at, status, language_key, title_folded, published_at, id)
    SELECT site_id, updated_at, status, language_key, title_folded, published_at, id FROM added;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_titles_inserted AFTER INSERT ON posts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION copy_titles();
--> statement-breakpoint
CREATE TRIGGER posts_titles_updated AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION copy_titles();
--> statement-breakpoint
CREATE TRIGGER posts_titles_deleted AFTER DELETE ON posts
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION copy_titles();
--> statement-breakpoint
-- Statement trigger: TRUNCATE fires no delete triggers.
CREATE FUNCTION truncate_post_copies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE post_counts, post_titles;
  DELETE FROM redirects WHERE resource = 'post';
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_truncated AFTER TRUNCATE ON posts
  FOR EACH STATEMENT EXECUTE FUNCTION truncate_post_copies();
