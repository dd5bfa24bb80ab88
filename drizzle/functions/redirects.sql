-- Targets of old slugs and other old addresses.

-- Row trigger: drops redirects from an article's new slug, and redirects its old slugs to it, however often it is renamed.
-- Slugs that were never published get no redirect. A deletion removes the redirects to the article.
CREATE FUNCTION keep_redirects() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM redirects WHERE resource_id = OLD.id AND coalesce(target_resource, resource) = TG_ARGV[0];
    RETURN NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.slug = NEW.slug THEN
    RETURN NULL;
  END IF;
  DELETE FROM redirects WHERE site_id = NEW.site_id AND resource = TG_ARGV[0] AND slug = NEW.slug;
  IF TG_OP = 'UPDATE' AND OLD.published_at IS NOT NULL THEN
    INSERT INTO redirects (site_id, resource, slug, resource_id)
    VALUES (OLD.site_id, TG_ARGV[0], OLD.slug, OLD.id)
    ON CONFLICT (site_id, resource, slug)
    DO UPDATE SET resource_id = excluded.resource_id, created_at = excluded.created_at;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_keep_redirects AFTER INSERT OR DELETE OR UPDATE OF slug ON posts
  FOR EACH ROW EXECUTE FUNCTION keep_redirects('post');

CREATE TRIGGER guides_keep_redirects AFTER INSERT OR DELETE OR UPDATE OF slug ON guides
  FOR EACH ROW EXECUTE FUNCTION keep_redirects('guide');
