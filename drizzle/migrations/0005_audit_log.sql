CREATE INDEX CONCURRENTLY "audit_log_refusals" ON "audit_log" USING btree ("at") WHERE "audit_log"."action" in ('operator.refused', 'operator.sign_in_failed');
--> statement-breakpoint
-- Of two rows as JSON, the named fields in which the first differs from the second; null if there are none. A hash is not
-- shown, and a URL may have a secret in its query.
CREATE OR REPLACE FUNCTION differing(one jsonb, other jsonb, fields text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_object_agg(field, CASE
    WHEN field = 'url' THEN to_jsonb(split_part(one ->> 'url', '?', 1))
    WHEN field LIKE '%\_hash' THEN to_jsonb('not shown'::text)
    ELSE one -> field END)
  FROM unnest(fields) AS field
  WHERE one ->> field IS DISTINCT FROM other ->> field AND one ->> field IS NOT NULL
$$;
--> statement-breakpoint
-- Row trigger: a write of a noun (first argument) in the audit log, with what changed of these fields (second), and in an
-- update of these too (third).
CREATE OR REPLACE FUNCTION log_row() RETURNS trigger LANGUAGE plpgsql AS $$
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
    (current_row ->> CASE noun WHEN 'webhook' THEN 'site_id' WHEN 'token' THEN 'operator_id' ELSE 'id' END)::uuid,
    coalesce(current_row ->> 'name', '…' || (current_row ->> 'last_four')),
    before,
    after
  );
  RETURN NULL;
END
$$;
--> statement-breakpoint
DROP TRIGGER api_keys_logged ON api_keys;
--> statement-breakpoint
CREATE TRIGGER api_keys_logged AFTER INSERT OR DELETE OR UPDATE OF
    site_id, name, access, key_hash, last_four, expires_at, revoked_at
  ON api_keys
  FOR EACH ROW EXECUTE FUNCTION log_row('key', 'name access last_four expires_at revoked_at', 'site_id key_hash');
--> statement-breakpoint
DROP TRIGGER operator_tokens_logged ON operator_tokens;
--> statement-breakpoint
CREATE TRIGGER operator_tokens_logged AFTER INSERT OR DELETE OR UPDATE OF
    operator_id, token_hash, last_four, expires_at, revoked_at, maker_id
  ON operator_tokens
  FOR EACH ROW EXECUTE FUNCTION log_row('token', 'id maker_id last_four expires_at revoked_at', 'operator_id token_hash');
--> statement-breakpoint
-- Row trigger: the end of a session of the console. One that goes with its token has that entry.
CREATE FUNCTION log_sign_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_log (action) VALUES ('operator.signed_out');
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER console_sessions_end_logged AFTER DELETE ON console_sessions
  FOR EACH ROW WHEN (OLD.expires_at > now() AND pg_trigger_depth() = 0) EXECUTE FUNCTION log_sign_out();
--> statement-breakpoint
-- A refused write, or a token that signs in nowhere. Whoever is refused may ask again and again, and anybody may try a token:
-- the same is logged once a minute, and of each operator, and of all wrong tokens, at most 60 a minute and 300 an hour. The
-- lock is for those that come at the same time.
CREATE FUNCTION log_refusal(kind text, what text) RETURNS void LANGUAGE plpgsql AS $$
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
    INSERT INTO audit_log (action, subject) VALUES (kind, left(what, 300));
  END IF;
END
$$;
--> statement-breakpoint
-- Entries are written as the owner of the tables, so that no other role needs to be able to.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['log_row()', 'log_sitemap()', 'log_test_event()', 'log_resend()', 'log_sign_in()',
    'log_sign_out()', 'log_posts()', 'log_guides()', 'log_article_deletion()', 'log_training_rows()',
    'log_training_opt_in()', 'log_refusal(text, text)']
  LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = public, pg_temp', name);
  END LOOP;
END
$$;
--> statement-breakpoint
-- Statement trigger: no other role is, whatever it was granted, before this or after.
CREATE FUNCTION refuse_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_has_role(current_user, (SELECT relowner FROM pg_catalog.pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RAISE EXCEPTION 'The audit log is written by triggers alone' USING ERRCODE = '42501';
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER audit_log_refused BEFORE INSERT ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_entries();
