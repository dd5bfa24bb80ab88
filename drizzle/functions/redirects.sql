-- Where old slugs and other old addresses lead.

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

CREATE TRIGGER posts_renamed AFTER UPDATE ON posts
  FOR EACH ROW WHEN (OLD.slug <> NEW.slug) EXECUTE FUNCTION leave_redirect('post');

CREATE TRIGGER guides_renamed AFTER UPDATE ON guides
  FOR EACH ROW WHEN (OLD.slug <> NEW.slug) EXECUTE FUNCTION leave_redirect('guide');

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

CREATE TRIGGER posts_take_slugs AFTER INSERT ON posts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION take_slugs('post');

CREATE TRIGGER guides_take_slugs AFTER INSERT ON guides
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION take_slugs('guide');

-- Statement trigger: what led to a deleted article leads nowhere.
CREATE FUNCTION end_redirects() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM redirects r USING removed d
  WHERE r.resource_id = d.id AND coalesce(r.target_resource, r.resource) = TG_ARGV[0];
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_end_redirects AFTER DELETE ON posts
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION end_redirects('post');

CREATE TRIGGER guides_end_redirects AFTER DELETE ON guides
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION end_redirects('guide');
