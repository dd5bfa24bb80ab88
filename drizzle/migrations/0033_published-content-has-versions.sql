ALTER TABLE "sites" ADD COLUMN "published_version" bigint DEFAULT next_version(0) NOT NULL;--> statement-breakpoint
ALTER TABLE "sites" ADD COLUMN "published_slug_versions" text DEFAULT all_slug_versions(next_version(0)) NOT NULL;
--> statement-breakpoint
-- Tags that clients have of published content stay valid.
UPDATE "sites" SET "published_version" = "content_version", "published_slug_versions" = "slug_versions";
--> statement-breakpoint
SET LOCAL check_function_bodies = off;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_content_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE sites s
  SET (content_version, slug_versions, published_version, published_slug_versions, last_sequence) = (
    SELECT v, raise_slug_versions(s.slug_versions, c.parts, v),
      CASE WHEN c.published_parts IS NULL THEN s.published_version ELSE v END,
      raise_slug_versions(s.published_slug_versions, coalesce(c.published_parts, '{}'), v),
      greatest(s.last_sequence, c.highest)
    FROM next_version(greatest(s.content_version, s.published_version)) v
  )
  FROM (
    SELECT site_id, array_agg(DISTINCT slug_part(slug)) AS parts,
      array_agg(DISTINCT slug_part(slug)) FILTER (WHERE status = 'published') AS published_parts, max(updated_at) AS highest
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
  NEW.content_version := next_version(greatest(OLD.content_version, OLD.published_version));
  NEW.slug_versions := all_slug_versions(NEW.content_version);
  NEW.published_version := NEW.content_version;
  NEW.published_slug_versions := NEW.slug_versions;
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
  SET (content_version, slug_versions, published_version, published_slug_versions, last_sequence) = (
    SELECT v, raise_slug_versions(s.slug_versions, c.parts, v),
      CASE WHEN c.published_parts IS NULL THEN s.published_version ELSE v END,
      raise_slug_versions(s.published_slug_versions, coalesce(c.published_parts, '{}'), v),
      greatest(s.last_sequence, c.highest)
    FROM next_version(greatest(s.content_version, s.published_version)) v
  )
  FROM (
    SELECT site_id, array_agg(DISTINCT slug_part(slug)) AS parts,
      array_agg(DISTINCT slug_part(slug)) FILTER (WHERE status = 'published') AS published_parts, max(updated_at) AS highest FROM (
      (SELECT id, site_id, slug, status, updated_at, title_folded FROM changed
      EXCEPT SELECT id, site_id, slug, status, updated_at, title_folded FROM removed)
      UNION ALL
      (SELECT id, site_id, slug, status, updated_at, title_folded FROM removed
      EXCEPT SELECT id, site_id, slug, status, updated_at, title_folded FROM changed)
    ) shown GROUP BY site_id
  ) c
  WHERE s.id = c.site_id;
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_versions_of_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE sites SET (content_version, published_version) = (
    SELECT v, CASE WHEN TG_TABLE_NAME = 'redirects' THEN v ELSE published_version END
    FROM next_version(greatest(content_version, published_version)) v
  )
  WHERE id IN (SELECT site_id FROM changed);
  RETURN NULL;
END
$function$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.raise_all_versions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE sites SET (content_version, slug_versions, published_version, published_slug_versions) = (
    SELECT v, all_slug_versions(v), v, all_slug_versions(v) FROM next_version(greatest(content_version, published_version)) v
  );
  RETURN NULL;
END
$function$;
