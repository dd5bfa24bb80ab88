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
-- Row trigger: a guide that changes gets the next updated_at, its JSON size and, as in stamp_post, a folded title.
CREATE FUNCTION stamp_guide() RETURNS trigger LANGUAGE plpgsql AS $$
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
  NEW.wire_bytes := json_bytes(NEW.content_html);
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
    INSERT INTO post_titles (site_id, updated_at, status, language_key, title_folded, published_at, id, slug_folded,
      quality_band, ready_at)
    SELECT site_id, updated_at, status, language_key, title_folded, published_at, id, lower(slug), quality_band, ready_at
    FROM added;
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
--> statement-breakpoint
-- Of two rows as JSON, the named fields in which the first differs from the second; null if there are none. A URL may have
-- a secret in its query.
CREATE FUNCTION differing(one jsonb, other jsonb, fields text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_object_agg(field, CASE field WHEN 'url' THEN to_jsonb(split_part(one ->> 'url', '?', 1)) ELSE one -> field END)
  FROM unnest(fields) AS field
  WHERE one ->> field IS DISTINCT FROM other ->> field AND one ->> field IS NOT NULL
$$;
--> statement-breakpoint
-- Row trigger: a write of a noun (first argument) in the audit log, with what changed of these fields (second).
CREATE FUNCTION log_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  noun text := TG_ARGV[0];
  fields text[] := string_to_array(TG_ARGV[1], ' ');
  old_row jsonb := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE to_jsonb(OLD) END;
  new_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN '{}' ELSE to_jsonb(NEW) END;
  current_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN old_row ELSE new_row END;
  before jsonb := differing(old_row, new_row, fields);
  after jsonb := differing(new_row, old_row, fields);
BEGIN
  IF TG_OP = 'UPDATE' AND before IS NULL AND after IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO audit_log (site_id, action, resource_id, subject, before, after)
  VALUES (
    (current_row ->> CASE noun WHEN 'site' THEN 'id' ELSE 'site_id' END)::uuid,
    noun || '.' || CASE
      WHEN TG_OP = 'INSERT' THEN 'created'
      WHEN TG_OP = 'DELETE' THEN 'deleted'
      WHEN after ? 'revoked_at' THEN 'revoked'
      WHEN after ? 'secret_rotated_at' THEN 'secret_rotated'
      WHEN after ? 'deletion_started_at' THEN 'deletion_started'
      ELSE 'updated' END,
    (current_row ->> CASE noun WHEN 'webhook' THEN 'site_id' WHEN 'token' THEN 'operator_id' ELSE 'id' END)::uuid,
    coalesce(current_row ->> 'name', '…' || (current_row ->> 'last_four')),
    before,
    after
  );
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER sites_logged AFTER INSERT OR DELETE OR UPDATE OF
    name, domain, default_language, post_path, guide_path, plan, daily_quota, training_opt_in, deletion_started_at
  ON sites
  FOR EACH ROW EXECUTE FUNCTION log_row('site', 'name domain default_language post_path guide_path plan daily_quota training_opt_in deletion_started_at');
--> statement-breakpoint
CREATE TRIGGER api_keys_logged AFTER INSERT OR DELETE OR UPDATE OF access, expires_at, revoked_at ON api_keys
  FOR EACH ROW EXECUTE FUNCTION log_row('key', 'name access last_four expires_at revoked_at');
--> statement-breakpoint
CREATE TRIGGER webhook_endpoints_logged AFTER INSERT OR DELETE OR UPDATE OF url, secret_rotated_at ON webhook_endpoints
  FOR EACH ROW EXECUTE FUNCTION log_row('webhook', 'url secret_rotated_at');
--> statement-breakpoint
CREATE TRIGGER operators_logged AFTER INSERT OR DELETE OR UPDATE ON operators
  FOR EACH ROW EXECUTE FUNCTION log_row('operator', 'name role');
--> statement-breakpoint
CREATE TRIGGER operator_tokens_logged AFTER INSERT OR UPDATE OF expires_at, revoked_at ON operator_tokens
  FOR EACH ROW EXECUTE FUNCTION log_row('token', 'last_four expires_at revoked_at');
--> statement-breakpoint
-- Row trigger: the same for a site's published sitemap, whose id nobody should read here.
CREATE FUNCTION log_sitemap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject)
  VALUES (NEW.id, CASE
    WHEN OLD.sitemap_id IS NULL THEN 'sitemap.published'
    WHEN NEW.sitemap_id IS NULL THEN 'sitemap.unpublished'
    ELSE 'sitemap.renewed' END, NEW.id, NEW.name);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER sites_sitemap_logged AFTER UPDATE OF sitemap_id ON sites
  FOR EACH ROW WHEN (OLD.sitemap_id IS DISTINCT FROM NEW.sitemap_id) EXECUTE FUNCTION log_sitemap();
--> statement-breakpoint
-- Row trigger: a test event.
CREATE FUNCTION log_test_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id) VALUES (NEW.site_id, 'webhook.tested', NEW.id);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER webhook_events_logged AFTER INSERT ON webhook_events
  FOR EACH ROW WHEN (NEW.event = 'webhook.test') EXECUTE FUNCTION log_test_event();
--> statement-breakpoint
-- Row trigger: an event that an operator has sent again.
CREATE FUNCTION log_resend() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject)
  SELECT NEW.site_id, 'event.resent', e.id, e.slug FROM webhook_events e WHERE e.id = NEW.event_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER webhook_deliveries_logged AFTER INSERT ON webhook_deliveries
  FOR EACH ROW WHEN (NEW.manual) EXECUTE FUNCTION log_resend();
--> statement-breakpoint
-- Row trigger: a session of the console.
CREATE FUNCTION log_sign_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_log (action) VALUES ('operator.signed_in');
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER console_sessions_logged AFTER INSERT ON console_sessions
  FOR EACH ROW EXECUTE FUNCTION log_sign_in();
--> statement-breakpoint
-- Statement trigger: posts in the audit log. Without functions of our own, which would double the cost of a large write.
CREATE FUNCTION log_posts() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (site_id, action, resource_id, subject, after)
    SELECT site_id, 'post.created', id, slug, jsonb_strip_nulls(jsonb_build_object(
      'status', status, 'published_at', published_at, 'language', language, 'quality_band', quality_band,
      'review_status', review_status))
    FROM added;
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, subject, before, after)
    SELECT n.site_id, CASE
        WHEN o.slug <> n.slug THEN 'post.renamed'
        WHEN o.status <> n.status AND n.status = 'published' THEN 'post.published'
        WHEN o.status <> n.status THEN 'post.unpublished'
        WHEN o.ready_at IS NULL AND n.ready_at IS NOT NULL THEN 'post.marked_ready'
        ELSE 'post.' || coalesce(nullif(current_setting('audit.verb', true), ''), 'updated') END,
      n.id, n.slug,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN o.slug END,
        'status', CASE WHEN o.status <> n.status THEN o.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN o.published_at END,
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN o.language END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN o.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN o.review_status END)), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN n.slug END,
        'status', CASE WHEN o.status <> n.status THEN n.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN n.published_at END,
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN n.language END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN n.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN n.review_status END)), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_inserted_logged AFTER INSERT ON posts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_posts();
--> statement-breakpoint
CREATE TRIGGER posts_updated_logged AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_posts();
--> statement-breakpoint
-- Statement trigger: guides in the audit log.
CREATE FUNCTION log_guides() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (site_id, action, resource_id, subject, after)
    SELECT site_id, 'guide.created', id, slug,
      jsonb_strip_nulls(jsonb_build_object('status', status, 'published_at', published_at))
    FROM added;
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, subject, before, after)
    SELECT n.site_id, CASE
        WHEN o.slug <> n.slug THEN 'guide.renamed'
        WHEN o.status <> n.status AND n.status = 'published' THEN 'guide.published'
        WHEN o.status <> n.status THEN 'guide.unpublished'
        ELSE 'guide.updated' END,
      n.id, n.slug,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN o.slug END,
        'status', CASE WHEN o.status <> n.status THEN o.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN o.published_at END)), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN n.slug END,
        'status', CASE WHEN o.status <> n.status THEN n.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN n.published_at END)), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER guides_inserted_logged AFTER INSERT ON guides
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_guides();
--> statement-breakpoint
CREATE TRIGGER guides_updated_logged AFTER UPDATE ON guides
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_guides();
--> statement-breakpoint
-- Row trigger: a deleted post or guide (first argument), unless it goes with its site.
CREATE FUNCTION log_article_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject, before)
  SELECT s.id, TG_ARGV[0] || '.deleted', OLD.id, OLD.slug, jsonb_build_object('status', OLD.status)
  FROM sites s WHERE s.id = OLD.site_id AND s.deletion_started_at IS NULL;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_deletion_logged AFTER DELETE ON posts
  FOR EACH ROW EXECUTE FUNCTION log_article_deletion('post');
--> statement-breakpoint
CREATE TRIGGER guides_deletion_logged AFTER DELETE ON guides
  FOR EACH ROW EXECUTE FUNCTION log_article_deletion('guide');
--> statement-breakpoint
-- Statement trigger: training rows in the audit log, counted, since their words are content.
CREATE FUNCTION log_training_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, after)
  SELECT c.site_id, TG_ARGV[0], CASE WHEN count(*) = 1 THEN min(c.id::text)::uuid END, jsonb_build_object('rows', count(*))
  FROM changed c GROUP BY c.site_id
  HAVING EXISTS (SELECT FROM sites s WHERE s.id = c.site_id AND s.deletion_started_at IS NULL);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER training_rows_inserted_logged AFTER INSERT ON training_rows
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION log_training_rows('training.added');
--> statement-breakpoint
CREATE TRIGGER training_rows_deleted_logged AFTER DELETE ON training_rows
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION log_training_rows('training.deleted');
--> statement-breakpoint
-- Row trigger: the opt-in of a training row.
CREATE FUNCTION log_training_opt_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id)
  VALUES (NEW.site_id, CASE WHEN NEW.opt_in THEN 'training.opted_in' ELSE 'training.opted_out' END, NEW.id);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER training_rows_opt_in_logged AFTER UPDATE OF opt_in ON training_rows
  FOR EACH ROW WHEN (OLD.opt_in <> NEW.opt_in) EXECUTE FUNCTION log_training_opt_in();
--> statement-breakpoint
-- The audit log is append-only for 400 days.
CREATE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '400 days' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'The audit log is append-only';
END
$$;
--> statement-breakpoint
CREATE TRIGGER audit_log_kept BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION keep_audit_log();
--> statement-breakpoint
CREATE TRIGGER audit_log_not_truncated BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_log();
