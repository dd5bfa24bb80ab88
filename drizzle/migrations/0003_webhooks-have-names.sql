ALTER TABLE "webhook_endpoints" ADD COLUMN "name" text;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_events_recent" ON "webhook_events" USING btree ("site_id","created_at","endpoint_id","state");
--> statement-breakpoint
-- Contract: the next statement creates it again in this transaction. An earlier Worker never writes the name.
DROP TRIGGER webhook_endpoints_logged ON webhook_endpoints;
--> statement-breakpoint
CREATE TRIGGER webhook_endpoints_logged AFTER INSERT OR DELETE OR UPDATE OF name, url, events, secret_rotated_at ON public.webhook_endpoints FOR EACH ROW EXECUTE FUNCTION log_row('webhook', 'name url events secret_rotated_at');
