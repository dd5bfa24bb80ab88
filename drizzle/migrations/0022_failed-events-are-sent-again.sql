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
DROP INDEX "webhook_events_failed";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "resend_id" uuid;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD COLUMN "resend_id" uuid;--> statement-breakpoint
ALTER TABLE "webhook_resends" ADD CONSTRAINT "webhook_resends_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_resends_active" ON "webhook_resends" USING btree ("site_id") WHERE "webhook_resends"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_resends_by_site" ON "webhook_resends" USING btree ("site_id","started_at","id");--> statement-breakpoint
-- Contract: the column is new, and the Worker of before leaves it null.
CREATE UNIQUE INDEX CONCURRENTLY "webhook_deliveries_by_resend" ON "webhook_deliveries" USING btree ("resend_id","event_id") WHERE "webhook_deliveries"."resend_id" is not null;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_events_failed_newest" ON "webhook_events" USING btree ("site_id","created_at","id","event") WHERE "webhook_events"."state" = 'failed';--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_events_resending" ON "webhook_events" USING btree ("resend_id") WHERE "webhook_events"."resend_id" is not null and "webhook_events"."state" in ('pending', 'sending');
--> statement-breakpoint
DROP TRIGGER webhook_deliveries_logged ON webhook_deliveries;
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
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
      NEW.id, jsonb_build_object(
        'arrived', count(*) FILTER (WHERE d.error IS NULL AND d.status IS NOT NULL),
        'failed', count(*) FILTER (WHERE d.error IS NOT NULL),
        'not_sent', greatest(NEW.total - count(*), 0))
    FROM webhook_deliveries d WHERE d.site_id = NEW.site_id AND d.resend_id = NEW.id;
  END IF;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE TRIGGER webhook_deliveries_logged AFTER INSERT ON public.webhook_deliveries FOR EACH ROW WHEN ((new.manual AND (new.resend_id IS NULL))) EXECUTE FUNCTION log_resend();
--> statement-breakpoint
CREATE TRIGGER webhook_resends_started_logged AFTER INSERT ON public.webhook_resends FOR EACH ROW WHEN ((new.total > 0)) EXECUTE FUNCTION log_resend_of_failed();
--> statement-breakpoint
CREATE TRIGGER webhook_resends_ended_logged AFTER UPDATE OF ended_at ON public.webhook_resends FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL))) EXECUTE FUNCTION log_resend_of_failed();
