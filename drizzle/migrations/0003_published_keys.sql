ALTER TABLE "tombstones" ADD COLUMN "published_only" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
-- Row trigger: a post that becomes a draft is gone for keys with the access `published`. With a new slug the old one's
-- tombstone says so.
CREATE FUNCTION leave_unpublished_tombstone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tombstones (site_id, deleted_at, resource, resource_id, slug, language, status, published_only)
  VALUES (OLD.site_id, next_sequence(OLD.site_id), 'post', OLD.id, OLD.slug, OLD.language, OLD.status, true);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_leave_tombstone_unpublished BEFORE UPDATE ON posts
  FOR EACH ROW WHEN (OLD.status = 'published' AND NEW.status <> 'published' AND OLD.slug = NEW.slug)
  EXECUTE FUNCTION leave_unpublished_tombstone();
