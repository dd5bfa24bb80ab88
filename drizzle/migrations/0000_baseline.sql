-- Written by hand, because the tables need it. The rest is generated from src/db/schema.ts and drizzle/functions.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
-- Versions are clock times in milliseconds, so that a database restored to an earlier point never reuses one.
CREATE FUNCTION next_version(last bigint) RETURNS bigint LANGUAGE sql AS $$
  SELECT greatest(last + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
$$;
--> statement-breakpoint
-- `slug_versions` of a site all of whose parts have changed. A version takes 11 hexadecimal digits.
CREATE FUNCTION all_slug_versions(version bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT repeat(lpad(to_hex(version), 11, '0'), 32)
$$;
--> statement-breakpoint
-- A folded text without diacritics, for searches: `koln` finds `Köln`, and `lodz` finds `Łódź`. Marks that make another letter of
-- what they are with, as in Japanese and Hindi, stay.
CREATE FUNCTION without_diacritics(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN octet_length(value) = length(value) THEN value
    ELSE normalize(translate(regexp_replace(normalize(value, NFD),
      '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]', '', 'g'),
      'łøđħŧ', 'lodht'), NFC) END
$$;
--> statement-breakpoint
CREATE TABLE "alerts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"endpoint_id" uuid,
	"quota_key" text,
	"details" jsonb NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"told_at" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"results" jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT "alerts_kind" CHECK ("alerts"."kind" in ('webhook_failing', 'webhook_recovered', 'quota')),
	CONSTRAINT "alerts_state" CHECK ("alerts"."state" in ('pending', 'sending', 'delivered', 'failed'))
);
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
	"title" text,
	"before" jsonb,
	"after" jsonb,
	"actor_id" uuid DEFAULT nullif(current_setting('audit.actor_id', true), '')::uuid,
	"actor" text DEFAULT nullif(current_setting('audit.actor', true), ''),
	"door" text DEFAULT coalesce(nullif(current_setting('audit.door', true), ''), 'database') NOT NULL,
	"address" text DEFAULT nullif(current_setting('audit.address', true), ''),
	"act_id" uuid DEFAULT coalesce(nullif(current_setting('audit.act_id', true), '')::uuid, md5(pg_current_xact_id()::text || now()::text)::uuid) NOT NULL,
	"is_head" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console_sessions" (
	"id_hash" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"token_id" uuid,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"last_seen_at" timestamp (3) with time zone,
	"browser" text,
	"ended_by" text
);
--> statement-breakpoint
CREATE TABLE "daily_key_usage" (
	"site_id" uuid NOT NULL,
	"day" date NOT NULL,
	"key_id" uuid NOT NULL,
	"requests" integer NOT NULL,
	CONSTRAINT "daily_key_usage_site_id_day_key_id_pk" PRIMARY KEY("site_id","day","key_id")
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
	"title_folded" text DEFAULT '' NOT NULL,
	"folded_from" text,
	"fold_version" smallint DEFAULT 1 NOT NULL,
	"excerpt" text,
	"content_html" text NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"published_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"reading_time_minutes" integer,
	"origin_id" text,
	"origin_slug" text,
	"wire_bytes" integer DEFAULT 0 NOT NULL,
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
	"revoked_at" timestamp (3) with time zone,
	"maker_id" uuid,
	"kind" text DEFAULT 'token' NOT NULL,
	"used_at" timestamp (3) with time zone,
	"sent_to" text,
	"made_by" uuid DEFAULT nullif(current_setting('audit.actor_id', true), '')::uuid,
	CONSTRAINT "operator_tokens_kind" CHECK ("operator_tokens"."kind" in ('token', 'link'))
);
--> statement-breakpoint
CREATE TABLE "operators" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"sites" uuid[],
	CONSTRAINT "operators_admins_reach_all" CHECK ("operators"."role" <> 'admin' or "operators"."sites" is null)
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
	"title_key" text,
	"published_at" timestamp (3) with time zone,
	"id" uuid NOT NULL,
	"slug_folded" text NOT NULL,
	"quality_band" text,
	"ready_at" timestamp (3) with time zone,
	"publish_at" timestamp (3) with time zone,
	"changes_requested" boolean DEFAULT false NOT NULL,
	CONSTRAINT "post_titles_site_id_updated_at_pk" PRIMARY KEY("site_id","updated_at")
);
--> statement-breakpoint
CREATE TABLE "posts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"title" text NOT NULL,
	"title_folded" text DEFAULT '' NOT NULL,
	"folded_from" text,
	"fold_version" smallint DEFAULT 1 NOT NULL,
	"excerpt" text,
	"content_html" text NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"published_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"reading_time_minutes" integer,
	"origin_id" text,
	"origin_slug" text,
	"wire_bytes" integer DEFAULT 0 NOT NULL,
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
	"authors" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"image" jsonb,
	"categories" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"tags" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"canonical_url" text,
	"modified_at" timestamp (3) with time zone,
	"lastmod" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ready_at" timestamp (3) with time zone,
	"ready_by" text,
	"publish_at" timestamp (3) with time zone,
	"scheduled_by" jsonb,
	"change_request" jsonb,
	"slug_bytes" integer DEFAULT 0 NOT NULL,
	"url_template" text,
	CONSTRAINT "posts_status" CHECK ("posts"."status" in ('draft', 'published')),
	CONSTRAINT "posts_readable" CHECK ("posts"."wire_bytes" <= 9500000)
);
--> statement-breakpoint
CREATE TABLE "preview_links" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"post_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"last_four" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"made_by" uuid DEFAULT nullif(current_setting('audit.actor_id', true), '')::uuid,
	"made_by_name" text DEFAULT nullif(current_setting('audit.actor', true), '')
);
--> statement-breakpoint
CREATE TABLE "redirects" (
	"site_id" uuid NOT NULL,
	"resource" text NOT NULL,
	"slug" text NOT NULL,
	"resource_id" uuid,
	"target_resource" text,
	"target" text,
	"suffix" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "redirects_site_id_resource_slug_pk" PRIMARY KEY("site_id","resource","slug"),
	CONSTRAINT "redirects_one_target" CHECK (num_nonnulls("redirects"."resource_id", "redirects"."target") = 1)
);
--> statement-breakpoint
CREATE TABLE "sitemap_sections" (
	"site_id" uuid NOT NULL,
	"resource" text NOT NULL,
	"number" integer NOT NULL,
	"after_created_at" timestamp (3) with time zone DEFAULT '-infinity' NOT NULL,
	"after_id" uuid DEFAULT '00000000-0000-0000-0000-000000000000' NOT NULL,
	"urls" integer DEFAULT 0 NOT NULL,
	"lastmod" timestamp (3) with time zone DEFAULT '-infinity' NOT NULL,
	CONSTRAINT "sitemap_sections_site_id_resource_after_created_at_after_id_pk" PRIMARY KEY("site_id","resource","after_created_at","after_id")
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
	"feed_content" text DEFAULT 'excerpt' NOT NULL,
	"preview_url" text,
	"deletion_started_at" timestamp (3) with time zone,
	"content_version" bigint DEFAULT next_version(0) NOT NULL,
	"slug_versions" text DEFAULT all_slug_versions(next_version(0)) NOT NULL,
	"published_version" bigint DEFAULT next_version(0) NOT NULL,
	"published_slug_versions" text DEFAULT all_slug_versions(next_version(0)) NOT NULL,
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
	"published_only" boolean DEFAULT false NOT NULL,
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
	"resend_id" uuid,
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
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"events" text[]
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"endpoint_id" uuid,
	"event" text NOT NULL,
	"post_id" uuid,
	"slug" text,
	"payload" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"claimed_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"resend_id" uuid,
	CONSTRAINT "webhook_events_state" CHECK ("webhook_events"."state" in ('pending', 'sending', 'delivered', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "webhook_further_endpoints" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"url" text NOT NULL,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_expires_at" timestamp (3) with time zone,
	"secret_rotated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"events" text[]
);
--> statement-breakpoint
CREATE TABLE "webhook_resends" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"endpoint_id" uuid,
	"failed_since" timestamp (3) with time zone,
	"failed_until" timestamp (3) with time zone NOT NULL,
	"include_interrupted" boolean DEFAULT false NOT NULL,
	"per_second" integer,
	"total" integer NOT NULL,
	"interrupted" integer DEFAULT 0 NOT NULL,
	"turn" integer DEFAULT 0 NOT NULL,
	"turned_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"ending" text,
	CONSTRAINT "webhook_resends_ending" CHECK ("webhook_resends"."ending" in ('done', 'stopped', 'webhook_removed'))
);
--> statement-breakpoint
CREATE TABLE "webhook_streaks" (
	"endpoint_id" uuid PRIMARY KEY NOT NULL,
	"site_id" uuid NOT NULL,
	"failures" integer NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"alerted_after" integer
);
--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "console_sessions" ADD CONSTRAINT "console_sessions_token_id_operator_tokens_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."operator_tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daily_key_usage" ADD CONSTRAINT "daily_key_usage_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daily_usage" ADD CONSTRAINT "daily_usage_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "guides" ADD CONSTRAINT "guides_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_tokens" ADD CONSTRAINT "operator_tokens_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_tokens" ADD CONSTRAINT "operator_tokens_maker_id_operator_tokens_id_fk" FOREIGN KEY ("maker_id") REFERENCES "public"."operator_tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "post_counts" ADD CONSTRAINT "post_counts_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posts" ADD CONSTRAINT "posts_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posts" ADD CONSTRAINT "posts_source_post_id_posts_id_fk" FOREIGN KEY ("source_post_id") REFERENCES "public"."posts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preview_links" ADD CONSTRAINT "preview_links_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preview_links" ADD CONSTRAINT "preview_links_post_id_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redirects" ADD CONSTRAINT "redirects_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sitemap_sections" ADD CONSTRAINT "sitemap_sections_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tombstones" ADD CONSTRAINT "tombstones_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "training_rows" ADD CONSTRAINT "training_rows_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "training_rows" ADD CONSTRAINT "training_rows_post_id_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."posts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event_id_webhook_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."webhook_events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_further_endpoints" ADD CONSTRAINT "webhook_further_endpoints_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_resends" ADD CONSTRAINT "webhook_resends_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_streaks" ADD CONSTRAINT "webhook_streaks_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alerts_by_site" ON "alerts" USING btree ("site_id","created_at","id");--> statement-breakpoint
CREATE INDEX "alerts_told" ON "alerts" USING btree ("site_id","told_at");--> statement-breakpoint
CREATE INDEX "alerts_open" ON "alerts" USING btree ("site_id") WHERE "alerts"."state" in ('pending', 'sending');--> statement-breakpoint
CREATE INDEX "alerts_age" ON "alerts" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_waiting" ON "alerts" USING btree ("site_id","endpoint_id","kind") WHERE "alerts"."state" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_quota" ON "alerts" USING btree ("site_id","quota_key");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("key_hash");--> statement-breakpoint
CREATE INDEX "api_keys_by_site" ON "api_keys" USING btree ("site_id","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_log_newest" ON "audit_log" USING btree ("is_head","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_newest_of_site" ON "audit_log" USING btree ("site_id","is_head","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_newest_of_action" ON "audit_log" USING btree ("action","is_head","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_newest_of_actor_id" ON "audit_log" USING btree ("actor_id","is_head","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_newest_of_actor" ON "audit_log" USING btree ("actor","is_head","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_newest_of_resource" ON "audit_log" USING btree ("resource_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_newest_of_act" ON "audit_log" USING btree ("act_id","is_head","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_newest_titles" ON "audit_log" USING btree ("at","id") WHERE "audit_log"."title" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_titles" ON "audit_log" USING gin (without_diacritics(lower(coalesce("subject", '') || ' ' || "title")) gin_trgm_ops) WHERE "audit_log"."title" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_age" ON "audit_log" USING brin ("at");--> statement-breakpoint
CREATE INDEX "audit_log_refusals" ON "audit_log" USING btree ("at") WHERE "audit_log"."action" in ('operator.refused', 'operator.sign_in_failed');--> statement-breakpoint
CREATE UNIQUE INDEX "console_sessions_id" ON "console_sessions" USING btree ("id");--> statement-breakpoint
CREATE INDEX "console_sessions_age" ON "console_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "console_sessions_by_token" ON "console_sessions" USING btree ("token_id");--> statement-breakpoint
CREATE UNIQUE INDEX "guides_slug" ON "guides" USING btree ("site_id","slug");--> statement-breakpoint
CREATE UNIQUE INDEX "guides_origin" ON "guides" USING btree ("site_id","origin_id") WHERE "guides"."origin_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "guides_newest" ON "guides" USING btree ("site_id","updated_at");--> statement-breakpoint
CREATE INDEX "guides_sitemap" ON "guides" USING btree ("site_id","created_at","id") WHERE "guides"."status" = 'published';--> statement-breakpoint
CREATE INDEX "guides_unfolded" ON "guides" USING btree ("site_id") WHERE "guides"."folded_from" is distinct from "guides"."title" and octet_length("guides"."title") > length("guides"."title");--> statement-breakpoint
CREATE INDEX "guides_fold_version" ON "guides" USING btree ("fold_version") WHERE octet_length("guides"."title") > length("guides"."title");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_tokens_hash" ON "operator_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "operator_tokens_by_operator" ON "operator_tokens" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "operator_tokens_by_maker" ON "operator_tokens" USING btree ("maker_id");--> statement-breakpoint
CREATE INDEX "operator_tokens_made_by" ON "operator_tokens" USING btree ("made_by");--> statement-breakpoint
CREATE UNIQUE INDEX "operators_name" ON "operators" USING btree (lower("name"));--> statement-breakpoint
CREATE INDEX "post_titles_search" ON "post_titles" USING gin ("title_key" gin_trgm_ops) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "post_titles_ready" ON "post_titles" USING btree ("site_id","updated_at") WHERE "post_titles"."ready_at" is not null;--> statement-breakpoint
CREATE INDEX "post_titles_scheduled" ON "post_titles" USING btree ("site_id","publish_at") WHERE "post_titles"."publish_at" is not null;--> statement-breakpoint
CREATE INDEX "post_titles_changes_requested" ON "post_titles" USING btree ("site_id","updated_at") WHERE "post_titles"."changes_requested";--> statement-breakpoint
CREATE UNIQUE INDEX "posts_slug" ON "posts" USING btree ("site_id","slug");--> statement-breakpoint
CREATE UNIQUE INDEX "posts_origin" ON "posts" USING btree ("site_id","origin_id") WHERE "posts"."origin_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "posts_newest" ON "posts" USING btree ("site_id","updated_at");--> statement-breakpoint
CREATE INDEX "posts_newest_by_status" ON "posts" USING btree ("site_id","status","updated_at");--> statement-breakpoint
CREATE INDEX "posts_newest_published" ON "posts" USING btree ("site_id","status","language_key","published_at" DESC NULLS LAST,"id","updated_at");--> statement-breakpoint
CREATE INDEX "posts_newest_by_language" ON "posts" USING btree ("site_id","status","language_key","updated_at");--> statement-breakpoint
CREATE INDEX "posts_translations" ON "posts" USING btree ("source_post_id","status","language_key","slug_bytes");--> statement-breakpoint
CREATE INDEX "posts_sitemap" ON "posts" USING btree ("site_id","created_at","id","lastmod","source_post_id","language_key","slug_bytes") WHERE "posts"."status" = 'published';--> statement-breakpoint
CREATE INDEX "posts_by_url_template" ON "posts" USING btree ("site_id","language_key","url_template") WHERE "posts"."url_template" is not null;--> statement-breakpoint
CREATE INDEX "posts_unfolded" ON "posts" USING btree ("site_id") WHERE "posts"."folded_from" is distinct from "posts"."title" and octet_length("posts"."title") > length("posts"."title");--> statement-breakpoint
CREATE INDEX "posts_fold_version" ON "posts" USING btree ("fold_version") WHERE octet_length("posts"."title") > length("posts"."title");--> statement-breakpoint
CREATE INDEX "posts_scheduled" ON "posts" USING btree ("publish_at","site_id") WHERE "posts"."publish_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "preview_links_hash" ON "preview_links" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "preview_links_by_post" ON "preview_links" USING btree ("post_id","created_at");--> statement-breakpoint
CREATE INDEX "preview_links_by_site" ON "preview_links" USING btree ("site_id");--> statement-breakpoint
CREATE INDEX "preview_links_by_maker" ON "preview_links" USING btree ("made_by") WHERE "preview_links"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "redirects_newest" ON "redirects" USING btree ("site_id","created_at","resource","slug");--> statement-breakpoint
CREATE INDEX "redirects_by_resource" ON "redirects" USING btree ("resource_id");--> statement-breakpoint
CREATE INDEX "redirects_by_target" ON "redirects" USING btree ("site_id","target") WHERE "redirects"."target" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "sitemap_sections_number" ON "sitemap_sections" USING btree ("site_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "sites_sitemap" ON "sites" USING btree ("sitemap_id");--> statement-breakpoint
CREATE INDEX "sites_newest" ON "sites" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "tombstones_age" ON "tombstones" USING btree ("deleted_at");--> statement-breakpoint
CREATE INDEX "training_rows_export" ON "training_rows" USING btree ("site_id","position") WHERE "training_rows"."opt_in";--> statement-breakpoint
CREATE INDEX "training_rows_by_site" ON "training_rows" USING btree ("site_id","position");--> statement-breakpoint
CREATE INDEX "training_rows_by_post" ON "training_rows" USING btree ("post_id");--> statement-breakpoint
CREATE INDEX "training_rows_search" ON "training_rows" USING gin ("prompt" gin_trgm_ops) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_site" ON "webhook_deliveries" USING btree ("site_id","attempted_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_event" ON "webhook_deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries" USING btree ("site_id","attempted_at") WHERE "webhook_deliveries"."error" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_by_resend" ON "webhook_deliveries" USING btree ("resend_id","event_id") WHERE "webhook_deliveries"."resend_id" is not null;--> statement-breakpoint
CREATE INDEX "webhook_events_by_site" ON "webhook_events" USING btree ("site_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_events_by_post" ON "webhook_events" USING btree ("site_id","post_id","created_at") WHERE "webhook_events"."post_id" is not null;--> statement-breakpoint
CREATE INDEX "webhook_events_open" ON "webhook_events" USING btree ("created_at") WHERE "webhook_events"."state" in ('pending', 'sending');--> statement-breakpoint
CREATE INDEX "webhook_events_age" ON "webhook_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_events_failed_newest" ON "webhook_events" USING btree ("site_id","created_at","id","event") WHERE "webhook_events"."state" = 'failed';--> statement-breakpoint
CREATE INDEX "webhook_events_failed_at" ON "webhook_events" USING btree ("site_id","finished_at","id") WHERE "webhook_events"."state" = 'failed';--> statement-breakpoint
CREATE INDEX "webhook_events_resending" ON "webhook_events" USING btree ("resend_id") WHERE "webhook_events"."resend_id" is not null and "webhook_events"."state" in ('pending', 'sending');--> statement-breakpoint
CREATE INDEX "webhook_further_endpoints_by_site" ON "webhook_further_endpoints" USING btree ("site_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_resends_active" ON "webhook_resends" USING btree ("site_id") WHERE "webhook_resends"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_resends_by_site" ON "webhook_resends" USING btree ("site_id","started_at","id");--> statement-breakpoint
CREATE INDEX "webhook_streaks_by_site" ON "webhook_streaks" USING btree ("site_id");
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.keep_audit_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '400 days' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'The audit log is append-only';
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.refuse_audit_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT pg_has_role(current_user, (SELECT relowner FROM pg_catalog.pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RAISE EXCEPTION 'The audit log is written by triggers alone' USING ERRCODE = '42501';
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.begin_act()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  key text := concat_ws(' ', NEW.act_id, NEW.action, NEW.site_id) || E'\n';
  begun text := coalesce(current_setting('audit.begun', true), '');
BEGIN
  IF strpos(begun, key) > 0 THEN
    NEW.is_head := false;
  ELSE
    NEW.is_head := NOT is_begun(NEW.act_id, NEW.action, NEW.site_id);
    PERFORM set_config('audit.begun', CASE WHEN length(begun) < 2000 THEN begun ELSE '' END || key, true);
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.is_begun(act uuid, of_action text, of_site uuid)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  SELECT EXISTS (
    SELECT FROM audit_log WHERE act_id = act AND is_head AND action = of_action AND site_id IS NOT DISTINCT FROM of_site)
$function$;
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
CREATE OR REPLACE FUNCTION public.log_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  noun text := TG_ARGV[0];
  fields text[] := string_to_array(TG_ARGV[1], ' ')
    || CASE WHEN TG_OP = 'UPDATE' THEN string_to_array(TG_ARGV[2], ' ') END;
  old_row jsonb := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE to_jsonb(OLD) END;
  new_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN '{}' ELSE to_jsonb(NEW) END;
  current_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN old_row ELSE new_row END;
  before jsonb := differing(old_row, new_row, fields);
  after jsonb := differing(new_row, old_row, fields);
  name text := coalesce(current_row ->> 'name', '…' || (current_row ->> 'last_four'), split_part(current_row ->> 'url', '?', 1));
BEGIN
  IF TG_OP = 'UPDATE' AND before IS NULL AND after IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO audit_log (site_id, action, resource_id, subject, title, before, after)
  VALUES (
    (current_row ->> CASE noun WHEN 'site' THEN 'id' ELSE 'site_id' END)::uuid,
    coalesce(current_row ->> 'kind', noun) || '.' || CASE
      WHEN TG_OP = 'INSERT' THEN 'created'
      WHEN TG_OP = 'DELETE' THEN 'deleted'
      WHEN after ? 'revoked_at' THEN 'revoked'
      WHEN after ? 'used_at' THEN 'used'
      WHEN after ? 'secret_rotated_at' THEN 'secret_rotated'
      WHEN after ? 'deletion_started_at' THEN 'deletion_started'
      ELSE 'updated' END,
    (current_row ->> CASE WHEN noun = 'token' THEN 'operator_id' WHEN current_row ? 'id' THEN 'id' ELSE 'site_id' END)::uuid,
    name,
    name,
    before,
    after
  );
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_sitemap()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject, title)
  VALUES (NEW.id, CASE
    WHEN OLD.sitemap_id IS NULL THEN 'sitemap.published'
    WHEN NEW.sitemap_id IS NULL THEN 'sitemap.unpublished'
    ELSE 'sitemap.renewed' END, NEW.id, NEW.name, NEW.name);
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_posts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET enable_nestloop TO 'off'
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (site_id, action, resource_id, subject, title, after)
    SELECT site_id, 'post.created', id, slug, title, jsonb_strip_nulls(jsonb_build_object(
        'status', status,
        'published_at', published_at,
        'publish_at', publish_at,
        'origin_id', origin_id,
        'language', language,
        'quality_band', quality_band,
        'review_status', review_status,
        'canonical_url', canonical_url))
    FROM added;
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, subject, title, before, after)
    SELECT n.site_id, CASE
        WHEN o.slug <> n.slug THEN 'post.renamed'
        WHEN o.status <> n.status AND n.status = 'published' THEN 'post.published'
        WHEN o.status <> n.status THEN 'post.unpublished'
        WHEN o.ready_at IS NULL AND n.ready_at IS NOT NULL THEN 'post.marked_ready'
        WHEN n.change_request ->> 'requestedAt' IS DISTINCT FROM o.change_request ->> 'requestedAt'
          THEN CASE WHEN n.change_request IS NULL THEN 'post.changes_resolved' ELSE 'post.changes_requested' END
        WHEN n.updated_at = o.updated_at AND (n.publish_at, n.scheduled_by) IS DISTINCT FROM (o.publish_at, o.scheduled_by)
          THEN CASE WHEN n.publish_at IS NULL THEN 'post.schedule_cancelled' ELSE 'post.scheduled' END
        ELSE 'post.' || coalesce(nullif(current_setting('audit.verb', true), ''), 'updated') END,
      n.id, n.slug, CASE WHEN o.slug <> n.slug OR o.title <> n.title THEN n.title END,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN o.slug END,
        'status', CASE WHEN o.status <> n.status THEN o.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN o.published_at END,
        'publish_at', CASE WHEN o.publish_at IS DISTINCT FROM n.publish_at THEN o.publish_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN o.origin_id END,
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN o.language END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN o.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN o.review_status END,
        'canonical_url', CASE WHEN o.canonical_url IS DISTINCT FROM n.canonical_url THEN o.canonical_url END)), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN n.slug END,
        'status', CASE WHEN o.status <> n.status THEN n.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN n.published_at END,
        'publish_at', CASE WHEN o.publish_at IS DISTINCT FROM n.publish_at THEN n.publish_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN n.origin_id END,
        'language', CASE WHEN o.language IS DISTINCT FROM n.language THEN n.language END,
        'quality_band', CASE WHEN o.quality_band IS DISTINCT FROM n.quality_band THEN n.quality_band END,
        'review_status', CASE WHEN o.review_status IS DISTINCT FROM n.review_status THEN n.review_status END,
        'canonical_url', CASE WHEN o.canonical_url IS DISTINCT FROM n.canonical_url THEN n.canonical_url END,
        'fields', nullif(current_setting('audit.fields', true), ''))), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at OR n.origin_id IS DISTINCT FROM o.origin_id
      OR n.publish_at IS DISTINCT FROM o.publish_at OR n.scheduled_by IS DISTINCT FROM o.scheduled_by
      OR n.change_request IS DISTINCT FROM o.change_request;
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_guides()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET enable_nestloop TO 'off'
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (site_id, action, resource_id, subject, title, after)
    SELECT site_id, 'guide.created', id, slug, title, jsonb_strip_nulls(jsonb_build_object(
        'status', status,
        'published_at', published_at,
        'origin_id', origin_id))
    FROM added;
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, subject, title, before, after)
    SELECT n.site_id, CASE
        WHEN o.slug <> n.slug THEN 'guide.renamed'
        WHEN o.status <> n.status AND n.status = 'published' THEN 'guide.published'
        WHEN o.status <> n.status THEN 'guide.unpublished'
        ELSE 'guide.updated' END,
      n.id, n.slug, CASE WHEN o.slug <> n.slug OR o.title <> n.title THEN n.title END,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN o.slug END,
        'status', CASE WHEN o.status <> n.status THEN o.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN o.published_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN o.origin_id END)), '{}'),
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'slug', CASE WHEN o.slug <> n.slug THEN n.slug END,
        'status', CASE WHEN o.status <> n.status THEN n.status END,
        'published_at', CASE WHEN o.published_at IS DISTINCT FROM n.published_at THEN n.published_at END,
        'origin_id', CASE WHEN o.origin_id IS DISTINCT FROM n.origin_id THEN n.origin_id END,
        'fields', nullif(current_setting('audit.fields', true), ''))), '{}')
    FROM removed o JOIN added n ON n.id = o.id
    WHERE n.updated_at <> o.updated_at OR n.origin_id IS DISTINCT FROM o.origin_id;
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_article_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  before jsonb := jsonb_build_object('status', OLD.status);
BEGIN
  -- Apart, since a guide has no such column.
  IF TG_ARGV[0] = 'post' THEN
    before := before || jsonb_strip_nulls(jsonb_build_object('publish_at', OLD.publish_at));
  END IF;
  INSERT INTO audit_log (site_id, action, resource_id, subject, title, before)
  SELECT s.id, TG_ARGV[0] || '.deleted', OLD.id, OLD.slug, OLD.title, before
  FROM sites s WHERE s.id = OLD.site_id AND s.deletion_started_at IS NULL;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_training_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, after)
  SELECT c.site_id, TG_ARGV[0], CASE WHEN count(*) = 1 THEN min(c.id::text)::uuid END, jsonb_build_object('rows', count(*))
  FROM changed c GROUP BY c.site_id
  HAVING EXISTS (SELECT FROM sites s WHERE s.id = c.site_id AND s.deletion_started_at IS NULL);
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_training_opt_in()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id)
  VALUES (NEW.site_id, CASE WHEN NEW.opt_in THEN 'training.opted_in' ELSE 'training.opted_out' END, NEW.id);
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_redirect()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  shown redirects := coalesce(NEW, OLD);
  before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN jsonb_strip_nulls(jsonb_build_object(
    'target', split_part(OLD.target, '?', 1), 'target_resource', OLD.target_resource, 'resource_id', OLD.resource_id)) END;
  after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN jsonb_strip_nulls(jsonb_build_object(
    'target', split_part(NEW.target, '?', 1), 'target_resource', NEW.target_resource, 'resource_id', NEW.resource_id)) END;
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject, title, before, after)
  SELECT s.id, 'redirect.' || CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END,
    shown.resource_id, shown.slug, shown.slug, before, after
  FROM sites s WHERE s.id = shown.site_id AND s.deletion_started_at IS NULL;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_test_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id) VALUES (NEW.site_id, 'webhook.tested', NEW.id);
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_resend()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject, title)
  SELECT NEW.site_id, 'event.resent', e.id, e.slug, e.slug FROM webhook_events e WHERE e.id = NEW.event_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_resend_of_failed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (site_id, action, resource_id, after)
    VALUES (NEW.site_id, 'event.resend_started', NEW.id, jsonb_build_object('events', NEW.total));
  ELSE
    INSERT INTO audit_log (site_id, action, resource_id, after)
    SELECT NEW.site_id, CASE NEW.ending
        WHEN 'done' THEN 'event.resend_finished'
        WHEN 'stopped' THEN 'event.resend_stopped'
        ELSE 'event.resend_broken_off' END,
      NEW.id, jsonb_strip_nulls(jsonb_build_object(
        'arrived', count(*) FILTER (WHERE d.error IS NULL AND d.status IS NOT NULL),
        'failed', count(*) FILTER (WHERE d.error IS NOT NULL),
        'being_sent', nullif(count(*) FILTER (WHERE d.error IS NULL AND d.status IS NULL), 0),
        'not_sent', greatest(NEW.total - count(*), 0)))
    FROM webhook_deliveries d WHERE d.site_id = NEW.site_id AND d.resend_id = NEW.id;
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_sign_in()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO audit_log (action) VALUES ('operator.signed_in');
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_sign_out()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO audit_log (action) VALUES ('operator.signed_out');
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_session_end()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO audit_log (action, resource_id, subject, title, before)
  SELECT 'operator.session_ended', o.id, o.name, o.name, jsonb_strip_nulls(jsonb_build_object('browser', NEW.browser))
  FROM operator_tokens t JOIN operators o ON o.id = t.operator_id WHERE t.id = NEW.token_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.log_refusal(kind text, what text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  in_minute bigint;
  in_hour bigint;
  is_known boolean;
BEGIN
  IF kind NOT IN ('operator.refused', 'operator.sign_in_failed') THEN
    RAISE EXCEPTION 'No kind of refusal: %', kind;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('log_refusal', 0));
  SELECT count(*) FILTER (WHERE at > now() - interval '1 minute'), count(*), coalesce(bool_or(
      at > now() - interval '1 minute'
      AND subject IS NOT DISTINCT FROM left(what, 300)
      AND address IS NOT DISTINCT FROM nullif(current_setting('audit.address', true), '')), false)
  INTO in_minute, in_hour, is_known
  FROM audit_log
  WHERE action IN ('operator.refused', 'operator.sign_in_failed') AND action = kind AND at > now() - interval '1 hour'
    AND actor_id IS NOT DISTINCT FROM nullif(current_setting('audit.actor_id', true), '')::uuid;
  IF in_minute < 60 AND in_hour < 300 AND NOT is_known THEN
    INSERT INTO audit_log (action, subject, title) VALUES (kind, left(what, 300), left(what, 300));
  END IF;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.may_edit(person uuid, site uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT person IS NULL OR EXISTS (
    SELECT FROM operators o
    WHERE o.id = person AND o.role <> 'viewer' AND (o.sites IS NULL OR site = ANY (o.sites)))
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.end_made_by()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE preview_links SET revoked_at = now()
  WHERE made_by = OLD.id AND revoked_at IS NULL AND expires_at > now() AND NOT may_edit(OLD.id, site_id);
  UPDATE posts SET publish_at = NULL
  WHERE publish_at IS NOT NULL AND scheduled_by ->> 'id' = OLD.id::text AND NOT may_edit(OLD.id, site_id);
  UPDATE operator_tokens SET revoked_at = now()
  WHERE made_by = OLD.id AND operator_id <> OLD.id AND revoked_at IS NULL AND expires_at > now()
    AND NOT EXISTS (SELECT FROM operators o WHERE o.id = OLD.id AND o.role = 'admin');
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.require_link_maker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM operators
  WHERE id = NEW.made_by AND role <> 'viewer' AND (sites IS NULL OR NEW.site_id = ANY (sites)) FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The person who makes this link may not edit the site' USING ERRCODE = 'HC002';
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.require_token_maker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM operators WHERE id = NEW.made_by AND role = 'admin' FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The person who makes this token is no admin' USING ERRCODE = 'HC002';
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.webhooks_of(sites uuid[])
 RETURNS TABLE(site_id uuid, id uuid, events text[])
 LANGUAGE sql
 STABLE
AS $function$
  SELECT f.site_id, NULL::uuid, f.events FROM webhook_endpoints f WHERE f.site_id = ANY (sites)
  UNION ALL
  SELECT w.site_id, w.id, w.events FROM webhook_further_endpoints w WHERE w.site_id = ANY (sites)
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.insert_post_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET enable_nestloop TO 'off'
 SET jit TO 'off'
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  sites uuid[] := ARRAY(SELECT DISTINCT site_id FROM changed);
  done uuid[];
BEGIN
  IF current_setting('events.sending', true) = 'none' OR NOT EXISTS (SELECT FROM webhooks_of(sites)) THEN
    RETURN NULL;
  END IF;
  done := ARRAY(
    SELECT post_id FROM webhook_events
    WHERE created_at >= date_trunc('milliseconds', now()) AND xmin = pg_current_xact_id()::xid AND post_id IS NOT NULL);
  IF TG_OP = 'INSERT' THEN
    INSERT INTO webhook_events (site_id, endpoint_id, event, post_id, slug, payload)
    SELECT e.site_id, w.id, e.event, e.post_id, e.slug, e.payload
    FROM changed n CROSS JOIN LATERAL post_events(ROW(n.*)::posts, NULL, NULL) e
    JOIN webhooks_of(sites) w ON w.site_id = e.site_id AND (NOT e.is_optional OR e.event = ANY (w.events))
    WHERE e.post_id <> ALL (done);
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO webhook_events (site_id, endpoint_id, event, post_id, slug, payload)
    SELECT e.site_id, w.id, e.event, e.post_id, e.slug, e.payload
    FROM changed n JOIN removed o USING (id) CROSS JOIN LATERAL post_events(ROW(n.*)::posts, ROW(o.*)::posts, NULL) e
    JOIN webhooks_of(sites) w ON w.site_id = e.site_id AND (NOT e.is_optional OR e.event = ANY (w.events))
    WHERE e.post_id <> ALL (done);
  ELSE
    INSERT INTO webhook_events (site_id, endpoint_id, event, post_id, slug, payload)
    SELECT e.site_id, w.id, e.event, e.post_id, e.slug, e.payload
    FROM changed o JOIN tombstones t ON t.site_id = o.site_id AND t.resource_id = o.id AND t.slug = o.slug
      AND t.deleted_at >= date_trunc('milliseconds', now()) AND NOT t.published_only AND t.xmin = pg_current_xact_id()::xid
    CROSS JOIN LATERAL post_events(NULL, ROW(o.*)::posts, t.deleted_at) e
    JOIN webhooks_of(sites) w ON w.site_id = e.site_id AND (NOT e.is_optional OR e.event = ANY (w.events));
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.derive_guide()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.slug := normalize(NEW.slug, NFC);
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.stamp_guide()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  shown guides;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    shown := NEW;
    shown.title_folded := OLD.title_folded;
    shown.folded_from := OLD.folded_from;
    shown.fold_version := OLD.fold_version;
    shown.origin_id := OLD.origin_id;
    shown.origin_slug := OLD.origin_slug;
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
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.bound_token()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  latest timestamptz;
BEGIN
  SELECT expires_at INTO latest FROM operator_tokens
  WHERE id = NEW.maker_id AND revoked_at IS NULL AND expires_at > now() FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The token that makes this one opens nothing any more' USING ERRCODE = 'HC002';
  END IF;
  NEW.expires_at := least(NEW.expires_at, latest);
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.end_made_tokens()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE operator_tokens
  SET expires_at = least(expires_at, NEW.expires_at), revoked_at = coalesce(revoked_at, NEW.revoked_at)
  WHERE maker_id = NEW.id AND (expires_at > NEW.expires_at OR (revoked_at IS NULL AND NEW.revoked_at IS NOT NULL));
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.require_admin(needs_token boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (
    SELECT FROM operators o WHERE o.role = 'admin' AND (NOT needs_token OR EXISTS (
      SELECT FROM operator_tokens t WHERE t.operator_id = o.id AND t.kind = 'token' AND t.revoked_at IS NULL AND t.expires_at > now()))
  ) THEN
    RAISE EXCEPTION 'No admin would be left who can sign in' USING ERRCODE = 'HC003';
  END IF;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.forget_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE operators SET sites = array_remove(sites, OLD.id) WHERE OLD.id = ANY (sites);
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.post_events(now posts, was posts, deleted_at timestamp with time zone)
 RETURNS TABLE(site_id uuid, post_id uuid, slug text, event text, is_optional boolean, payload text)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT now.site_id, now.id, now.slug, 'article.ready', false, json_build_object(
    'event', 'article.ready',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'title', now.title,
    'trustScore', now.trust_score,
    'qualityBand', now.quality_band,
    'assuranceLabel', now.assurance_label,
    'language', now.language,
    'sourcePostId', now.source_post_id,
    'status', now.status,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE was.ready_at IS NULL AND now.ready_at IS NOT NULL
  UNION ALL
  SELECT now.site_id, now.id, now.slug, 'post.published', true, json_build_object(
    'event', 'post.published',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'title', now.title,
    'language', now.language,
    'sourcePostId', now.source_post_id,
    'status', now.status,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE was.status IS DISTINCT FROM 'published' AND now.status = 'published'
  UNION ALL
  SELECT now.site_id, now.id, now.slug, 'post.updated', true, json_build_object(
    'event', 'post.updated',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'title', now.title,
    'language', now.language,
    'sourcePostId', now.source_post_id,
    'status', now.status,
    'previousSlug', nullif(was.slug, now.slug),
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE was.status = 'published' AND now.status = 'published' AND now.updated_at <> was.updated_at
  UNION ALL
  SELECT now.site_id, now.id, now.slug, 'post.unpublished', true, json_build_object(
    'event', 'post.unpublished',
    'siteId', now.site_id,
    'postId', now.id,
    'slug', now.slug,
    'title', was.title,
    'language', now.language,
    'sourcePostId', now.source_post_id,
    'status', now.status,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || now.site_id || '/posts/' || url_component(now.slug),
      'hint', 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'))::text
  WHERE was.status = 'published' AND now.status <> 'published'
  UNION ALL
  SELECT was.site_id, was.id, was.slug, 'post.deleted', true, json_build_object(
    'event', 'post.deleted',
    'siteId', was.site_id,
    'postId', was.id,
    'slug', was.slug,
    'language', was.language,
    'at', wire_time(coalesce(deleted_at, now.updated_at)),
    'sequence', wire_sequence(coalesce(deleted_at, now.updated_at)))::text
  WHERE was.status = 'published' AND deleted_at IS NOT NULL
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.refuse(reason text, about jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '%', reason USING ERRCODE = 'HC001', DETAIL = about::text;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.refuse_source(slug text, problem text)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '%', problem USING ERRCODE = 'HC001', DETAIL = slug;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.undated_bundle(bundle jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT bundle #- '{article,dateModified}' #- '{article,datePublished}'
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.derive_post()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.slug := normalize(NEW.slug, NFC);
  NEW.language_key := lower(coalesce(NEW.language, ''));
  NEW.slug_bytes := url_bytes(NEW.slug);
  IF NEW.status = 'published' OR NEW.publish_at IS NULL THEN
    NEW.publish_at := NULL;
    NEW.scheduled_by := NULL;
  END IF;
  IF NEW.ready_at IS NULL THEN
    NEW.ready_by := NULL;
  ELSIF OLD.ready_at IS NULL THEN
    NEW.ready_by := nullif(current_setting('audit.actor', true), '');
  END IF;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.stamp_post()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  shown posts;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.schema_bundle_derived AND NEW.schema_bundle_derived
      AND undated_bundle(NEW.schema_bundle) = undated_bundle(OLD.schema_bundle) THEN
      NEW.schema_bundle := OLD.schema_bundle;
    END IF;
    shown := NEW;
    shown.title_folded := OLD.title_folded;
    shown.folded_from := OLD.folded_from;
    shown.fold_version := OLD.fold_version;
    shown.origin_id := OLD.origin_id;
    shown.origin_slug := OLD.origin_slug;
    shown.publish_at := OLD.publish_at;
    shown.scheduled_by := OLD.scheduled_by;
    shown.change_request := OLD.change_request;
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
        || jsonb_build_object('dateModified', wire_time(coalesce(NEW.modified_at, NEW.updated_at)))
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
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.count_posts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.copy_titles()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM post_titles t USING removed r WHERE (t.site_id, t.updated_at) = (r.site_id, r.updated_at);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO post_titles (site_id, updated_at, status, language_key, title_folded, published_at, id, slug_folded,
      quality_band, ready_at, publish_at, changes_requested, title_key)
    SELECT site_id, updated_at, status, language_key, title_folded, published_at, id, lower(slug), quality_band, ready_at,
      publish_at, change_request IS NOT NULL OR coalesce(review_status = 'changes_requested', false),
      without_diacritics(title_folded)
    FROM added;
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.truncate_post_copies()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  TRUNCATE post_counts, post_titles;
  DELETE FROM redirects WHERE coalesce(target_resource, resource) = 'post';
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.leave_redirect()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM redirects WHERE site_id = NEW.site_id AND resource = TG_ARGV[0] AND slug = NEW.slug;
  IF OLD.published_at IS NOT NULL THEN
    INSERT INTO redirects (site_id, resource, slug, resource_id)
    VALUES (OLD.site_id, TG_ARGV[0], OLD.slug, OLD.id)
    ON CONFLICT (site_id, resource, slug)
    DO UPDATE SET resource_id = excluded.resource_id, created_at = excluded.created_at;
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.take_slugs()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
BEGIN
  DELETE FROM redirects r USING added a
  WHERE r.site_id = a.site_id AND r.resource = TG_ARGV[0] AND r.slug = a.slug;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.end_redirects()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
BEGIN
  DELETE FROM redirects r USING removed d
  WHERE r.resource_id = d.id AND coalesce(r.target_resource, r.resource) = TG_ARGV[0];
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.lock_site(site uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  SELECT pg_advisory_xact_lock(hashtextextended(site::text, 0))
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.next_sequence(site uuid)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
DECLARE
  highest timestamptz;
BEGIN
  PERFORM lock_site(site);
  SELECT greatest(
    s.last_sequence,
    (SELECT p.updated_at FROM posts p WHERE p.site_id = site ORDER BY p.updated_at DESC LIMIT 1),
    (SELECT g.updated_at FROM guides g WHERE g.site_id = site ORDER BY g.updated_at DESC LIMIT 1),
    (SELECT t.deleted_at FROM tombstones t WHERE t.site_id = site ORDER BY t.deleted_at DESC LIMIT 1)
  ) INTO highest FROM sites s WHERE s.id = site;
  RETURN greatest(date_trunc('milliseconds', clock_timestamp()), highest + interval '1 millisecond');
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.wire_sequence(sequence timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT (extract(epoch FROM sequence) * 1000)::bigint
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.count_sitemap_urls()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
DECLARE
  changes sitemap_sections[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg((site_id, TG_ARGV[0], 0, created_at, id, 1, updated_at)::sitemap_sections) INTO changes
    FROM added WHERE status = 'published';
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg((site_id, TG_ARGV[0], 0, created_at, id, -1, clock_timestamp())::sitemap_sections) INTO changes
    FROM removed WHERE status = 'published';
  ELSE
    SELECT array_agg((c.site_id, TG_ARGV[0], 0, c.created_at, c.id, c.urls, c.changed_at)::sitemap_sections) INTO changes
    FROM added a FULL JOIN removed r ON r.id = a.id CROSS JOIN LATERAL (
      SELECT a.site_id, a.created_at, a.id, 1 AS urls, a.updated_at AS changed_at WHERE a.status = 'published'
      UNION ALL
      SELECT r.site_id, r.created_at, r.id, -1, coalesce(a.updated_at, clock_timestamp()) WHERE r.status = 'published'
    ) c
    WHERE a.updated_at IS DISTINCT FROM r.updated_at;
  END IF;
  IF changes IS NULL THEN
    RETURN NULL;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO sitemap_sections (site_id, resource, number)
    SELECT c.site_id, TG_ARGV[0],
      1 + coalesce((SELECT max(s.number) FROM sitemap_sections s WHERE s.site_id = c.site_id), 0)
    FROM (SELECT DISTINCT site_id FROM unnest(changes) WHERE urls > 0) c
    WHERE NOT EXISTS (
      SELECT FROM sitemap_sections s WHERE (s.site_id, s.resource, s.after_created_at) = (c.site_id, TG_ARGV[0], '-infinity')
    );
  END IF;
  UPDATE sitemap_sections s SET urls = s.urls + c.urls, lastmod = greatest(s.lastmod, c.changed_at)
  FROM (
    SELECT c.site_id, found.number, sum(c.urls) AS urls, max(c.lastmod) AS changed_at
    FROM unnest(changes) c CROSS JOIN LATERAL (
      SELECT f.number FROM sitemap_sections f
      WHERE f.site_id = c.site_id AND f.resource = c.resource
        AND (f.after_created_at, f.after_id) < (c.after_created_at, c.after_id)
      ORDER BY f.after_created_at DESC, f.after_id DESC LIMIT 1
    ) found
    GROUP BY 1, 2
  ) c
  WHERE (s.site_id, s.number) = (c.site_id, c.number);
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.cut_sitemap_section()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
DECLARE
  section sitemap_sections;
  kept integer := 5000;
  border record;
BEGIN
  SELECT * INTO section FROM sitemap_sections s WHERE (s.site_id, s.number) = (NEW.site_id, NEW.number);
  IF section.urls IS NULL OR section.urls <= kept THEN
    RETURN NULL;
  END IF;
  PERFORM FROM sitemap_sections s
  WHERE s.site_id = section.site_id AND s.resource = section.resource
    AND (s.after_created_at, s.after_id) > (section.after_created_at, section.after_id);
  IF FOUND THEN
    kept := section.urls / 2;
  END IF;
  IF section.resource = 'post' THEN
    SELECT p.created_at, p.id INTO border FROM posts p
    WHERE p.site_id = section.site_id AND p.status = 'published'
      AND (p.created_at, p.id) > (section.after_created_at, section.after_id)
    ORDER BY p.created_at, p.id LIMIT 1 OFFSET kept - 1;
  ELSE
    SELECT g.created_at, g.id INTO border FROM guides g
    WHERE g.site_id = section.site_id AND g.status = 'published'
      AND (g.created_at, g.id) > (section.after_created_at, section.after_id)
    ORDER BY g.created_at, g.id LIMIT 1 OFFSET kept - 1;
  END IF;
  UPDATE sitemap_sections SET urls = kept WHERE (site_id, number) = (section.site_id, section.number);
  INSERT INTO sitemap_sections (site_id, resource, number, after_created_at, after_id, urls, lastmod)
  SELECT section.site_id, section.resource, max(s.number) + 1, border.created_at, border.id, section.urls - kept, section.lastmod
  FROM sitemap_sections s WHERE s.site_id = section.site_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.forget_sitemap_sections()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM sitemap_sections WHERE resource = TG_ARGV[0];
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.leave_tombstone(site uuid, kind text, resource uuid, old_slug text, old_language text, status text, operator_only boolean)
 RETURNS void
 LANGUAGE sql
AS $function$
  INSERT INTO tombstones (site_id, deleted_at, resource, resource_id, slug, language, status, operator_only)
  SELECT s.id, next_sequence(s.id), kind, resource, old_slug, old_language, status, operator_only FROM sites s
  WHERE s.id = site AND s.deletion_started_at IS NULL
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.leave_post_tombstone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM leave_tombstone(OLD.site_id, 'post', OLD.id, OLD.slug, OLD.language, OLD.status, false);
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.leave_guide_tombstone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM leave_tombstone(OLD.site_id, 'guide', OLD.id, OLD.slug, NULL,
    CASE WHEN TG_OP = 'DELETE' THEN OLD.status ELSE NEW.status END, OLD.status <> 'published');
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.leave_unpublished_tombstone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO tombstones (site_id, deleted_at, resource, resource_id, slug, language, status, published_only)
  VALUES (OLD.site_id, next_sequence(OLD.site_id), 'post', OLD.id, OLD.slug, OLD.language, OLD.status, true);
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.measure_training_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.wire_bytes := json_bytes(NEW.prompt) + json_bytes(NEW.completion);
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.slug_part(slug text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT get_byte(sha256(convert_to(slug, 'UTF8')), 0) % 32
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_slug_versions(versions text, parts integer[], version bigint)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
DECLARE
  part integer;
BEGIN
  FOREACH part IN ARRAY parts LOOP
    versions := overlay(versions PLACING lpad(to_hex(version), 11, '0') FROM part * 11 + 1);
  END LOOP;
  RETURN versions;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.slug_version(versions text, slug text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT ('x' || substr(versions, slug_part(slug) * 11 + 1, 11))::bit(44)::bigint
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_content_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE sites s
  SET (content_version, slug_versions, published_version, published_slug_versions, last_sequence) = (
    SELECT v, raise_slug_versions(s.slug_versions, c.parts, v),
      CASE WHEN c.published_parts IS NULL THEN s.published_version ELSE v END,
      raise_slug_versions(s.published_slug_versions, coalesce(c.published_parts, '{}'), v),
      greatest(s.last_sequence, c.highest)
    FROM next_version(greatest(s.content_version, s.published_version)) v
  )
  FROM (
    SELECT site_id, array_agg(DISTINCT slug_part(slug)) AS parts,
      array_agg(DISTINCT slug_part(slug)) FILTER (WHERE status = 'published') AS published_parts, max(updated_at) AS highest
    FROM changed GROUP BY site_id
  ) c
  WHERE s.id = c.site_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_content_version_for_updates()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE sites s
  SET (content_version, slug_versions, published_version, published_slug_versions, last_sequence) = (
    SELECT v, raise_slug_versions(s.slug_versions, c.parts, v),
      CASE WHEN c.published_parts IS NULL THEN s.published_version ELSE v END,
      raise_slug_versions(s.published_slug_versions, coalesce(c.published_parts, '{}'), v),
      greatest(s.last_sequence, c.highest)
    FROM next_version(greatest(s.content_version, s.published_version)) v
  )
  FROM (
    SELECT site_id, array_agg(DISTINCT slug_part(slug)) AS parts,
      array_agg(DISTINCT slug_part(slug)) FILTER (WHERE status = 'published') AS published_parts, max(updated_at) AS highest FROM (
      (SELECT id, site_id, slug, status, updated_at, title_folded FROM changed
      EXCEPT SELECT id, site_id, slug, status, updated_at, title_folded FROM removed)
      UNION ALL
      (SELECT id, site_id, slug, status, updated_at, title_folded FROM removed
      EXCEPT SELECT id, site_id, slug, status, updated_at, title_folded FROM changed)
    ) shown GROUP BY site_id
  ) c
  WHERE s.id = c.site_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_versions_of_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE sites SET (content_version, published_version) = (
    SELECT v, CASE WHEN TG_TABLE_NAME = 'redirects' THEN v ELSE published_version END
    FROM next_version(greatest(content_version, published_version)) v
  )
  WHERE id IN (SELECT site_id FROM changed);
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_all_versions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE sites SET (content_version, slug_versions, published_version, published_slug_versions) = (
    SELECT v, all_slug_versions(v), v, all_slug_versions(v) FROM next_version(greatest(content_version, published_version)) v
  );
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_own_content_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.content_version := next_version(greatest(OLD.content_version, OLD.published_version));
  NEW.slug_versions := all_slug_versions(NEW.content_version);
  NEW.published_version := NEW.content_version;
  NEW.published_slug_versions := NEW.slug_versions;
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_own_auth_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.auth_version := next_version(OLD.auth_version);
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_auth_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE sites SET auth_version = auth_version WHERE id = OLD.site_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.wire_time(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.json_bytes(value text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT coalesce(octet_length(to_json(value)::text), 0)
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.url_component(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT coalesce(string_agg(
    CASE WHEN part ~ '^[A-Za-z0-9._~-]$' THEN part
         ELSE regexp_replace(upper(encode(convert_to(part, 'UTF8'), 'hex')), '(..)', '%\1', 'g') END,
    '' ORDER BY ordinality), '')
  FROM regexp_split_to_table(value, '') WITH ORDINALITY AS t(part, ordinality)
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.url_bytes(slug text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE WHEN slug ~ '^[A-Za-z0-9._~-]*$' THEN octet_length(slug)
    ELSE 3 * octet_length(slug) - 2 * octet_length(regexp_replace(slug, '[^A-Za-z0-9._~-]', '', 'g')) END
$function$;
--> statement-breakpoint
CREATE TRIGGER audit_log_kept BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION keep_audit_log();
--> statement-breakpoint
CREATE TRIGGER audit_log_not_truncated BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_log();
--> statement-breakpoint
CREATE TRIGGER audit_log_refused BEFORE INSERT ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_entries();
--> statement-breakpoint
CREATE TRIGGER audit_log_acts BEFORE INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION begin_act();
--> statement-breakpoint
CREATE TRIGGER sites_logged AFTER INSERT OR DELETE OR UPDATE OF name, domain, default_language, post_path, guide_path, plan, daily_quota, training_opt_in, feed_content, preview_url, deletion_started_at ON public.sites FOR EACH ROW EXECUTE FUNCTION log_row('site', 'name domain default_language post_path guide_path plan daily_quota training_opt_in feed_content preview_url deletion_started_at');
--> statement-breakpoint
CREATE TRIGGER api_keys_logged AFTER INSERT OR DELETE OR UPDATE OF site_id, name, access, key_hash, last_four, expires_at, revoked_at ON public.api_keys FOR EACH ROW EXECUTE FUNCTION log_row('key', 'name access last_four expires_at revoked_at', 'site_id key_hash');
--> statement-breakpoint
CREATE TRIGGER preview_links_logged AFTER INSERT OR UPDATE OF site_id, post_id, token_hash, last_four, expires_at, revoked_at ON public.preview_links FOR EACH ROW EXECUTE FUNCTION log_row('preview_link', 'post_id last_four expires_at revoked_at', 'site_id token_hash');
--> statement-breakpoint
CREATE TRIGGER preview_links_deletion_logged AFTER DELETE ON public.preview_links FOR EACH ROW WHEN (((old.expires_at > now()) AND (pg_trigger_depth() = 0))) EXECUTE FUNCTION log_row('preview_link', 'post_id last_four expires_at revoked_at');
--> statement-breakpoint
CREATE TRIGGER webhook_endpoints_logged AFTER INSERT OR DELETE OR UPDATE OF url, events, secret_rotated_at ON public.webhook_endpoints FOR EACH ROW EXECUTE FUNCTION log_row('webhook', 'url events secret_rotated_at');
--> statement-breakpoint
CREATE TRIGGER webhook_further_endpoints_logged AFTER INSERT OR DELETE OR UPDATE OF url, events, secret_rotated_at ON public.webhook_further_endpoints FOR EACH ROW EXECUTE FUNCTION log_row('webhook', 'url events secret_rotated_at');
--> statement-breakpoint
CREATE TRIGGER operators_logged AFTER INSERT OR DELETE OR UPDATE ON public.operators FOR EACH ROW EXECUTE FUNCTION log_row('operator', 'name role sites');
--> statement-breakpoint
CREATE TRIGGER operator_tokens_logged AFTER INSERT OR DELETE OR UPDATE OF operator_id, token_hash, last_four, expires_at, revoked_at, maker_id, used_at ON public.operator_tokens FOR EACH ROW EXECUTE FUNCTION log_row('token', 'id maker_id last_four expires_at revoked_at used_at sent_to', 'operator_id token_hash');
--> statement-breakpoint
CREATE TRIGGER sites_sitemap_logged AFTER UPDATE OF sitemap_id ON public.sites FOR EACH ROW WHEN ((old.sitemap_id IS DISTINCT FROM new.sitemap_id)) EXECUTE FUNCTION log_sitemap();
--> statement-breakpoint
CREATE TRIGGER posts_inserted_logged AFTER INSERT ON public.posts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_posts();
--> statement-breakpoint
CREATE TRIGGER posts_updated_logged AFTER UPDATE ON public.posts REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_posts();
--> statement-breakpoint
CREATE TRIGGER guides_inserted_logged AFTER INSERT ON public.guides REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_guides();
--> statement-breakpoint
CREATE TRIGGER guides_updated_logged AFTER UPDATE ON public.guides REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_guides();
--> statement-breakpoint
CREATE TRIGGER posts_deletion_logged AFTER DELETE ON public.posts FOR EACH ROW EXECUTE FUNCTION log_article_deletion('post');
--> statement-breakpoint
CREATE TRIGGER guides_deletion_logged AFTER DELETE ON public.guides FOR EACH ROW EXECUTE FUNCTION log_article_deletion('guide');
--> statement-breakpoint
CREATE TRIGGER training_rows_inserted_logged AFTER INSERT ON public.training_rows REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION log_training_rows('training.added');
--> statement-breakpoint
CREATE TRIGGER training_rows_deleted_logged AFTER DELETE ON public.training_rows REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION log_training_rows('training.deleted');
--> statement-breakpoint
CREATE TRIGGER training_rows_opt_in_logged AFTER UPDATE OF opt_in ON public.training_rows FOR EACH ROW WHEN ((old.opt_in <> new.opt_in)) EXECUTE FUNCTION log_training_opt_in();
--> statement-breakpoint
CREATE TRIGGER redirects_logged AFTER INSERT OR DELETE OR UPDATE ON public.redirects FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION log_redirect();
--> statement-breakpoint
CREATE TRIGGER webhook_events_logged AFTER INSERT ON public.webhook_events FOR EACH ROW WHEN ((new.event = 'webhook.test'::text)) EXECUTE FUNCTION log_test_event();
--> statement-breakpoint
CREATE TRIGGER webhook_deliveries_logged AFTER INSERT ON public.webhook_deliveries FOR EACH ROW WHEN ((new.manual AND (new.resend_id IS NULL))) EXECUTE FUNCTION log_resend();
--> statement-breakpoint
CREATE TRIGGER webhook_resends_started_logged AFTER INSERT ON public.webhook_resends FOR EACH ROW WHEN ((new.total > 0)) EXECUTE FUNCTION log_resend_of_failed();
--> statement-breakpoint
CREATE TRIGGER webhook_resends_ended_logged AFTER UPDATE OF ended_at ON public.webhook_resends FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL))) EXECUTE FUNCTION log_resend_of_failed();
--> statement-breakpoint
CREATE TRIGGER console_sessions_logged AFTER INSERT ON public.console_sessions FOR EACH ROW EXECUTE FUNCTION log_sign_in();
--> statement-breakpoint
CREATE TRIGGER console_sessions_end_logged AFTER DELETE ON public.console_sessions FOR EACH ROW WHEN (((old.expires_at > now()) AND (pg_trigger_depth() = 0))) EXECUTE FUNCTION log_sign_out();
--> statement-breakpoint
CREATE TRIGGER console_sessions_ended_logged AFTER UPDATE OF ended_by ON public.console_sessions FOR EACH ROW WHEN (((old.ended_by IS NULL) AND (new.ended_by IS NOT NULL))) EXECUTE FUNCTION log_session_end();
--> statement-breakpoint
CREATE TRIGGER operators_removed AFTER DELETE ON public.operators FOR EACH ROW EXECUTE FUNCTION end_made_by();
--> statement-breakpoint
CREATE TRIGGER operators_restricted AFTER UPDATE OF role, sites ON public.operators FOR EACH ROW WHEN (((old.role <> new.role) OR (old.sites IS DISTINCT FROM new.sites))) EXECUTE FUNCTION end_made_by();
--> statement-breakpoint
CREATE TRIGGER preview_links_made BEFORE INSERT ON public.preview_links FOR EACH ROW WHEN ((new.made_by IS NOT NULL)) EXECUTE FUNCTION require_link_maker();
--> statement-breakpoint
CREATE TRIGGER operator_tokens_made BEFORE INSERT ON public.operator_tokens FOR EACH ROW WHEN ((new.made_by <> new.operator_id)) EXECUTE FUNCTION require_token_maker();
--> statement-breakpoint
CREATE TRIGGER posts_events_inserted AFTER INSERT ON public.posts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();
--> statement-breakpoint
CREATE TRIGGER posts_events_updated AFTER UPDATE ON public.posts REFERENCING OLD TABLE AS removed NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();
--> statement-breakpoint
CREATE TRIGGER posts_events_deleted AFTER DELETE ON public.posts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_post_events();
--> statement-breakpoint
CREATE TRIGGER guides_derive BEFORE INSERT OR UPDATE ON public.guides FOR EACH ROW EXECUTE FUNCTION derive_guide();
--> statement-breakpoint
CREATE TRIGGER guides_stamp BEFORE INSERT OR UPDATE ON public.guides FOR EACH ROW EXECUTE FUNCTION stamp_guide();
--> statement-breakpoint
CREATE TRIGGER operator_tokens_bound BEFORE INSERT ON public.operator_tokens FOR EACH ROW WHEN ((new.maker_id IS NOT NULL)) EXECUTE FUNCTION bound_token();
--> statement-breakpoint
CREATE TRIGGER operator_tokens_ended AFTER UPDATE OF expires_at, revoked_at ON public.operator_tokens FOR EACH ROW EXECUTE FUNCTION end_made_tokens();
--> statement-breakpoint
CREATE TRIGGER sites_forgotten AFTER DELETE ON public.sites FOR EACH ROW EXECUTE FUNCTION forget_site();
--> statement-breakpoint
CREATE TRIGGER posts_derive BEFORE INSERT OR UPDATE ON public.posts FOR EACH ROW EXECUTE FUNCTION derive_post();
--> statement-breakpoint
CREATE TRIGGER posts_stamp BEFORE INSERT OR UPDATE ON public.posts FOR EACH ROW EXECUTE FUNCTION stamp_post();
--> statement-breakpoint
CREATE TRIGGER posts_count_inserted AFTER INSERT ON public.posts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_posts();
--> statement-breakpoint
CREATE TRIGGER posts_count_updated AFTER UPDATE ON public.posts REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_posts();
--> statement-breakpoint
CREATE TRIGGER posts_count_deleted AFTER DELETE ON public.posts REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_posts();
--> statement-breakpoint
CREATE TRIGGER posts_titles_inserted AFTER INSERT ON public.posts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION copy_titles();
--> statement-breakpoint
CREATE TRIGGER posts_titles_updated AFTER UPDATE ON public.posts REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION copy_titles();
--> statement-breakpoint
CREATE TRIGGER posts_titles_deleted AFTER DELETE ON public.posts REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION copy_titles();
--> statement-breakpoint
CREATE TRIGGER posts_truncated AFTER TRUNCATE ON public.posts FOR EACH STATEMENT EXECUTE FUNCTION truncate_post_copies();
--> statement-breakpoint
CREATE TRIGGER posts_renamed AFTER UPDATE ON public.posts FOR EACH ROW WHEN ((old.slug <> new.slug)) EXECUTE FUNCTION leave_redirect('post');
--> statement-breakpoint
CREATE TRIGGER guides_renamed AFTER UPDATE ON public.guides FOR EACH ROW WHEN ((old.slug <> new.slug)) EXECUTE FUNCTION leave_redirect('guide');
--> statement-breakpoint
CREATE TRIGGER posts_take_slugs AFTER INSERT ON public.posts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION take_slugs('post');
--> statement-breakpoint
CREATE TRIGGER guides_take_slugs AFTER INSERT ON public.guides REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION take_slugs('guide');
--> statement-breakpoint
CREATE TRIGGER posts_end_redirects AFTER DELETE ON public.posts REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION end_redirects('post');
--> statement-breakpoint
CREATE TRIGGER guides_end_redirects AFTER DELETE ON public.guides REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION end_redirects('guide');
--> statement-breakpoint
CREATE TRIGGER posts_sitemap_inserted AFTER INSERT ON public.posts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('post');
--> statement-breakpoint
CREATE TRIGGER posts_sitemap_updated AFTER UPDATE ON public.posts REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('post');
--> statement-breakpoint
CREATE TRIGGER posts_sitemap_deleted AFTER DELETE ON public.posts REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('post');
--> statement-breakpoint
CREATE TRIGGER guides_sitemap_inserted AFTER INSERT ON public.guides REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('guide');
--> statement-breakpoint
CREATE TRIGGER guides_sitemap_updated AFTER UPDATE ON public.guides REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('guide');
--> statement-breakpoint
CREATE TRIGGER guides_sitemap_deleted AFTER DELETE ON public.guides REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('guide');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER sitemap_sections_full AFTER INSERT OR UPDATE ON public.sitemap_sections DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.urls > 5000)) EXECUTE FUNCTION cut_sitemap_section();
--> statement-breakpoint
CREATE TRIGGER posts_sitemap_truncated AFTER TRUNCATE ON public.posts FOR EACH STATEMENT EXECUTE FUNCTION forget_sitemap_sections('post');
--> statement-breakpoint
CREATE TRIGGER guides_sitemap_truncated AFTER TRUNCATE ON public.guides FOR EACH STATEMENT EXECUTE FUNCTION forget_sitemap_sections('guide');
--> statement-breakpoint
CREATE TRIGGER posts_leave_tombstone_updated BEFORE UPDATE ON public.posts FOR EACH ROW WHEN ((old.slug <> new.slug)) EXECUTE FUNCTION leave_post_tombstone();
--> statement-breakpoint
CREATE TRIGGER posts_leave_tombstone_deleted BEFORE DELETE ON public.posts FOR EACH ROW EXECUTE FUNCTION leave_post_tombstone();
--> statement-breakpoint
CREATE TRIGGER posts_leave_tombstone_moved BEFORE UPDATE ON public.posts FOR EACH ROW WHEN (((old.site_id <> new.site_id) AND (old.slug = new.slug))) EXECUTE FUNCTION leave_post_tombstone();
--> statement-breakpoint
CREATE TRIGGER guides_leave_tombstone_updated BEFORE UPDATE ON public.guides FOR EACH ROW WHEN (((old.slug <> new.slug) OR ((old.status = 'published'::text) AND (new.status <> 'published'::text)))) EXECUTE FUNCTION leave_guide_tombstone();
--> statement-breakpoint
CREATE TRIGGER guides_leave_tombstone_deleted BEFORE DELETE ON public.guides FOR EACH ROW EXECUTE FUNCTION leave_guide_tombstone();
--> statement-breakpoint
CREATE TRIGGER guides_leave_tombstone_moved BEFORE UPDATE ON public.guides FOR EACH ROW WHEN (((old.site_id <> new.site_id) AND (old.slug = new.slug) AND (NOT ((old.status = 'published'::text) AND (new.status <> 'published'::text))))) EXECUTE FUNCTION leave_guide_tombstone();
--> statement-breakpoint
CREATE TRIGGER posts_leave_tombstone_unpublished BEFORE UPDATE ON public.posts FOR EACH ROW WHEN (((old.status = 'published'::text) AND (new.status <> 'published'::text) AND (old.slug = new.slug))) EXECUTE FUNCTION leave_unpublished_tombstone();
--> statement-breakpoint
CREATE TRIGGER training_rows_measure BEFORE INSERT OR UPDATE ON public.training_rows FOR EACH ROW EXECUTE FUNCTION measure_training_row();
--> statement-breakpoint
CREATE TRIGGER posts_inserted AFTER INSERT ON public.posts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();
--> statement-breakpoint
CREATE TRIGGER posts_deleted AFTER DELETE ON public.posts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();
--> statement-breakpoint
CREATE TRIGGER guides_inserted AFTER INSERT ON public.guides REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();
--> statement-breakpoint
CREATE TRIGGER guides_deleted AFTER DELETE ON public.guides REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version();
--> statement-breakpoint
CREATE TRIGGER posts_updated AFTER UPDATE ON public.posts REFERENCING OLD TABLE AS removed NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version_for_updates();
--> statement-breakpoint
CREATE TRIGGER guides_updated AFTER UPDATE ON public.guides REFERENCING OLD TABLE AS removed NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_content_version_for_updates();
--> statement-breakpoint
CREATE TRIGGER redirects_inserted AFTER INSERT ON public.redirects REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
--> statement-breakpoint
CREATE TRIGGER redirects_updated AFTER UPDATE ON public.redirects REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
--> statement-breakpoint
CREATE TRIGGER redirects_deleted AFTER DELETE ON public.redirects REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
--> statement-breakpoint
CREATE TRIGGER training_rows_inserted AFTER INSERT ON public.training_rows REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
--> statement-breakpoint
CREATE TRIGGER training_rows_updated AFTER UPDATE ON public.training_rows REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
--> statement-breakpoint
CREATE TRIGGER training_rows_deleted AFTER DELETE ON public.training_rows REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_versions_of_changed();
--> statement-breakpoint
CREATE TRIGGER posts_truncated_versions AFTER TRUNCATE ON public.posts FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();
--> statement-breakpoint
CREATE TRIGGER guides_truncated AFTER TRUNCATE ON public.guides FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();
--> statement-breakpoint
CREATE TRIGGER redirects_truncated AFTER TRUNCATE ON public.redirects FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();
--> statement-breakpoint
CREATE TRIGGER training_rows_truncated AFTER TRUNCATE ON public.training_rows FOR EACH STATEMENT EXECUTE FUNCTION raise_all_versions();
--> statement-breakpoint
CREATE TRIGGER sites_content_version BEFORE UPDATE OF name, domain, default_language, post_path, guide_path, feed_content ON public.sites FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.domain IS DISTINCT FROM new.domain) OR (old.default_language IS DISTINCT FROM new.default_language) OR (old.post_path IS DISTINCT FROM new.post_path) OR (old.guide_path IS DISTINCT FROM new.guide_path) OR (old.feed_content IS DISTINCT FROM new.feed_content))) EXECUTE FUNCTION raise_own_content_version();
--> statement-breakpoint
CREATE TRIGGER sites_auth_version BEFORE UPDATE OF name, domain, default_language, post_path, guide_path, plan, daily_quota, training_opt_in, sitemap_id, feed_content, preview_url, deletion_started_at, auth_version ON public.sites FOR EACH ROW EXECUTE FUNCTION raise_own_auth_version();
--> statement-breakpoint
CREATE TRIGGER api_keys_updated AFTER UPDATE OF site_id, access, key_hash, expires_at, revoked_at ON public.api_keys FOR EACH ROW EXECUTE FUNCTION raise_auth_version();
--> statement-breakpoint
CREATE TRIGGER api_keys_deleted AFTER DELETE ON public.api_keys FOR EACH ROW EXECUTE FUNCTION raise_auth_version();
--> statement-breakpoint
CREATE TRIGGER preview_links_updated AFTER UPDATE OF site_id, post_id, token_hash, expires_at, revoked_at ON public.preview_links FOR EACH ROW EXECUTE FUNCTION raise_auth_version();
--> statement-breakpoint
CREATE TRIGGER preview_links_deleted AFTER DELETE ON public.preview_links FOR EACH ROW WHEN ((old.expires_at > now())) EXECUTE FUNCTION raise_auth_version();
