-- Each change that the API shows raises the site's content_version, also by manual SQL, because otherwise two bodies would share
-- an ETag. It also raises the slug_versions of the changed slugs. Each change of access raises auth_version. published_version
-- and published_slug_versions do the same for published content: they rise, to the same number, when a row was or is published.

-- Versions are clock times in milliseconds, so that a restored database never reuses one.
CREATE FUNCTION next_version(last bigint) RETURNS bigint LANGUAGE sql AS $$
  SELECT greatest(last + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
$$;

-- The group (of 32) that a slug is in, as in src/db/content-version.ts.
CREATE FUNCTION slug_part(slug text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT get_byte(sha256(convert_to(slug, 'UTF8')), 0) % 32
$$;

-- `slug_versions` of a site whose groups have all changed. A version takes 11 hexadecimal digits.
CREATE FUNCTION all_slug_versions(version bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT repeat(lpad(to_hex(version), 11, '0'), 32)
$$;

CREATE FUNCTION raise_slug_versions(versions text, parts integer[], version bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  part integer;
BEGIN
  FOREACH part IN ARRAY parts LOOP
    versions := overlay(versions PLACING lpad(to_hex(version), 11, '0') FROM part * 11 + 1);
  END LOOP;
  RETURN versions;
END
$$;

CREATE FUNCTION slug_version(versions text, slug text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || substr(versions, slug_part(slug) * 11 + 1, 11))::bit(44)::bigint
$$;

-- Raises a site's versions and those of the changed slug groups. No version is below the highest updated_at, which bulk writes
-- move ahead of the clock, because the lastmod of sitemaps derives from it.
CREATE FUNCTION raise_site_versions(site uuid, parts integer[], published_parts integer[], highest timestamptz)
RETURNS void LANGUAGE sql AS $$
  UPDATE sites s
  SET (content_version, slug_versions, published_version, published_slug_versions, last_sequence) = (
    SELECT v, raise_slug_versions(s.slug_versions, parts, v),
      CASE WHEN published_parts IS NULL THEN s.published_version ELSE v END,
      raise_slug_versions(s.published_slug_versions, coalesce(published_parts, '{}'), v),
      greatest(s.last_sequence, highest)
    FROM next_version(greatest(s.content_version, s.published_version, wire_sequence(highest) - 1)) v
  )
  WHERE s.id = site
$$;

-- Statement trigger: raises the versions of the written rows' sites. Updating the site once per row would make bulk writes
-- quadratic.
CREATE FUNCTION raise_content_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM raise_site_versions(site_id, array_agg(DISTINCT slug_part(slug)),
    array_agg(DISTINCT slug_part(slug)) FILTER (WHERE status = 'published'), max(updated_at))
  FROM changed GROUP BY site_id;
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_inserted AFTER INSERT ON posts
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();

CREATE TRIGGER posts_deleted AFTER DELETE ON posts
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();

CREATE TRIGGER guides_inserted AFTER INSERT ON guides
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();

CREATE TRIGGER guides_deleted AFTER DELETE ON guides
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();

-- Statement trigger: the same for updates, with old and new rows, because manual SQL may move rows to another site.
-- Changing only folded_from or fold_version raises no version, because readers never see them.
CREATE FUNCTION raise_content_version_for_updates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM raise_site_versions(site_id, array_agg(DISTINCT slug_part(slug)),
    array_agg(DISTINCT slug_part(slug)) FILTER (WHERE status = 'published'), max(updated_at))
  FROM (
    (SELECT id, site_id, slug, status, updated_at, title_folded FROM changed
    EXCEPT SELECT id, site_id, slug, status, updated_at, title_folded FROM removed)
    UNION ALL
    (SELECT id, site_id, slug, status, updated_at, title_folded FROM removed
    EXCEPT SELECT id, site_id, slug, status, updated_at, title_folded FROM changed)
  ) shown GROUP BY site_id;
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_updated AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS removed NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version_for_updates();

CREATE TRIGGER guides_updated AFTER UPDATE ON guides
  REFERENCING OLD TABLE AS removed NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version_for_updates();

-- True for the first call with a key in a transaction. The setting holds the keys so far, and is cleared when it gets long.
CREATE FUNCTION is_first(setting text, key text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  keys text := coalesce(current_setting(setting, true), '');
BEGIN
  IF strpos(keys, key || E'\n') > 0 THEN
    RETURN false;
  END IF;
  PERFORM set_config(setting, CASE WHEN length(keys) < 2000 THEN keys ELSE '' END || key || E'\n', true);
  RETURN true;
END
$$;

-- Row trigger: raises versions for rows outside the change feed. Redirects are published content, training rows are not. Once per
-- transaction is enough, because others see only the committed state.
CREATE FUNCTION raise_version_once() RETURNS trigger LANGUAGE plpgsql AS $$
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
$$;

CREATE TRIGGER redirects_version AFTER INSERT OR UPDATE OR DELETE ON redirects
  FOR EACH ROW EXECUTE FUNCTION raise_version_once();

CREATE TRIGGER training_rows_version AFTER INSERT OR UPDATE OR DELETE ON training_rows
  FOR EACH ROW EXECUTE FUNCTION raise_version_once();

-- Statement trigger: TRUNCATE fires no other triggers.
CREATE FUNCTION raise_all_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'posts' THEN
    TRUNCATE post_counts, post_titles;
  END IF;
  IF TG_TABLE_NAME IN ('posts', 'guides') THEN
    DELETE FROM redirects WHERE coalesce(target_resource, resource) || 's' = TG_TABLE_NAME;
  END IF;
  UPDATE sites SET (content_version, slug_versions, published_version, published_slug_versions) = (
    SELECT v, all_slug_versions(v), v, all_slug_versions(v) FROM next_version(greatest(content_version, published_version)) v
  );
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_truncated AFTER TRUNCATE ON posts
  FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();

CREATE TRIGGER guides_truncated AFTER TRUNCATE ON guides
  FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();

CREATE TRIGGER redirects_truncated AFTER TRUNCATE ON redirects
  FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();

CREATE TRIGGER training_rows_truncated AFTER TRUNCATE ON training_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();

-- Row trigger: raises versions for a site's settings, including those that shape its content.
CREATE FUNCTION raise_own_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.auth_version := next_version(OLD.auth_version);
  IF (OLD.name, OLD.domain, OLD.default_language, OLD.post_path, OLD.guide_path, OLD.feed_content)
    IS DISTINCT FROM (NEW.name, NEW.domain, NEW.default_language, NEW.post_path, NEW.guide_path, NEW.feed_content) THEN
    NEW.content_version := next_version(greatest(OLD.content_version, OLD.published_version));
    NEW.slug_versions := all_slug_versions(NEW.content_version);
    NEW.published_version := NEW.content_version;
    NEW.published_slug_versions := NEW.slug_versions;
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER sites_versions BEFORE UPDATE OF
    name, domain, default_language, post_path, guide_path, plan, daily_quota, training_opt_in, sitemap_id,
    feed_content, preview_url, deletion_started_at, auth_version
  ON sites
  FOR EACH ROW EXECUTE FUNCTION raise_own_versions();

-- Row trigger: raises auth_version for keys and draft links. The update names auth_version, which fires sites_versions.
-- Updates of last_used_at don't count, because they change no access, and neither do deletions of expired rows.
CREATE FUNCTION raise_auth_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' OR coalesce(OLD.expires_at > now(), true) THEN
    UPDATE sites SET auth_version = auth_version WHERE id IN (OLD.site_id, NEW.site_id);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER api_keys_version AFTER DELETE OR UPDATE OF site_id, access, key_hash, expires_at, revoked_at ON api_keys
  FOR EACH ROW EXECUTE FUNCTION raise_auth_version();

CREATE TRIGGER preview_links_version AFTER DELETE OR UPDATE OF site_id, post_id, token_hash, expires_at, revoked_at
  ON preview_links
  FOR EACH ROW EXECUTE FUNCTION raise_auth_version();
