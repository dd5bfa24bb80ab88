-- Triggers on guides, similar to posts.sql.

-- Row trigger: sets a guide's computed columns for every writer.
CREATE FUNCTION prepare_guide() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  shown guides;
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM leave_tombstone(OLD.site_id, 'guide', OLD.id, OLD.slug, NULL, OLD.status, OLD.status <> 'published');
    RETURN OLD;
  END IF;
  NEW.slug := normalize(NEW.slug, NFC);
  -- An upsert updates the guide that is there, which prepares it. The lock keeps it there.
  IF TG_OP = 'INSERT' THEN
    PERFORM lock_site(NEW.site_id);
    IF EXISTS (SELECT FROM guides WHERE site_id = NEW.site_id AND slug = NEW.slug) THEN
      RETURN NEW;
    END IF;
  END IF;

  IF TG_OP = 'UPDATE' THEN
    -- The API's feed shows only published guides.
    IF OLD.slug <> NEW.slug OR OLD.site_id <> NEW.site_id OR (OLD.status = 'published' AND NEW.status <> 'published') THEN
      PERFORM leave_tombstone(OLD.site_id, 'guide', OLD.id, OLD.slug, NULL, NEW.status, OLD.status <> 'published');
    END IF;
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
  NEW.previous := state_before(OLD.previous, OLD.status, OLD.slug, OLD.title, NULL);

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

CREATE TRIGGER guides_prepare BEFORE INSERT OR UPDATE OR DELETE ON guides
  FOR EACH ROW EXECUTE FUNCTION prepare_guide();
