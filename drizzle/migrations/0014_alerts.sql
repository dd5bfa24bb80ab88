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
CREATE TABLE "webhook_streaks" (
	"endpoint_id" uuid PRIMARY KEY NOT NULL,
	"site_id" uuid NOT NULL,
	"failures" integer NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"alerted_after" integer
);
--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_streaks" ADD CONSTRAINT "webhook_streaks_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alerts_by_site" ON "alerts" USING btree ("site_id","created_at","id");--> statement-breakpoint
CREATE INDEX "alerts_told" ON "alerts" USING btree ("site_id","told_at");--> statement-breakpoint
CREATE INDEX "alerts_open" ON "alerts" USING btree ("site_id") WHERE "alerts"."state" in ('pending', 'sending');--> statement-breakpoint
CREATE INDEX "alerts_age" ON "alerts" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_waiting" ON "alerts" USING btree ("site_id","endpoint_id","kind") WHERE "alerts"."state" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_quota" ON "alerts" USING btree ("site_id","quota_key");--> statement-breakpoint
CREATE INDEX "webhook_streaks_by_site" ON "webhook_streaks" USING btree ("site_id");