-- What SQL by hand changes of a site without writing a post or guide of it: an article that leaves it, its redirects, and a
-- whole table. Without a new version, two bodies would have one tag.
CREATE FUNCTION leave_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites SET content_version = next_version(content_version) WHERE id = OLD.site_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_moved AFTER UPDATE OF site_id ON posts
  FOR EACH ROW WHEN (OLD.site_id <> NEW.site_id) EXECUTE FUNCTION leave_site();
--> statement-breakpoint
CREATE TRIGGER guides_moved AFTER UPDATE OF site_id ON guides
  FOR EACH ROW WHEN (OLD.site_id <> NEW.site_id) EXECUTE FUNCTION leave_site();
--> statement-breakpoint
-- In the feed of the site that it leaves, it is deleted.
CREATE TRIGGER posts_leave_tombstone_moved BEFORE UPDATE ON posts
  FOR EACH ROW WHEN (OLD.site_id <> NEW.site_id AND OLD.slug = NEW.slug) EXECUTE FUNCTION leave_post_tombstone();
--> statement-breakpoint
CREATE TRIGGER guides_leave_tombstone_moved BEFORE UPDATE ON guides
  FOR EACH ROW WHEN (OLD.site_id <> NEW.site_id AND OLD.slug = NEW.slug
    AND NOT (OLD.status = 'published' AND NEW.status <> 'published'))
  EXECUTE FUNCTION leave_guide_tombstone();
--> statement-breakpoint
-- Statement trigger: raises the versions of the sites of the changed rows.
CREATE FUNCTION raise_versions_of_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites SET content_version = next_version(content_version) WHERE id IN (SELECT site_id FROM changed);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER redirects_inserted AFTER INSERT ON redirects
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
--> statement-breakpoint
CREATE TRIGGER redirects_updated AFTER UPDATE ON redirects
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
--> statement-breakpoint
CREATE TRIGGER redirects_deleted AFTER DELETE ON redirects
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
--> statement-breakpoint
-- Statement trigger: TRUNCATE tells no rows.
CREATE FUNCTION raise_all_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites SET content_version = next_version(content_version);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_truncated_versions AFTER TRUNCATE ON posts
  FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();
--> statement-breakpoint
CREATE TRIGGER guides_truncated AFTER TRUNCATE ON guides
  FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();
--> statement-breakpoint
CREATE TRIGGER redirects_truncated AFTER TRUNCATE ON redirects
  FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();
--> statement-breakpoint
CREATE TRIGGER training_rows_truncated AFTER TRUNCATE ON training_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();
