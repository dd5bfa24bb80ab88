-- Run this on a database restored to an earlier point, before a Worker uses it.
-- Events that were open at that point may have been sent since. They are closed as interrupted and not sent again.
WITH closed AS (
  UPDATE webhook_events SET state = 'failed', finished_at = now()
  WHERE state IN ('pending', 'sending') RETURNING id, site_id
),
interrupted AS (
  UPDATE webhook_deliveries SET error = 'interrupted'
  WHERE event_id IN (SELECT id FROM closed) AND error IS NULL AND status IS NULL RETURNING event_id
)
INSERT INTO webhook_deliveries (event_id, site_id, url, error)
SELECT id, site_id, '', 'interrupted' FROM closed WHERE id NOT IN (SELECT event_id FROM interrupted);
-- Stop resends in progress.
UPDATE webhook_resends SET ended_at = now(), ending = 'stopped' WHERE ended_at IS NULL;
-- Stop imports in progress, and drop their files.
WITH stopped AS (
  UPDATE imports SET phase = 'ended', ended_at = now(), problem = 'the database was restored'
  WHERE phase IN ('checking', 'importing') RETURNING id
)
DELETE FROM import_parts USING stopped WHERE import_id = stopped.id;
-- End all sessions and unused links. The restore revived sessions that have ended and links that have been used since.
DELETE FROM console_sessions;
UPDATE operator_tokens SET revoked_at = now() WHERE kind = 'link' AND used_at IS NULL AND revoked_at IS NULL;
-- Raise all versions, so that isolates, caches and clients drop content from after the restored point.
UPDATE sites
SET auth_version = next_version(auth_version),
  (content_version, slug_versions, published_version, published_slug_versions) = (
    SELECT v, all_slug_versions(v), v, all_slug_versions(v) FROM next_version(greatest(content_version, published_version)) v
  );
