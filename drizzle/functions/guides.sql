-- What each guide has that nobody gives, as in posts.sql.

-- Row trigger: slugs are normalised, whoever writes them.
CREATE FUNCTION derive_guide() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.slug := normalize(NEW.slug, NFC);
  RETURN NEW;
END
$$;

CREATE TRIGGER guides_derive BEFORE INSERT OR UPDATE ON guides
  FOR EACH ROW EXECUTE FUNCTION derive_guide();

-- Row trigger: a guide that changes gets the next updated_at, its JSON size and, as in stamp_post, a folded title.
CREATE FUNCTION stamp_guide() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  shown guides;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    shown := NEW;
    shown.title_folded := OLD.title_folded;
    shown.folded_from := OLD.folded_from;
    shown.fold_version := OLD.fold_version;
    shown.origin_id := OLD.origin_id;
    shown.origin_slug := OLD.origin_slug;
    IF shown IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  END IF;
  IF NEW.folded_from IS DISTINCT FROM NEW.title AND (TG_OP = 'INSERT' OR NEW.title <> OLD.title) THEN
    NEW.folded_from := NULL;
    IF NEW.title_folded = coalesce(OLD.title_folded, '') THEN
      NEW.title_folded := lower(NEW.title);
    END IF;
  END IF;
  NEW.updated_at := next_sequence(NEW.site_id);
  NEW.wire_bytes := json_bytes(NEW.content_html);
  RETURN NEW;
END
$$;

CREATE TRIGGER guides_stamp BEFORE INSERT OR UPDATE ON guides
  FOR EACH ROW EXECUTE FUNCTION stamp_guide();
