-- The sites whose slugs change below, as their writers do before they touch a table.
SELECT lock_site(s.site_id) FROM (
  SELECT site_id FROM posts WHERE slug IS NOT NFC NORMALIZED
  UNION SELECT site_id FROM guides WHERE slug IS NOT NFC NORMALIZED
) s ORDER BY s.site_id;
--> statement-breakpoint
-- Row triggers: slugs are normalised, whoever writes them. Before those that compare the slug with the old one.
CREATE OR REPLACE FUNCTION derive_post() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.slug := normalize(NEW.slug, NFC);
  NEW.language_key := lower(coalesce(NEW.language, ''));
  NEW.slug_bytes := url_bytes(NEW.slug);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE FUNCTION derive_guide() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.slug := normalize(NEW.slug, NFC);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER guides_derive BEFORE INSERT OR UPDATE ON guides
  FOR EACH ROW EXECUTE FUNCTION derive_guide();
--> statement-breakpoint
-- Slugs that are written otherwise become what every reader's is now normalised to, as if they were renamed: the feed and the
-- redirects tell. One whose normalised form another article has gets the start of its id. Empty url_template: the bundle is outdated.
UPDATE posts a SET slug = normalize(a.slug, NFC) || CASE WHEN EXISTS (
    SELECT FROM posts b WHERE b.site_id = a.site_id AND normalize(b.slug, NFC) = normalize(a.slug, NFC) AND b.id <> a.id
      AND (b.slug IS NFC NORMALIZED OR b.id < a.id))
  THEN '-' || left(a.id::text, 8) ELSE '' END,
  url_template = CASE WHEN a.url_template IS NULL THEN NULL ELSE '' END
WHERE a.slug IS NOT NFC NORMALIZED;
--> statement-breakpoint
UPDATE guides a SET slug = normalize(a.slug, NFC) || CASE WHEN EXISTS (
    SELECT FROM guides b WHERE b.site_id = a.site_id AND normalize(b.slug, NFC) = normalize(a.slug, NFC) AND b.id <> a.id
      AND (b.slug IS NFC NORMALIZED OR b.id < a.id))
  THEN '-' || left(a.id::text, 8) ELSE '' END
WHERE a.slug IS NOT NFC NORMALIZED;
