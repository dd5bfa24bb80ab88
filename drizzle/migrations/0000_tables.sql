-- These two are written by hand, because the tables need them. The rest is generated from src/db/schema.ts.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
-- Versions are clock times in milliseconds, so that a database restored to an earlier point never reuses one.
CREATE FUNCTION next_version(last bigint) RETURNS bigint LANGUAGE sql AS $$
  SELECT greatest(last + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
$$;
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"name" text NOT NULL,
	"access" text DEFAULT 'full' NOT NULL,
	"key_hash" text NOT NULL,
	"prefix" text NOT NULL,
	"last_four" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"site_id" uuid,
	"action" text NOT NULL,
	"resource_id" uuid,
	"subject" text,
	"before" jsonb,
	"after" jsonb,
	"actor_id" uuid DEFAULT nullif(current_setting('audit.actor_id', true), '')::uuid,
	"actor" text DEFAULT nullif(current_setting('audit.actor', true), ''),
	"door" text DEFAULT coalesce(nullif(current_setting('audit.door', true), ''), 'database') NOT NULL,
	"address" text DEFAULT nullif(current_setting('audit.address', true), '')
);
--> statement-breakpoint
CREATE TABLE "console_sessions" (
	"id_hash" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"token_id" uuid
);
--> statement-breakpoint
CREATE TABLE "daily_usage" (
	"site_id" uuid NOT NULL,
	"day" date NOT NULL,
	"requests" integer NOT NULL,
	CONSTRAINT "daily_usage_site_id_day_pk" PRIMARY KEY("site_id","day")
);
--> statement-breakpoint
CREATE TABLE "guides" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"title" text NOT NULL,
	"excerpt" text,
	"content_html" text NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"published_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"reading_time_minutes" integer,
	"wire_bytes" integer DEFAULT 0 NOT NULL,
	"title_folded" text DEFAULT '' NOT NULL,
	CONSTRAINT "guides_status" CHECK ("guides"."status" in ('draft', 'published'))
);
--> statement-breakpoint
CREATE TABLE "operator_tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"operator_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"last_four" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "operators" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
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
	"published_at" timestamp (3) with time zone,
	"id" uuid NOT NULL,
	"slug_folded" text NOT NULL,
	"quality_band" text,
	"ready_at" timestamp (3) with time zone,
	CONSTRAINT "post_titles_site_id_updated_at_pk" PRIMARY KEY("site_id","updated_at")
);
--> statement-breakpoint
CREATE TABLE "posts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"title" text NOT NULL,
	"excerpt" text,
	"content_html" text NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"published_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"reading_time_minutes" integer,
	"wire_bytes" integer DEFAULT 0 NOT NULL,
	"title_folded" text DEFAULT '' NOT NULL,
	"trust_score" double precision,
	"quality_band" text,
	"assurance_label" text,
	"review_status" text,
	"ai_generated" boolean DEFAULT false NOT NULL,
	"language" text,
	"language_key" text DEFAULT '' NOT NULL,
	"source_post_id" uuid,
	"provenance" jsonb,
	"seo" jsonb,
	"faq_json_ld" jsonb,
	"schema_bundle" jsonb,
	"schema_bundle_derived" boolean DEFAULT false NOT NULL,
	"schema_article" jsonb,
	"modified_at" timestamp (3) with time zone,
	"lastmod" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ready_at" timestamp (3) with time zone,
	"slug_bytes" integer DEFAULT 0 NOT NULL,
	"url_template" text,
	CONSTRAINT "posts_status" CHECK ("posts"."status" in ('draft', 'published')),
	CONSTRAINT "posts_readable" CHECK ("posts"."wire_bytes" <= 9500000)
);
--> statement-breakpoint
CREATE TABLE "redirects" (
	"site_id" uuid NOT NULL,
	"resource" text NOT NULL,
	"slug" text NOT NULL,
	"resource_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "redirects_site_id_resource_slug_pk" PRIMARY KEY("site_id","resource","slug")
);
--> statement-breakpoint
CREATE TABLE "sites" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"domain" text NOT NULL,
	"default_language" text DEFAULT 'en' NOT NULL,
	"post_path" text DEFAULT '/blog/{slug}' NOT NULL,
	"guide_path" text DEFAULT '/guides/{slug}' NOT NULL,
	"plan" text DEFAULT 'free' NOT NULL,
	"daily_quota" integer,
	"training_opt_in" boolean DEFAULT false NOT NULL,
	"sitemap_id" text,
	"deletion_started_at" timestamp (3) with time zone,
	"content_version" bigint DEFAULT next_version(0) NOT NULL,
	"auth_version" bigint DEFAULT next_version(0) NOT NULL,
	"last_sequence" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tombstones" (
	"site_id" uuid NOT NULL,
	"deleted_at" timestamp (3) with time zone NOT NULL,
	"resource" text NOT NULL,
	"resource_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"language" text,
	"status" text NOT NULL,
	"operator_only" boolean DEFAULT false NOT NULL,
	CONSTRAINT "tombstones_site_id_deleted_at_pk" PRIMARY KEY("site_id","deleted_at")
);
--> statement-breakpoint
CREATE TABLE "training_rows" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "training_rows_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"post_id" uuid,
	"language" text,
	"prompt" text NOT NULL,
	"completion" text NOT NULL,
	"quality_band" text,
	"opt_in" boolean DEFAULT true NOT NULL,
	"wire_bytes" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"event_id" uuid NOT NULL,
	"site_id" uuid NOT NULL,
	"url" text NOT NULL,
	"status" integer,
	"error" text,
	"duration_ms" integer,
	"manual" boolean DEFAULT false NOT NULL,
	"request_headers" jsonb,
	"answer_excerpt" text,
	"answer_truncated" boolean DEFAULT false NOT NULL,
	"answer_headers" jsonb,
	"attempted_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"site_id" uuid PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_expires_at" timestamp (3) with time zone,
	"secret_rotated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"event" text NOT NULL,
	"post_id" uuid,
	"slug" text,
	"payload" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"claimed_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "webhook_events_state" CHECK ("webhook_events"."state" in ('pending', 'sending', 'delivered', 'failed'))
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "console_sessions" ADD CONSTRAINT "console_sessions_token_id_operator_tokens_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."operator_tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daily_usage" ADD CONSTRAINT "daily_usage_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "guides" ADD CONSTRAINT "guides_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_tokens" ADD CONSTRAINT "operator_tokens_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "post_counts" ADD CONSTRAINT "post_counts_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posts" ADD CONSTRAINT "posts_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posts" ADD CONSTRAINT "posts_source_post_id_posts_id_fk" FOREIGN KEY ("source_post_id") REFERENCES "public"."posts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redirects" ADD CONSTRAINT "redirects_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tombstones" ADD CONSTRAINT "tombstones_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "training_rows" ADD CONSTRAINT "training_rows_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "training_rows" ADD CONSTRAINT "training_rows_post_id_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."posts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event_id_webhook_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."webhook_events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("key_hash");--> statement-breakpoint
CREATE INDEX "api_keys_by_site" ON "api_keys" USING btree ("site_id","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_log_by_site" ON "audit_log" USING btree ("site_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_by_resource" ON "audit_log" USING btree ("resource_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_age" ON "audit_log" USING brin ("at");--> statement-breakpoint
CREATE INDEX "console_sessions_age" ON "console_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "console_sessions_by_token" ON "console_sessions" USING btree ("token_id");--> statement-breakpoint
CREATE UNIQUE INDEX "guides_slug" ON "guides" USING btree ("site_id","slug");--> statement-breakpoint
CREATE UNIQUE INDEX "guides_newest" ON "guides" USING btree ("site_id","updated_at");--> statement-breakpoint
CREATE INDEX "guides_sitemap" ON "guides" USING btree ("site_id","created_at","id") WHERE "guides"."status" = 'published';--> statement-breakpoint
CREATE UNIQUE INDEX "operator_tokens_hash" ON "operator_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "operator_tokens_by_operator" ON "operator_tokens" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "operators_name" ON "operators" USING btree (lower("name"));--> statement-breakpoint
CREATE INDEX "post_titles_search" ON "post_titles" USING gin ("title_folded" gin_trgm_ops) WITH (fastupdate=false);--> statement-breakpoint
CREATE UNIQUE INDEX "posts_slug" ON "posts" USING btree ("site_id","slug");--> statement-breakpoint
CREATE UNIQUE INDEX "posts_newest" ON "posts" USING btree ("site_id","updated_at");--> statement-breakpoint
CREATE INDEX "posts_newest_by_status" ON "posts" USING btree ("site_id","status","updated_at");--> statement-breakpoint
CREATE INDEX "posts_newest_published" ON "posts" USING btree ("site_id","status","language_key","published_at" DESC NULLS LAST,"id","updated_at");--> statement-breakpoint
CREATE INDEX "posts_newest_by_language" ON "posts" USING btree ("site_id","status","language_key","updated_at");--> statement-breakpoint
CREATE INDEX "posts_translations" ON "posts" USING btree ("source_post_id","status","language_key","slug_bytes");--> statement-breakpoint
CREATE INDEX "posts_sitemap" ON "posts" USING btree ("site_id","created_at","id","lastmod","source_post_id","language_key","slug_bytes") WHERE "posts"."status" = 'published';--> statement-breakpoint
CREATE INDEX "posts_by_url_template" ON "posts" USING btree ("site_id","language_key","url_template") WHERE "posts"."url_template" is not null;--> statement-breakpoint
CREATE INDEX "redirects_newest" ON "redirects" USING btree ("site_id","created_at","resource","slug");--> statement-breakpoint
CREATE INDEX "redirects_by_resource" ON "redirects" USING btree ("resource_id");--> statement-breakpoint
CREATE UNIQUE INDEX "sites_sitemap" ON "sites" USING btree ("sitemap_id");--> statement-breakpoint
CREATE INDEX "sites_newest" ON "sites" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "tombstones_age" ON "tombstones" USING btree ("deleted_at");--> statement-breakpoint
CREATE INDEX "training_rows_export" ON "training_rows" USING btree ("site_id","position") WHERE "training_rows"."opt_in";--> statement-breakpoint
CREATE INDEX "training_rows_by_site" ON "training_rows" USING btree ("site_id","position");--> statement-breakpoint
CREATE INDEX "training_rows_by_post" ON "training_rows" USING btree ("post_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_site" ON "webhook_deliveries" USING btree ("site_id","attempted_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_event" ON "webhook_deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "webhook_events_by_site" ON "webhook_events" USING btree ("site_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_events_by_post" ON "webhook_events" USING btree ("site_id","post_id","created_at") WHERE "webhook_events"."post_id" is not null;--> statement-breakpoint
CREATE INDEX "webhook_events_open" ON "webhook_events" USING btree ("created_at") WHERE "webhook_events"."state" in ('pending', 'sending');--> statement-breakpoint
CREATE INDEX "webhook_events_age" ON "webhook_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_events_failed" ON "webhook_events" USING btree ("site_id","event","created_at") WHERE "webhook_events"."state" = 'failed';--> statement-breakpoint
CREATE INDEX "webhook_events_failed_at" ON "webhook_events" USING btree ("site_id","finished_at","id") WHERE "webhook_events"."state" = 'failed';