-- Versions are times, in milliseconds: a database that is restored to an earlier point gives out none a second time.
CREATE FUNCTION next_version(last bigint) RETURNS bigint LANGUAGE sql AS $$
  SELECT greatest(last + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
$$;
--> statement-breakpoint
ALTER TABLE "sites" ALTER COLUMN "content_version" SET DEFAULT next_version(0);
--> statement-breakpoint
ALTER TABLE "sites" ALTER COLUMN "gate_version" SET DEFAULT next_version(0);
--> statement-breakpoint
CREATE OR REPLACE FUNCTION raise_content_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites s
  SET content_version = next_version(s.content_version), last_tick = greatest(s.last_tick, c.newest)
  FROM (SELECT site_id, max(updated_at) AS newest FROM changed GROUP BY site_id) c
  WHERE s.id = c.site_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION raise_site_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.content_version := next_version(OLD.content_version);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION raise_gate_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.gate_version := next_version(OLD.gate_version);
  RETURN NEW;
END
$$;
--> statement-breakpoint
-- The versions so far were counted from one. Naming gate_version raises it.
UPDATE sites SET content_version = next_version(content_version), gate_version = gate_version;
