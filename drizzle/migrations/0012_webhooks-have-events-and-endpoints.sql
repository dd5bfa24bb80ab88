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
ALTER TABLE "webhook_endpoints" ADD COLUMN "events" text[];--> statement-breakpoint
ALTER TABLE "webhook_events" ADD COLUMN "endpoint_id" uuid;--> statement-breakpoint
ALTER TABLE "webhook_further_endpoints" ADD CONSTRAINT "webhook_further_endpoints_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_further_endpoints_by_site" ON "webhook_further_endpoints" USING btree ("site_id","created_at","id");
--> statement-breakpoint
DROP TRIGGER webhook_endpoints_logged ON webhook_endpoints;
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
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
BEGIN
  IF TG_OP = 'UPDATE' AND before IS NULL AND after IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO audit_log (site_id, action, resource_id, subject, before, after)
  VALUES (
    (current_row ->> CASE noun WHEN 'site' THEN 'id' ELSE 'site_id' END)::uuid,
    noun || '.' || CASE
      WHEN TG_OP = 'INSERT' THEN 'created'
      WHEN TG_OP = 'DELETE' THEN 'deleted'
      WHEN after ? 'revoked_at' THEN 'revoked'
      WHEN after ? 'secret_rotated_at' THEN 'secret_rotated'
      WHEN after ? 'deletion_started_at' THEN 'deletion_started'
      ELSE 'updated' END,
    (current_row ->> CASE WHEN noun = 'token' THEN 'operator_id' WHEN current_row ? 'id' THEN 'id' ELSE 'site_id' END)::uuid,
    coalesce(current_row ->> 'name', '…' || (current_row ->> 'last_four')),
    before,
    after
  );
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE TRIGGER webhook_endpoints_logged AFTER INSERT OR DELETE OR UPDATE OF url, events, secret_rotated_at ON public.webhook_endpoints FOR EACH ROW EXECUTE FUNCTION log_row('webhook', 'url events secret_rotated_at');
--> statement-breakpoint
CREATE TRIGGER webhook_further_endpoints_logged AFTER INSERT OR DELETE OR UPDATE OF url, events, secret_rotated_at ON public.webhook_further_endpoints FOR EACH ROW EXECUTE FUNCTION log_row('webhook', 'url events secret_rotated_at');
