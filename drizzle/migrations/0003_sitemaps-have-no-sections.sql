-- Contract: only sitemaps read it, and the Worker of before answers them from its caches until the new one runs.
DROP TABLE "sitemap_sections" CASCADE;
--> statement-breakpoint
DROP TRIGGER guides_sitemap_truncated ON guides;
--> statement-breakpoint
DROP TRIGGER posts_sitemap_truncated ON posts;
--> statement-breakpoint
DROP TRIGGER guides_sitemap_deleted ON guides;
--> statement-breakpoint
DROP TRIGGER guides_sitemap_updated ON guides;
--> statement-breakpoint
DROP TRIGGER guides_sitemap_inserted ON guides;
--> statement-breakpoint
DROP TRIGGER posts_sitemap_deleted ON posts;
--> statement-breakpoint
DROP TRIGGER posts_sitemap_updated ON posts;
--> statement-breakpoint
DROP TRIGGER posts_sitemap_inserted ON posts;
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION forget_sitemap_sections();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION cut_sitemap_section();
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION count_sitemap_urls();
