-- The order of a site's articles and deletions, and the lock that makes it commit order.

-- Transaction lock: one writer per site at a time. The service takes it first, and the row triggers take it for manual SQL.
CREATE FUNCTION lock_site(site uuid) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(site::text, 0))
$$;

-- The next value of a site's sequence, for updated_at and deleted_at: the current time, or 1 ms after the highest value so far,
-- including rows of the running statement. Taken under the lock, so that the order of values is commit order.
-- The settings force index scans. A plan from when the tables were empty would use a sequential scan, stay cached for a
-- whole bulk write and make it quadratic.
CREATE FUNCTION next_sequence(site uuid) RETURNS timestamptz LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
  highest timestamptz;
BEGIN
  PERFORM lock_site(site);
  SELECT greatest(
    s.last_sequence,
    (SELECT p.updated_at FROM posts p WHERE p.site_id = site ORDER BY p.updated_at DESC LIMIT 1),
    (SELECT g.updated_at FROM guides g WHERE g.site_id = site ORDER BY g.updated_at DESC LIMIT 1),
    (SELECT t.deleted_at FROM tombstones t WHERE t.site_id = site ORDER BY t.deleted_at DESC LIMIT 1)
  ) INTO highest FROM sites s WHERE s.id = site;
  RETURN greatest(date_trunc('milliseconds', clock_timestamp()), highest + interval '1 millisecond');
END
$$;

-- The article as it was before this transaction: `previous` if this transaction set it, otherwise the current values.
CREATE FUNCTION state_before(previous jsonb, status text, slug text, title text, is_ready boolean) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN (previous ->> 'transaction')::bigint = pg_current_xact_id()::text::bigint THEN previous
    ELSE jsonb_build_object('transaction', pg_current_xact_id()::text::bigint, 'status', status, 'slug', slug, 'title', title,
      'ready', is_ready) END
$$;

-- A sequence value as the number in the change feed and webhooks: milliseconds since 1970.
CREATE FUNCTION wire_sequence(sequence timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT (extract(epoch FROM sequence) * 1000)::bigint
$$;
