-- Logs every operator write by triggers in its own transaction.

-- Keeps the audit log append-only for 30 days, the least that RETENTION_AUDIT_DAYS may be. Only erase_person changes entries.
CREATE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '30 days' THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE'
    AND (current_setting('audit.erasing', true) IN (OLD.actor_id::text, OLD.resource_id::text)
      OR current_setting('audit.erasing', true) <> '' AND OLD.action = 'operator.sign_in_failed')
    AND pg_has_role(current_user, (SELECT relowner FROM pg_catalog.pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'The audit log is append-only';
END
$$;

CREATE TRIGGER audit_log_kept BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION keep_audit_log();

CREATE TRIGGER audit_log_not_truncated BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_log();

-- Statement trigger: only the owner of the tables may insert entries, and these functions run as that owner. Grants to other
-- roles don't matter.
CREATE FUNCTION refuse_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_has_role(current_user, (SELECT relowner FROM pg_catalog.pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RAISE EXCEPTION 'The audit log is written by triggers alone' USING ERRCODE = '42501';
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER audit_log_refused BEFORE INSERT ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_entries();

-- Row trigger: sets is_head on the first entry for each changeset, action and site. A large write queries the table once.
CREATE FUNCTION begin_changeset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.is_head := is_first('audit.begun', concat_ws(' ', NEW.changeset_id, NEW.action, NEW.site_id))
    AND NOT is_begun(NEW.changeset_id, NEW.action, NEW.site_id);
  RETURN NEW;
END
$$;

CREATE FUNCTION is_begun(changeset uuid, of_action text, of_site uuid) RETURNS boolean LANGUAGE sql
SET search_path = public, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM audit_log WHERE changeset_id = changeset AND is_head AND action = of_action AND site_id IS NOT DISTINCT FROM of_site)
$$;

CREATE TRIGGER audit_log_changesets BEFORE INSERT ON audit_log
  FOR EACH ROW EXECUTE FUNCTION begin_changeset();

-- The named fields of `one` that differ from `other`; null if there are none. Hides hashes, recipients of alerts, and URLs'
-- queries, which may contain secrets.
CREATE FUNCTION differing(one jsonb, other jsonb, fields text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_object_agg(field, CASE
    WHEN field IN ('url', 'preview_url') THEN to_jsonb(split_part(one ->> field, '?', 1))
    WHEN field LIKE '%\_hash' OR field = 'email_to' THEN to_jsonb('not shown'::text)
    ELSE one -> field END)
  FROM unnest(fields) AS field
  WHERE one ->> field IS DISTINCT FROM other ->> field AND one ->> field IS NOT NULL
$$;

-- Row trigger: logs a write. Arguments: the resource's name (or the row's kind), logged fields, fields logged for updates only.
CREATE FUNCTION log_row() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  noun text := TG_ARGV[0];
  fields text[] := string_to_array(TG_ARGV[1], ' ')
    || CASE WHEN TG_OP = 'UPDATE' THEN string_to_array(TG_ARGV[2], ' ') END;
  old_row jsonb := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE to_jsonb(OLD) END;
  new_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN '{}' ELSE to_jsonb(NEW) END;
  current_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN old_row ELSE new_row END;
  before jsonb := differing(old_row, new_row, fields);
  after jsonb := differing(new_row, old_row, fields);
  name text := coalesce(current_row ->> 'name', '…' || (current_row ->> 'last_four'), split_part(current_row ->> 'url', '?', 1));
BEGIN
  IF TG_OP = 'UPDATE' AND before IS NULL AND after IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO audit_log (site_id, action, resource_id, subject, title, before, after)
  VALUES (
    (current_row ->> CASE noun WHEN 'site' THEN 'id' ELSE 'site_id' END)::uuid,
    coalesce(current_row ->> 'kind', noun) || '.' || CASE
      WHEN TG_OP = 'INSERT' THEN 'created'
      WHEN TG_OP = 'DELETE' THEN 'deleted'
      WHEN after ? 'revoked_at' THEN 'revoked'
      WHEN after ? 'used_at' THEN 'used'
      WHEN after ? 'secret_rotated_at' THEN 'secret_rotated'
      WHEN after ? 'deletion_started_at' THEN 'deletion_started'
      ELSE 'updated' END,
    (current_row ->> CASE noun WHEN 'token' THEN 'operator_id' ELSE 'id' END)::uuid,
    name,
    name,
    before,
    after
  );
  RETURN NULL;
END
$$;

CREATE TRIGGER sites_logged AFTER INSERT OR DELETE OR UPDATE OF
    name, domain, default_language, post_path, guide_path, plan, daily_quota, training_opt_in, feed_content,
    preview_url, deletion_started_at
  ON sites
  FOR EACH ROW EXECUTE FUNCTION log_row('site', 'name domain default_language post_path guide_path plan daily_quota training_opt_in feed_content preview_url deletion_started_at');

CREATE TRIGGER api_keys_logged AFTER INSERT OR DELETE OR UPDATE OF
    site_id, name, access, key_hash, last_four, expires_at, revoked_at
  ON api_keys
  FOR EACH ROW EXECUTE FUNCTION log_row('key', 'name access last_four expires_at revoked_at', 'site_id key_hash');

CREATE TRIGGER preview_links_logged AFTER INSERT OR UPDATE OF
    site_id, post_id, token_hash, last_four, expires_at, revoked_at
  ON preview_links
  FOR EACH ROW EXECUTE FUNCTION log_row('preview_link', 'post_id last_four expires_at revoked_at', 'site_id token_hash');

-- Only for manual SQL: a deletion with the post or site is covered by that entry.
CREATE TRIGGER preview_links_deletion_logged AFTER DELETE ON preview_links
  FOR EACH ROW WHEN (OLD.expires_at > now() AND pg_trigger_depth() = 0)
  EXECUTE FUNCTION log_row('preview_link', 'post_id last_four expires_at revoked_at');

CREATE TRIGGER webhook_endpoints_logged AFTER INSERT OR DELETE OR UPDATE OF name, url, events, secret_rotated_at
  ON webhook_endpoints
  FOR EACH ROW EXECUTE FUNCTION log_row('webhook', 'name url events secret_rotated_at');

CREATE TRIGGER operators_logged AFTER INSERT OR DELETE OR UPDATE ON operators
  FOR EACH ROW EXECUTE FUNCTION log_row('operator', 'name role sites');

-- The URL itself is a secret.
CREATE TRIGGER alert_settings_logged AFTER INSERT OR DELETE OR UPDATE ON alert_settings
  FOR EACH ROW EXECUTE FUNCTION log_row('alerts', 'slack_set_at email_to after_failures');

CREATE TRIGGER operator_tokens_logged AFTER INSERT OR DELETE OR UPDATE OF
    operator_id, token_hash, last_four, expires_at, revoked_at, maker_id, used_at
  ON operator_tokens
  FOR EACH ROW EXECUTE FUNCTION log_row('token', 'id maker_id last_four expires_at revoked_at used_at sent_to', 'operator_id token_hash');

-- Row trigger: logs changes to a site's published sitemap, but not its id, which is secret.
CREATE FUNCTION log_sitemap() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject, title)
  VALUES (NEW.id, CASE
    WHEN OLD.sitemap_id IS NULL THEN 'sitemap.published'
    WHEN NEW.sitemap_id IS NULL THEN 'sitemap.unpublished'
    ELSE 'sitemap.renewed' END, NEW.id, NEW.name, NEW.name);
  RETURN NULL;
END
$$;

CREATE TRIGGER sites_sitemap_logged AFTER UPDATE OF sitemap_id ON sites
  FOR EACH ROW WHEN (OLD.sitemap_id IS DISTINCT FROM NEW.sitemap_id) EXECUTE FUNCTION log_sitemap();

-- Row trigger: logs a deleted post or guide (first argument), unless its site is deleted.
CREATE FUNCTION log_article_deletion() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  before jsonb := jsonb_build_object('status', OLD.status);
BEGIN
  DELETE FROM revisions WHERE site_id = OLD.site_id AND article_id = OLD.id;
  -- Apart, since a guide has no such column.
  IF TG_ARGV[0] = 'post' THEN
    before := before || jsonb_strip_nulls(jsonb_build_object('publish_at', OLD.publish_at));
  END IF;
  INSERT INTO audit_log (site_id, action, resource_id, subject, title, before)
  SELECT s.id, TG_ARGV[0] || '.deleted', OLD.id, OLD.slug, OLD.title, before
  FROM sites s WHERE s.id = OLD.site_id AND s.deletion_started_at IS NULL;
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_deletion_logged AFTER DELETE ON posts
  FOR EACH ROW EXECUTE FUNCTION log_article_deletion('post');

CREATE TRIGGER guides_deletion_logged AFTER DELETE ON guides
  FOR EACH ROW EXECUTE FUNCTION log_article_deletion('guide');

-- All names that an operator has had, without those of other operators, whose work they would be taken for.
CREATE FUNCTION names_of_person(person uuid) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(DISTINCT name), '{}') FROM (
    SELECT name FROM operators WHERE id = person
    UNION ALL SELECT actor FROM audit_log WHERE actor_id = person
    UNION ALL SELECT subject FROM audit_log WHERE resource_id = person AND action LIKE 'operator.%'
  ) known
  WHERE name <> 'Erased person' AND NOT EXISTS (SELECT FROM operators o WHERE o.id <> person AND o.name = known.name)
$$;

-- Removes the name and addresses of a removed operator. What they did stays, in the log under their id. Returns the number of
-- entries. Readers of the API see no change, so that no post moves.
CREATE FUNCTION erase_person(person uuid) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  nobody text := 'Erased person';
  personal text[] := ARRAY['name', 'sent_to', 'browser'];
  names text[] := names_of_person(person);
  named uuid[];
  as_actor bigint;
  as_subject bigint;
BEGIN
  IF EXISTS (SELECT FROM operators WHERE id = person) THEN
    RAISE EXCEPTION 'The person still has access' USING ERRCODE = 'HC004';
  END IF;
  -- An actor may also be a key.
  IF NOT EXISTS (SELECT FROM audit_log WHERE resource_id = person AND action = 'operator.deleted') THEN
    RETURN 0;
  END IF;
  UPDATE imports SET started_by = NULL, address = '' WHERE started_by_id = person;
  UPDATE console_sessions SET ended_by = nobody WHERE ended_by = ANY(names);
  PERFORM set_config('audit.erasing', person::text, true);
  UPDATE audit_log SET actor = nobody, address = NULL
  WHERE actor_id = person AND actor IS DISTINCT FROM nobody
    -- Cloudflare Access still reports the name after the person was removed.
    OR actor_id IS NULL AND action = 'operator.sign_in_failed' AND actor = ANY(names);
  GET DIAGNOSTICS as_actor = ROW_COUNT;
  UPDATE audit_log SET before = before - personal, after = after - personal,
    subject = CASE WHEN action LIKE 'operator.%' THEN nobody ELSE subject END,
    title = CASE WHEN action LIKE 'operator.%' THEN nobody ELSE title END
  WHERE resource_id = person AND action ~ '^(operator|token|link)[.]'
    AND (action LIKE 'operator.%' AND subject <> nobody OR before ?| personal OR after ?| personal);
  GET DIAGNOSTICS as_subject = ROW_COUNT;
  PERFORM set_config('audit.erasing', '', true);
  IF as_actor + as_subject > 0 THEN
    INSERT INTO audit_log (action, resource_id, subject, title) VALUES ('operator.erased', person, nobody, nobody);
  END IF;
  -- Late, because writers of these sites wait for the locks. The narrow copy has indexes on both.
  named := ARRAY(
    SELECT p.id FROM post_titles t JOIN posts p ON p.id = t.id
    WHERE t.ready_at IS NOT NULL AND p.ready_by = ANY(names)
      OR t.changes_requested AND p.change_request ->> 'requestedBy' = ANY(names));
  PERFORM lock_site(site_id) FROM (SELECT DISTINCT site_id FROM posts WHERE id = ANY(named) ORDER BY site_id) s;
  UPDATE posts SET
    ready_by = CASE WHEN ready_by = ANY(names) THEN nobody ELSE ready_by END,
    change_request = CASE WHEN change_request ->> 'requestedBy' = ANY(names)
      THEN jsonb_set(change_request, '{requestedBy}', to_jsonb(nobody)) ELSE change_request END
  WHERE id = ANY(named);
  -- Writers lock the site first.
  UPDATE preview_links SET made_by_name = NULL WHERE made_by = person;
  RETURN as_actor + as_subject;
END
$$;

-- Statement trigger: logs the number of training rows, because their text is content.
CREATE FUNCTION log_training_rows() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, after)
  SELECT c.site_id, TG_ARGV[0], CASE WHEN count(*) = 1 THEN min(c.id::text)::uuid END, jsonb_build_object('rows', count(*))
  FROM changed c GROUP BY c.site_id
  HAVING EXISTS (SELECT FROM sites s WHERE s.id = c.site_id AND s.deletion_started_at IS NULL);
  RETURN NULL;
END
$$;

CREATE TRIGGER training_rows_inserted_logged AFTER INSERT ON training_rows
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION log_training_rows('training.added');

CREATE TRIGGER training_rows_deleted_logged AFTER DELETE ON training_rows
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION log_training_rows('training.deleted');

-- Row trigger: logs the opt-in of a training row.
CREATE FUNCTION log_training_opt_in() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id)
  VALUES (NEW.site_id, CASE WHEN NEW.opt_in THEN 'training.opted_in' ELSE 'training.opted_out' END, NEW.id);
  RETURN NULL;
END
$$;

CREATE TRIGGER training_rows_opt_in_logged AFTER UPDATE OF opt_in ON training_rows
  FOR EACH ROW WHEN (OLD.opt_in <> NEW.opt_in) EXECUTE FUNCTION log_training_opt_in();

-- Row trigger: logs redirects that an operator wrote, but not those created or deleted with an article or site. URLs may
-- contain secrets in their query.
CREATE FUNCTION log_redirect() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  shown redirects := coalesce(NEW, OLD);
  before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN jsonb_strip_nulls(jsonb_build_object(
    'target', split_part(OLD.target, '?', 1), 'target_resource', OLD.target_resource, 'resource_id', OLD.resource_id)) END;
  after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN jsonb_strip_nulls(jsonb_build_object(
    'target', split_part(NEW.target, '?', 1), 'target_resource', NEW.target_resource, 'resource_id', NEW.resource_id)) END;
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject, title, before, after)
  SELECT s.id, 'redirect.' || CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END,
    shown.resource_id, shown.slug, shown.slug, before, after
  FROM sites s WHERE s.id = shown.site_id AND s.deletion_started_at IS NULL;
  RETURN NULL;
END
$$;

CREATE TRIGGER redirects_logged AFTER INSERT OR UPDATE OR DELETE ON redirects
  FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION log_redirect();

-- Row trigger: logs a test event.
CREATE FUNCTION log_test_event() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id) VALUES (NEW.site_id, 'webhook.tested', NEW.id);
  RETURN NULL;
END
$$;

CREATE TRIGGER webhook_events_logged AFTER INSERT ON webhook_events
  FOR EACH ROW WHEN (NEW.event = 'webhook.test') EXECUTE FUNCTION log_test_event();

-- Row trigger: logs an event that an operator resent.
CREATE FUNCTION log_resend() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_log (site_id, action, resource_id, subject, title)
  SELECT NEW.site_id, 'event.resent', e.id, e.slug, e.slug FROM webhook_events e WHERE e.id = NEW.event_id;
  RETURN NULL;
END
$$;

CREATE TRIGGER webhook_deliveries_logged AFTER INSERT ON webhook_deliveries
  FOR EACH ROW WHEN (NEW.manual AND NEW.resend_id IS NULL) EXECUTE FUNCTION log_resend();

-- Row trigger: logs the start of a resend of all failed events, and its end with the result. Skips one with nothing to send.
CREATE FUNCTION log_resend_of_failed() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.total > 0 THEN
    INSERT INTO audit_log (site_id, action, resource_id, after)
    VALUES (NEW.site_id, 'event.resend_started', NEW.id, jsonb_build_object('events', NEW.total));
  ELSIF TG_OP = 'UPDATE' AND OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL THEN
    INSERT INTO audit_log (site_id, action, resource_id, after)
    SELECT NEW.site_id, CASE NEW.ending
        WHEN 'done' THEN 'event.resend_finished'
        WHEN 'stopped' THEN 'event.resend_stopped'
        ELSE 'event.resend_broken_off' END,
      NEW.id, jsonb_strip_nulls(jsonb_build_object(
        'arrived', count(*) FILTER (WHERE d.error IS NULL AND d.status IS NOT NULL),
        'failed', count(*) FILTER (WHERE d.error IS NOT NULL),
        'being_sent', nullif(count(*) FILTER (WHERE d.error IS NULL AND d.status IS NULL), 0),
        'not_sent', greatest(NEW.total - count(*), 0)))
    FROM webhook_deliveries d WHERE d.site_id = NEW.site_id AND d.resend_id = NEW.id;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER webhook_resends_logged AFTER INSERT OR UPDATE OF ended_at ON webhook_resends
  FOR EACH ROW EXECUTE FUNCTION log_resend_of_failed();

-- Row trigger: logs a console session, its end, and its owner if somebody else ended it. A deletion with the token is covered
-- by that entry.
CREATE FUNCTION log_session() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (action) VALUES ('operator.signed_in');
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO audit_log (action, resource_id, subject, title, before)
    SELECT 'operator.session_ended', o.id, o.name, o.name, jsonb_strip_nulls(jsonb_build_object('browser', NEW.browser))
    FROM operator_tokens t JOIN operators o ON o.id = t.operator_id
    WHERE t.id = NEW.token_id AND OLD.ended_by IS NULL AND NEW.ended_by IS NOT NULL;
  ELSIF OLD.expires_at > now() AND pg_trigger_depth() = 1 THEN
    INSERT INTO audit_log (action) VALUES ('operator.signed_out');
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER console_sessions_logged AFTER INSERT OR UPDATE OF ended_by OR DELETE ON console_sessions
  FOR EACH ROW EXECUTE FUNCTION log_session();

-- Logs a refused write or a failed sign-in. Rate-limited, because anyone can retry: once a minute for the same
-- refusal, and at most 60 a minute and 300 an hour per operator and for all wrong tokens together. The lock serialises
-- simultaneous refusals.
CREATE FUNCTION log_refusal(kind text, what text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  in_minute bigint;
  in_hour bigint;
  is_known boolean;
BEGIN
  IF kind NOT IN ('operator.refused', 'operator.sign_in_failed') THEN
    RAISE EXCEPTION 'No kind of refusal: %', kind;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('log_refusal', 0));
  SELECT count(*) FILTER (WHERE at > now() - interval '1 minute'), count(*), coalesce(bool_or(
      at > now() - interval '1 minute'
      AND subject IS NOT DISTINCT FROM left(what, 300)
      AND address IS NOT DISTINCT FROM nullif(current_setting('audit.address', true), '')), false)
  INTO in_minute, in_hour, is_known
  FROM audit_log
  WHERE action IN ('operator.refused', 'operator.sign_in_failed') AND action = kind AND at > now() - interval '1 hour'
    AND actor_id IS NOT DISTINCT FROM nullif(current_setting('audit.actor_id', true), '')::uuid;
  IF in_minute < 60 AND in_hour < 300 AND NOT is_known THEN
    INSERT INTO audit_log (action, subject, title) VALUES (kind, left(what, 300), left(what, 300));
  END IF;
END
$$;
