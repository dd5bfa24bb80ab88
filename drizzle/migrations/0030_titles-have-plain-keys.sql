-- For databases where the column was generated, which rewrote the table.
ALTER TABLE "post_titles" ALTER COLUMN "title_key" DROP EXPRESSION IF EXISTS;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION public.copy_titles()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM post_titles t USING removed r WHERE (t.site_id, t.updated_at) = (r.site_id, r.updated_at);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO post_titles (site_id, updated_at, status, language_key, title_folded, published_at, id, slug_folded,
      quality_band, ready_at, publish_at, changes_requested, title_key)
    SELECT site_id, updated_at, status, language_key, title_folded, published_at, id, lower(slug), quality_band, ready_at,
      publish_at, change_request IS NOT NULL OR coalesce(review_status = 'changes_requested', false),
      without_diacritics(title_folded)
    FROM added;
  END IF;
  RETURN NULL;
END
$function$;
