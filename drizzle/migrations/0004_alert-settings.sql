CREATE TABLE "alert_settings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slack_url" text,
	"slack_host" text,
	"slack_set_at" timestamp (3) with time zone,
	"email_to" text[],
	"after_failures" integer,
	CONSTRAINT "alert_settings_one" CHECK ("alert_settings"."id" = '5a1e6f0c-2f1b-4c57-9d3e-0a6c1e7b4d21')
);

--> statement-breakpoint
CREATE TRIGGER alert_settings_logged AFTER INSERT OR DELETE OR UPDATE ON public.alert_settings FOR EACH ROW EXECUTE FUNCTION log_row('alerts', 'slack_set_at email_to after_failures');
