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
--> statement-breakpoint
ALTER TABLE "guides" ADD CONSTRAINT "guides_slug_normalized" CHECK ("guides"."slug" is nfc normalized);--> statement-breakpoint
ALTER TABLE "posts" ADD CONSTRAINT "posts_slug_normalized" CHECK ("posts"."slug" is nfc normalized);
