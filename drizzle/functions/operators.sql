-- Rules for operators and their tokens, also for manual SQL.

-- Row trigger: only admins create tokens for others, and no token outlives the one that created it. The locks make a
-- concurrent removal of the admin or revocation of that token wait, so that it also covers this one.
CREATE FUNCTION check_token_maker() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  latest timestamptz;
BEGIN
  IF NEW.made_by <> NEW.operator_id THEN
    PERFORM FROM operators WHERE id = NEW.made_by AND role = 'admin' FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'The person who makes this token is not an admin' USING ERRCODE = 'HC002';
    END IF;
  END IF;
  IF NEW.maker_id IS NOT NULL THEN
    SELECT expires_at INTO latest FROM operator_tokens
    WHERE id = NEW.maker_id AND revoked_at IS NULL AND expires_at > now() FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'The token that makes this one has ended' USING ERRCODE = 'HC002';
    END IF;
    NEW.expires_at := least(NEW.expires_at, latest);
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER operator_tokens_made BEFORE INSERT ON operator_tokens
  FOR EACH ROW EXECUTE FUNCTION check_token_maker();

-- Row trigger: when a token is revoked or expires earlier, so do the tokens created with it, recursively.
CREATE FUNCTION end_made_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE operator_tokens
  SET expires_at = least(expires_at, NEW.expires_at), revoked_at = coalesce(revoked_at, NEW.revoked_at)
  WHERE maker_id = NEW.id AND (expires_at > NEW.expires_at OR (revoked_at IS NULL AND NEW.revoked_at IS NOT NULL));
  RETURN NULL;
END
$$;

CREATE TRIGGER operator_tokens_ended AFTER UPDATE OF expires_at, revoked_at ON operator_tokens
  FOR EACH ROW EXECUTE FUNCTION end_made_tokens();

-- Call it at the end of a transaction that removes an admin. Fails if nobody is left who can sign in and add operators.
CREATE FUNCTION require_admin(needs_token boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM operators o WHERE o.role = 'admin' AND (NOT needs_token OR EXISTS (
      SELECT FROM operator_tokens t WHERE t.operator_id = o.id AND t.kind = 'token' AND t.revoked_at IS NULL AND t.expires_at > now()))
  ) THEN
    RAISE EXCEPTION 'No admin would be left who can sign in' USING ERRCODE = 'HC003';
  END IF;
END
$$;

-- Row trigger: removes a deleted site from operators. An empty list means no sites, null means all.
CREATE FUNCTION forget_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE operators SET sites = array_remove(sites, OLD.id) WHERE OLD.id = ANY (sites);
  RETURN NULL;
END
$$;

CREATE TRIGGER sites_forgotten AFTER DELETE ON sites
  FOR EACH ROW EXECUTE FUNCTION forget_site();
