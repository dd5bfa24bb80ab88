ALTER TABLE "guides" ADD COLUMN "folded_from" text;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "folded_from" text;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "guides_unfolded" ON "guides" USING btree ("site_id") WHERE "guides"."folded_from" is distinct from "guides"."title" and octet_length("guides"."title") > length("guides"."title");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "posts_unfolded" ON "posts" USING btree ("site_id") WHERE "posts"."folded_from" is distinct from "posts"."title" and octet_length("posts"."title") > length("posts"."title");
--> statement-breakpoint
-- Row trigger: a post that changes gets the next updated_at and what depends on it. An update that changes nothing, or only
-- how the title is folded, keeps updated_at. Where SQL written by hand sets a title, lower() stands in for the service's
-- foldCase() until the sweep. A Worker of before gives the fold too, but not of what.
CREATE OR REPLACE FUNCTION stamp_post() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  shown posts;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    shown := NEW;
    shown.title_folded := OLD.title_folded;
    shown.folded_from := OLD.folded_from;
    IF shown IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  END IF;
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
-- Row trigger: a guide that changes gets the next updated_at, its JSON size and, as in stamp_post, a folded title.
CREATE OR REPLACE FUNCTION stamp_guide() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  shown guides;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    shown := NEW;
    shown.title_folded := OLD.title_folded;
    shown.folded_from := OLD.folded_from;
    IF shown IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  END IF;
  IF NEW.folded_from IS DISTINCT FROM NEW.title AND (TG_OP = 'INSERT' OR NEW.title <> OLD.title) THEN
    NEW.folded_from := NULL;
    IF NEW.title_folded = coalesce(OLD.title_folded, '') THEN
      NEW.title_folded := lower(NEW.title);
    END IF;
  END IF;
  NEW.updated_at := next_sequence(NEW.site_id);
  NEW.wire_bytes := json_bytes(NEW.content_html);
  RETURN NEW;
END
$$;
--> statement-breakpoint
-- Statement trigger: the versions of the sites of updated rows. What only says of a folded title that it is right changes nothing
-- that anybody reads.
CREATE FUNCTION raise_content_version_for_updates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites s
  SET content_version = next_version(s.content_version), last_sequence = greatest(s.last_sequence, c.highest)
  FROM (
    SELECT site_id, max(updated_at) AS highest FROM (
      SELECT id, site_id, updated_at, title_folded FROM changed
      EXCEPT SELECT id, site_id, updated_at, title_folded FROM removed
    ) shown GROUP BY site_id
  ) c
  WHERE s.id = c.site_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER posts_updated AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS removed NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version_for_updates();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER guides_updated AFTER UPDATE ON guides
  REFERENCING OLD TABLE AS removed NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version_for_updates();
