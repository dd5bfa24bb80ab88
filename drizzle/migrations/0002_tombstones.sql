CREATE TABLE "tombstones" (
	"site_id" uuid NOT NULL,
	"deleted_at" timestamp (3) with time zone NOT NULL,
	"resource" text NOT NULL,
	"resource_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"language" text,
	"status" text NOT NULL,
	CONSTRAINT "tombstones_site_id_deleted_at_pk" PRIMARY KEY("site_id","deleted_at")
);
--> statement-breakpoint
ALTER TABLE "tombstones" ADD CONSTRAINT "tombstones_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "tombstones_age" ON "tombstones" USING btree ("deleted_at");