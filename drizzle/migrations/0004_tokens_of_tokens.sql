ALTER TABLE "operator_tokens" ADD COLUMN "maker_id" uuid;
--> statement-breakpoint
-- Contract: no Worker of before writes this column.
ALTER TABLE "operator_tokens" ADD CONSTRAINT "operator_tokens_maker_id_operator_tokens_id_fk" FOREIGN KEY ("maker_id") REFERENCES "public"."operator_tokens"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "operator_tokens_by_maker" ON "operator_tokens" USING btree ("maker_id");
--> statement-breakpoint
-- Row trigger: a token never outlives the one with which it was made. The lock makes a revocation of that one wait, and see
-- this one.
CREATE FUNCTION bound_token() RETURNS trigger LANGUAGE plpgsql AS $$
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
$$;
--> statement-breakpoint
CREATE TRIGGER operator_tokens_bound BEFORE INSERT ON operator_tokens
  FOR EACH ROW WHEN (NEW.maker_id IS NOT NULL) EXECUTE FUNCTION bound_token();
--> statement-breakpoint
-- Row trigger: what was made with a token ends with it, and so on with what was made with that.
CREATE FUNCTION end_made_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE operator_tokens
  SET expires_at = least(expires_at, NEW.expires_at), revoked_at = coalesce(revoked_at, NEW.revoked_at)
  WHERE maker_id = NEW.id AND (expires_at > NEW.expires_at OR (revoked_at IS NULL AND NEW.revoked_at IS NOT NULL));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER operator_tokens_ended AFTER UPDATE OF expires_at, revoked_at ON operator_tokens
  FOR EACH ROW EXECUTE FUNCTION end_made_tokens();
--> statement-breakpoint
-- Which token made which: by their ids.
DROP TRIGGER operator_tokens_logged ON operator_tokens;
--> statement-breakpoint
CREATE TRIGGER operator_tokens_logged AFTER INSERT OR UPDATE OF expires_at, revoked_at ON operator_tokens
  FOR EACH ROW EXECUTE FUNCTION log_row('token', 'id maker_id last_four expires_at revoked_at');
--> statement-breakpoint
-- For the end of a transaction that takes an admin away: somebody is left who can sign in and let others in.
CREATE FUNCTION require_admin(needs_token boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM operators o WHERE o.role = 'admin' AND (NOT needs_token OR EXISTS (
      SELECT FROM operator_tokens t WHERE t.operator_id = o.id AND t.revoked_at IS NULL AND t.expires_at > now()))
  ) THEN
    RAISE EXCEPTION 'No admin would be left who can sign in' USING ERRCODE = 'HC003';
  END IF;
END
$$;
