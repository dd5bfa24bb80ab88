CREATE TABLE "daily_key_usage" (
	"site_id" uuid NOT NULL,
	"day" date NOT NULL,
	"key_id" uuid NOT NULL,
	"requests" integer NOT NULL,
	CONSTRAINT "daily_key_usage_site_id_day_key_id_pk" PRIMARY KEY("site_id","day","key_id")
);
--> statement-breakpoint
ALTER TABLE "daily_key_usage" ADD CONSTRAINT "daily_key_usage_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- Contract: every entry has one since the migration before.
ALTER TABLE "audit_log" ALTER COLUMN "act_id" SET NOT NULL;--> statement-breakpoint
CREATE OR REPLACE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '400 days' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'The audit log is append-only';
END
$$;
