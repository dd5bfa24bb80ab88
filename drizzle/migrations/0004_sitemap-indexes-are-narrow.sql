DROP INDEX "posts_translations";--> statement-breakpoint
DROP INDEX "posts_sitemap";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "posts_translations" ON "posts" USING btree ("source_post_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "posts_sitemap" ON "posts" USING btree ("site_id","created_at","id","source_post_id") WHERE "posts"."status" = 'published';