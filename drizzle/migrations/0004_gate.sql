ALTER TABLE "sites" ADD COLUMN "gate_version" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE FUNCTION raise_gate_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.gate_version := OLD.gate_version + 1;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER sites_gate BEFORE UPDATE OF
    name, domain, default_language, post_path, guide_path, plan, daily_quota, training_opt_in, gate_version ON sites
  FOR EACH ROW EXECUTE FUNCTION raise_gate_version();
--> statement-breakpoint
-- When a key was last used is no change of what it opens.
CREATE FUNCTION raise_gate_of_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites SET gate_version = gate_version WHERE id = OLD.site_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER api_keys_gate AFTER UPDATE OF site_id, access, key_hash, expires_at, revoked_at ON api_keys
  FOR EACH ROW EXECUTE FUNCTION raise_gate_of_keys();
--> statement-breakpoint
CREATE TRIGGER api_keys_gone AFTER DELETE ON api_keys
  FOR EACH ROW EXECUTE FUNCTION raise_gate_of_keys();
