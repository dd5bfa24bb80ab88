DROP INDEX "posts_translations";--> statement-breakpoint
DROP INDEX "posts_sitemap";--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "slug_bytes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Bytes of a slug in a URL: what is not an unreserved character of RFC 3986 takes three a byte.
CREATE OR REPLACE FUNCTION url_bytes(slug text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN slug ~ '^[A-Za-z0-9._~-]*$' THEN octet_length(slug)
    ELSE 3 * octet_length(slug) - 2 * octet_length(regexp_replace(slug, '[^A-Za-z0-9._~-]', '', 'g')) END
$$;
--> statement-breakpoint
DROP TRIGGER posts_language_key ON posts;
--> statement-breakpoint
DROP FUNCTION key_language();
--> statement-breakpoint
-- Named to come before posts_stamp, which compares the row with the one before.
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
-- Of the posts that are here already. It is no change to them, so no trigger may see it.
ALTER TABLE posts DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE posts SET slug_bytes = url_bytes(slug);
--> statement-breakpoint
ALTER TABLE posts ENABLE TRIGGER USER;
--> statement-breakpoint
CREATE INDEX "posts_translations" ON "posts" USING btree ("source_post_id","status","language_key","slug_bytes");--> statement-breakpoint
CREATE INDEX "posts_sitemap" ON "posts" USING btree ("site_id","created_at","id","updated_at","source_post_id","language_key","slug_bytes") WHERE "posts"."status" = 'published';
