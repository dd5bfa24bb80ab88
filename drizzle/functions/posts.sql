-- Triggers on posts. Postgres runs triggers of the same event in the order of their names.

-- Refuses a write. src/db/refusals.ts parses the error.
CREATE FUNCTION refuse(reason text, about jsonb) RETURNS uuid LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', reason USING ERRCODE = 'HC001', DETAIL = about::text;
END
$$;

-- A schema bundle without the dates that prepare_post sets.
CREATE FUNCTION undated_bundle(bundle jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT bundle #- '{article,dateModified}' #- '{article,datePublished}'
$$;

-- Row trigger: sets a post's computed columns for every writer. Keeps updated_at if nothing changes, or only the folded title, the
-- origin, the schedule, the change request or the name of who marked it ready.
CREATE FUNCTION prepare_post() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  shown posts;
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM leave_tombstone(OLD.site_id, 'post', OLD.id, OLD.slug, OLD.language, OLD.status, false);
    RETURN OLD;
  END IF;

  -- Columns that follow from others. A published post has no schedule, and the writer is who marks it ready.
  NEW.slug := normalize(NEW.slug, NFC);
  -- An upsert updates the post that is there, which prepares it. The lock keeps it there.
  IF TG_OP = 'INSERT' THEN
    PERFORM lock_site(NEW.site_id);
    IF EXISTS (SELECT FROM posts WHERE site_id = NEW.site_id AND slug = NEW.slug) THEN
      RETURN NEW;
    END IF;
  END IF;
  NEW.language_key := lower(coalesce(NEW.language, ''));
  IF NEW.status = 'published' OR NEW.publish_at IS NULL THEN
    NEW.publish_at := NULL;
    NEW.scheduled_by := NULL;
  END IF;
  IF NEW.ready_at IS NULL THEN
    NEW.ready_by := NULL;
  ELSIF OLD.ready_at IS NULL THEN
    NEW.ready_by := nullif(current_setting('audit.actor', true), '');
  END IF;

  -- Tombstones come before the next updated_at: the change feed shows the end of the old slug first.
  IF TG_OP = 'UPDATE' THEN
    IF OLD.slug <> NEW.slug OR OLD.site_id <> NEW.site_id THEN
      PERFORM leave_tombstone(OLD.site_id, 'post', OLD.id, OLD.slug, OLD.language, OLD.status, false);
    END IF;
    -- A draft is gone for keys with the access `published`. With a new slug, the old one's tombstone says so.
    IF OLD.status = 'published' AND NEW.status <> 'published' AND OLD.slug = NEW.slug THEN
      INSERT INTO tombstones (site_id, deleted_at, resource, resource_id, slug, language, status, published_only)
      VALUES (OLD.site_id, next_sequence(OLD.site_id), 'post', OLD.id, OLD.slug, OLD.language, OLD.status, true);
    END IF;

    IF OLD.schema_bundle_derived AND NEW.schema_bundle_derived
      AND undated_bundle(NEW.schema_bundle) = undated_bundle(OLD.schema_bundle) THEN
      NEW.schema_bundle := OLD.schema_bundle;
    END IF;
    shown := NEW;
    shown.title_folded := OLD.title_folded;
    shown.folded_from := OLD.folded_from;
    shown.fold_version := OLD.fold_version;
    shown.origin_id := OLD.origin_id;
    shown.origin_slug := OLD.origin_slug;
    shown.publish_at := OLD.publish_at;
    shown.scheduled_by := OLD.scheduled_by;
    shown.change_request := OLD.change_request;
    shown.ready_by := OLD.ready_by;
    IF shown IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  END IF;
  NEW.previous := state_before(OLD.previous, OLD.status, OLD.slug, OLD.title, OLD.ready_at IS NOT NULL);

  -- Where SQL by hand sets a title, lower() stands in for the service's foldCase() until the sweep.
  IF NEW.folded_from IS DISTINCT FROM NEW.title AND (TG_OP = 'INSERT' OR NEW.title <> OLD.title) THEN
    NEW.folded_from := NULL;
    IF NEW.title_folded = coalesce(OLD.title_folded, '') THEN
      NEW.title_folded := lower(NEW.title);
    END IF;
  END IF;

  NEW.updated_at := next_sequence(NEW.site_id);
  NEW.lastmod := least(NEW.modified_at, NEW.updated_at);
  IF NEW.schema_bundle_derived THEN
    NEW.schema_bundle := NEW.schema_bundle || jsonb_build_object(
      'article', (NEW.schema_bundle -> 'article') - 'datePublished'
        || jsonb_build_object('dateModified', wire_time(coalesce(NEW.modified_at, NEW.updated_at)))
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

CREATE TRIGGER posts_prepare BEFORE INSERT OR UPDATE OR DELETE ON posts
  FOR EACH ROW EXECUTE FUNCTION prepare_post();

-- Strips diacritics from folded text, for search: `koln` finds `Köln`, and `lodz` finds `Łódź`. Keeps marks that form a different
-- letter, as in Japanese and Hindi.
CREATE FUNCTION without_diacritics(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN octet_length(value) = length(value) THEN value
    ELSE normalize(translate(regexp_replace(normalize(value, NFD),
      '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]', '', 'g'),
      'łøđħŧ', 'lodht'), NFC) END
$$;

-- Statement trigger: copies posts to post_titles and updates post_counts. Most updates change no count, so they
-- return early.
CREATE FUNCTION copy_posts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM post_titles t USING removed r WHERE (t.site_id, t.updated_at) = (r.site_id, r.updated_at);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO post_titles (site_id, updated_at, status, language_key, title_folded, published_at, id, slug_folded,
      quality_band, ready_at, publish_at, changes_requested, title_key)
    SELECT site_id, updated_at, status, language_key, title_folded, published_at, id, lower(slug), quality_band, ready_at,
      publish_at, change_request IS NOT NULL OR coalesce(review_status = 'changes_requested', false),
      without_diacritics(title_folded)
    FROM added;
  END IF;

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

CREATE TRIGGER posts_copy_inserted AFTER INSERT ON posts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION copy_posts();

CREATE TRIGGER posts_copy_updated AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION copy_posts();

CREATE TRIGGER posts_copy_deleted AFTER DELETE ON posts
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION copy_posts();

