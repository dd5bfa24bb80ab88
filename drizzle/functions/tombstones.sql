-- Tombstones: deleted and renamed articles in the change feed.

-- Writes no tombstone while the site is being deleted. Manual SQL has deleted its row by then, and the service has marked it.
CREATE FUNCTION leave_tombstone(site uuid, kind text, resource uuid, old_slug text, old_language text, status text,
  operator_only boolean)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO tombstones (site_id, deleted_at, resource, resource_id, slug, language, status, operator_only)
  SELECT s.id, next_sequence(s.id), kind, resource, old_slug, old_language, status, operator_only FROM sites s
  WHERE s.id = site AND s.deletion_started_at IS NULL
$$;
