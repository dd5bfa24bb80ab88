CREATE FUNCTION all_slug_versions(version bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT repeat(lpad(to_hex(version), 11, '0'), 32)
$$;
--> statement-breakpoint
ALTER TABLE "sites" ADD COLUMN "slug_versions" text DEFAULT all_slug_versions(next_version(0)) NOT NULL;
--> statement-breakpoint
DROP TRIGGER guides_moved ON guides;
--> statement-breakpoint
DROP TRIGGER posts_moved ON posts;
--> statement-breakpoint
-- Contract: only triggers called it, and none does any more.
DROP FUNCTION leave_site();
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_content_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE sites s
  SET (content_version, slug_versions, last_sequence) = (
    SELECT v, raise_slug_versions(s.slug_versions, c.parts, v), greatest(s.last_sequence, c.highest)
    FROM next_version(s.content_version) v
  )
  FROM (
    SELECT site_id, array_agg(DISTINCT slug_part(slug)) AS parts, max(updated_at) AS highest
    FROM changed GROUP BY site_id
  ) c
  WHERE s.id = c.site_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_own_content_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.content_version := next_version(OLD.content_version);
  NEW.slug_versions := all_slug_versions(NEW.content_version);
  RETURN NEW;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_content_version_for_updates()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE sites s
  SET (content_version, slug_versions, last_sequence) = (
    SELECT v, raise_slug_versions(s.slug_versions, c.parts, v), greatest(s.last_sequence, c.highest)
    FROM next_version(s.content_version) v
  )
  FROM (
    SELECT site_id, array_agg(DISTINCT slug_part(slug)) AS parts, max(updated_at) AS highest FROM (
      (SELECT id, site_id, slug, updated_at, title_folded FROM changed
      EXCEPT SELECT id, site_id, slug, updated_at, title_folded FROM removed)
      UNION ALL
      (SELECT id, site_id, slug, updated_at, title_folded FROM removed
      EXCEPT SELECT id, site_id, slug, updated_at, title_folded FROM changed)
    ) shown GROUP BY site_id
  ) c
  WHERE s.id = c.site_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_all_versions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE sites SET (content_version, slug_versions) = (
    SELECT v, all_slug_versions(v) FROM next_version(content_version) v
  );
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.slug_part(slug text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT get_byte(sha256(convert_to(slug, 'UTF8')), 0) % 32
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_slug_versions(versions text, parts integer[], version bigint)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
DECLARE
  part integer;
BEGIN
  FOREACH part IN ARRAY parts LOOP
    versions := overlay(versions PLACING lpad(to_hex(version), 11, '0') FROM part * 11 + 1);
  END LOOP;
  RETURN versions;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.slug_version(versions text, slug text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT ('x' || substr(versions, slug_part(slug) * 11 + 1, 11))::bit(44)::bigint
$function$;
