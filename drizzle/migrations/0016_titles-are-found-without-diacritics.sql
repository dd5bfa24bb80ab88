CREATE OR REPLACE FUNCTION public.without_diacritics(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE WHEN octet_length(value) = length(value) THEN value
    ELSE normalize(translate(regexp_replace(normalize(value, NFD),
      '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]', '', 'g'),
      'łøđħŧ', 'lodht'), NFC) END
$function$;
--> statement-breakpoint
-- The Worker of before searches without an index until the next one is deployed.
DROP INDEX "post_titles_search";--> statement-breakpoint
ALTER TABLE "post_titles" ADD COLUMN "title_key" text;--> statement-breakpoint
CREATE OR REPLACE FUNCTION copy_titles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM post_titles t USING removed r WHERE (t.site_id, t.updated_at) = (r.site_id, r.updated_at);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO post_titles (site_id, updated_at, status, language_key, title_folded, published_at, id, slug_folded,
      quality_band, ready_at, title_key)
    SELECT site_id, updated_at, status, language_key, title_folded, published_at, id, lower(slug), quality_band, ready_at,
      without_diacritics(title_folded)
    FROM added;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- In batches
UPDATE "post_titles" SET "title_key" = without_diacritics("title_folded") WHERE ("site_id", "updated_at") IN (
  SELECT "site_id", "updated_at" FROM "post_titles" WHERE "title_key" IS NULL LIMIT 5000
);
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "post_titles_search" ON "post_titles" USING gin ("title_key" gin_trgm_ops) WITH (fastupdate=false);
