CREATE TABLE "preview_links" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"post_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"last_four" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "sites" ADD COLUMN "feed_content" text DEFAULT 'excerpt' NOT NULL;--> statement-breakpoint
ALTER TABLE "sites" ADD COLUMN "preview_url" text;--> statement-breakpoint
ALTER TABLE "preview_links" ADD CONSTRAINT "preview_links_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preview_links" ADD CONSTRAINT "preview_links_post_id_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "preview_links_hash" ON "preview_links" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "preview_links_by_post" ON "preview_links" USING btree ("post_id","created_at");--> statement-breakpoint
CREATE INDEX "preview_links_by_site" ON "preview_links" USING btree ("site_id");
--> statement-breakpoint
DROP TRIGGER sites_logged ON sites;
--> statement-breakpoint
DROP TRIGGER sites_auth_version ON sites;
--> statement-breakpoint
DROP TRIGGER sites_content_version ON sites;
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.differing(one jsonb, other jsonb, fields text[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT jsonb_object_agg(field, CASE
    WHEN field IN ('url', 'preview_url') THEN to_jsonb(split_part(one ->> field, '?', 1))
    WHEN field LIKE '%\_hash' THEN to_jsonb('not shown'::text)
    ELSE one -> field END)
  FROM unnest(fields) AS field
  WHERE one ->> field IS DISTINCT FROM other ->> field AND one ->> field IS NOT NULL
$function$;
--> statement-breakpoint
CREATE TRIGGER sites_content_version BEFORE UPDATE OF name, domain, default_language, post_path, guide_path, feed_content ON public.sites FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.domain IS DISTINCT FROM new.domain) OR (old.default_language IS DISTINCT FROM new.default_language) OR (old.post_path IS DISTINCT FROM new.post_path) OR (old.guide_path IS DISTINCT FROM new.guide_path) OR (old.feed_content IS DISTINCT FROM new.feed_content))) EXECUTE FUNCTION raise_own_content_version();
--> statement-breakpoint
CREATE TRIGGER sites_auth_version BEFORE UPDATE OF name, domain, default_language, post_path, guide_path, plan, daily_quota, training_opt_in, sitemap_id, feed_content, preview_url, deletion_started_at, auth_version ON public.sites FOR EACH ROW EXECUTE FUNCTION raise_own_auth_version();
--> statement-breakpoint
CREATE TRIGGER sites_logged AFTER INSERT OR DELETE OR UPDATE OF name, domain, default_language, post_path, guide_path, plan, daily_quota, training_opt_in, feed_content, preview_url, deletion_started_at ON public.sites FOR EACH ROW EXECUTE FUNCTION log_row('site', 'name domain default_language post_path guide_path plan daily_quota training_opt_in feed_content preview_url deletion_started_at');
--> statement-breakpoint
CREATE TRIGGER preview_links_logged AFTER INSERT OR UPDATE OF site_id, post_id, token_hash, last_four, expires_at, revoked_at ON public.preview_links FOR EACH ROW EXECUTE FUNCTION log_row('preview_link', 'post_id last_four expires_at revoked_at', 'site_id token_hash');
--> statement-breakpoint
CREATE TRIGGER preview_links_deletion_logged AFTER DELETE ON public.preview_links FOR EACH ROW WHEN (((old.expires_at > now()) AND (pg_trigger_depth() = 0))) EXECUTE FUNCTION log_row('preview_link', 'post_id last_four expires_at revoked_at');
--> statement-breakpoint
CREATE TRIGGER preview_links_updated AFTER UPDATE OF site_id, post_id, token_hash, expires_at, revoked_at ON public.preview_links FOR EACH ROW EXECUTE FUNCTION raise_auth_version();
--> statement-breakpoint
CREATE TRIGGER preview_links_deleted AFTER DELETE ON public.preview_links FOR EACH ROW WHEN ((old.expires_at > now())) EXECUTE FUNCTION raise_auth_version();
