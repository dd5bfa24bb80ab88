-- What the change feed tells of deleted and renamed articles.

-- Writes no tombstone while the site itself is being deleted: by SQL its row is gone by then, and the service has marked it.
CREATE FUNCTION leave_tombstone(site uuid, kind text, resource uuid, old_slug text, old_language text, status text,
  operator_only boolean)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO tombstones (site_id, deleted_at, resource, resource_id, slug, language, status, operator_only)
  SELECT s.id, next_sequence(s.id), kind, resource, old_slug, old_language, status, operator_only FROM sites s
  WHERE s.id = site AND s.deletion_started_at IS NULL
$$;

-- Row trigger: a deleted post or an old slug. Runs before stamp_post, so that in the feed the old slug goes before the
-- new one comes.
CREATE FUNCTION leave_post_tombstone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM leave_tombstone(OLD.site_id, 'post', OLD.id, OLD.slug, OLD.language, OLD.status, false);
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;

CREATE TRIGGER posts_leave_tombstone_updated BEFORE UPDATE ON posts
  FOR EACH ROW WHEN (OLD.slug <> NEW.slug) EXECUTE FUNCTION leave_post_tombstone();

CREATE TRIGGER posts_leave_tombstone_deleted BEFORE DELETE ON posts
  FOR EACH ROW EXECUTE FUNCTION leave_post_tombstone();

-- In the feed of the site that it leaves, it is deleted.
CREATE TRIGGER posts_leave_tombstone_moved BEFORE UPDATE ON posts
  FOR EACH ROW WHEN (OLD.site_id <> NEW.site_id AND OLD.slug = NEW.slug) EXECUTE FUNCTION leave_post_tombstone();

-- Row trigger: the same for guides, of which the API's feed shows only the published ones.
CREATE FUNCTION leave_guide_tombstone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM leave_tombstone(OLD.site_id, 'guide', OLD.id, OLD.slug, NULL,
    CASE WHEN TG_OP = 'DELETE' THEN OLD.status ELSE NEW.status END, OLD.status <> 'published');
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;

CREATE TRIGGER guides_leave_tombstone_updated BEFORE UPDATE ON guides
  FOR EACH ROW WHEN (OLD.slug <> NEW.slug OR (OLD.status = 'published' AND NEW.status <> 'published'))
  EXECUTE FUNCTION leave_guide_tombstone();

CREATE TRIGGER guides_leave_tombstone_deleted BEFORE DELETE ON guides
  FOR EACH ROW EXECUTE FUNCTION leave_guide_tombstone();

CREATE TRIGGER guides_leave_tombstone_moved BEFORE UPDATE ON guides
  FOR EACH ROW WHEN (OLD.site_id <> NEW.site_id AND OLD.slug = NEW.slug
    AND NOT (OLD.status = 'published' AND NEW.status <> 'published'))
  EXECUTE FUNCTION leave_guide_tombstone();

-- Row trigger: a post that becomes a draft is gone for keys with the access `published`. With a new slug the old one's
-- tombstone says so.
CREATE FUNCTION leave_unpublished_tombstone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tombstones (site_id, deleted_at, resource, resource_id, slug, language, status, published_only)
  VALUES (OLD.site_id, next_sequence(OLD.site_id), 'post', OLD.id, OLD.slug, OLD.language, OLD.status, true);
  RETURN NEW;
END
$$;

CREATE TRIGGER posts_leave_tombstone_unpublished BEFORE UPDATE ON posts
  FOR EACH ROW WHEN (OLD.status = 'published' AND NEW.status <> 'published' AND OLD.slug = NEW.slug)
  EXECUTE FUNCTION leave_unpublished_tombstone();
