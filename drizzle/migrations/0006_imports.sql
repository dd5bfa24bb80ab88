CREATE TABLE "import_parts" (
	"import_id" uuid NOT NULL,
	"is_converted" boolean NOT NULL,
	"number" integer NOT NULL,
	"content" text NOT NULL,
	CONSTRAINT "import_parts_import_id_is_converted_number_pk" PRIMARY KEY("import_id","is_converted","number")
);
--> statement-breakpoint
CREATE TABLE "imports" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"site_id" uuid NOT NULL,
	"name" text NOT NULL,
	"source" text NOT NULL,
	"options" jsonb NOT NULL,
	"phase" text DEFAULT 'uploading' NOT NULL,
	"started_by_id" uuid,
	"started_by" text,
	"address" text NOT NULL,
	"changeset_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"turn" integer DEFAULT 0 NOT NULL,
	"turned_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"is_running" boolean DEFAULT false NOT NULL,
	"killed" integer DEFAULT 0 NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"total" integer,
	"report" jsonb,
	"problem" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "imports_source" CHECK ("imports"."source" in ('markdown', 'wordpress', 'ghost', 'ndjson')),
	CONSTRAINT "imports_phase" CHECK ("imports"."phase" in ('uploading', 'checking', 'checked', 'importing', 'ended'))
);
--> statement-breakpoint
ALTER TABLE "import_parts" ADD CONSTRAINT "import_parts_import_id_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "imports_active" ON "imports" USING btree ("site_id") WHERE "imports"."phase" in ('checking', 'importing');--> statement-breakpoint
CREATE INDEX "imports_by_site" ON "imports" USING btree ("site_id","created_at","id");