CREATE TABLE "post_counts" (
	"site_id" uuid NOT NULL,
	"status" text NOT NULL,
	"language_key" text NOT NULL,
	"quality_band" text NOT NULL,
	"posts" integer NOT NULL,
	"slug_bytes" integer NOT NULL,
	CONSTRAINT "post_counts_site_id_status_language_key_quality_band_pk" PRIMARY KEY("site_id","status","language_key","quality_band")
);
--> statement-breakpoint
CREATE TABLE "post_titles" (
	"site_id" uuid NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"status" text NOT NULL,
	"language_key" text NOT NULL,
	"title_folded" text NOT NULL,
	CONSTRAINT "post_titles_site_id_updated_at_pk" PRIMARY KEY("site_id","updated_at")
);
--> statement-breakpoint
DROP INDEX "posts_title_search";--> statement-breakpoint
DROP INDEX "posts_newest_by_language";--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "language_key" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "post_counts" ADD CONSTRAINT "post_counts_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "post_titles_search" ON "post_titles" USING gin ("title_folded" gin_trgm_ops) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "posts_newest_by_language" ON "posts" USING btree ("site_id","status","language_key","updated_at");
--> statement-breakpoint
-- Named to come before posts_stamp, which compares the row with the one before.
CREATE FUNCTION key_language() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.language_key := lower(coalesce(NEW.language, ''));
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_language_key BEFORE INSERT OR UPDATE ON posts
  FOR EACH ROW EXECUTE FUNCTION key_language();
--> statement-breakpoint
-- At most the bytes of a slug in a URL: what is not an unreserved character of RFC 3986 takes three.
CREATE FUNCTION url_bytes(slug text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT octet_length(slug) * CASE WHEN slug ~ '^[A-Za-z0-9._~-]*$' THEN 1 ELSE 3 END
$$;
--> statement-breakpoint
-- Once a statement, like the site's version. Most updates move no post from one count to another.
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
CREATE FUNCTION copy_titles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM post_titles t USING removed r WHERE (t.site_id, t.updated_at) = (r.site_id, r.updated_at);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO post_titles (site_id, updated_at, status, language_key, title_folded)
    SELECT site_id, updated_at, status, language_key, title_folded FROM added;
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
CREATE FUNCTION forget_posts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE post_counts, post_titles;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_truncated AFTER TRUNCATE ON posts FOR EACH STATEMENT EXECUTE FUNCTION forget_posts();
--> statement-breakpoint
-- Of the posts that are here already. It is no change to them, so no trigger may see it.
ALTER TABLE posts DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE posts SET language_key = lower(language) WHERE language IS NOT NULL;
--> statement-breakpoint
ALTER TABLE posts ENABLE TRIGGER USER;
--> statement-breakpoint
INSERT INTO post_counts (site_id, status, language_key, quality_band, posts, slug_bytes)
SELECT site_id, status, language_key, coalesce(quality_band, ''), count(*), max(url_bytes(slug))
FROM posts GROUP BY 1, 2, 3, 4;
--> statement-breakpoint
INSERT INTO post_titles (site_id, updated_at, status, language_key, title_folded)
SELECT site_id, updated_at, status, language_key, title_folded FROM posts;
