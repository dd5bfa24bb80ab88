-- The column is computed by it.
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
ALTER TABLE "post_titles" ADD COLUMN "title_key" text GENERATED ALWAYS AS (without_diacritics(title_folded)) STORED;--> statement-breakpoint
CREATE INDEX "post_titles_search" ON "post_titles" USING gin ("title_key" gin_trgm_ops) WITH (fastupdate=false);
