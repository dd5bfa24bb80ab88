-- Keeps sitemap_sections exact: how many published rows each section has, and when its file last changed.

-- Statement trigger: counts what was published and what no longer is. A change is written as a section of one URL that begins at it.
-- The settings force index scans, as in next_sequence.
CREATE FUNCTION count_sitemap_urls() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
  changes sitemap_sections[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg((site_id, TG_ARGV[0], 0, created_at, id, 1, updated_at)::sitemap_sections) INTO changes
    FROM added WHERE status = 'published';
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg((site_id, TG_ARGV[0], 0, created_at, id, -1, clock_timestamp())::sitemap_sections) INTO changes
    FROM removed WHERE status = 'published';
  ELSE
    SELECT array_agg((c.site_id, TG_ARGV[0], 0, c.created_at, c.id, c.urls, c.changed_at)::sitemap_sections) INTO changes
    FROM added a FULL JOIN removed r ON r.id = a.id CROSS JOIN LATERAL (
      SELECT a.site_id, a.created_at, a.id, 1 AS urls, a.updated_at AS changed_at WHERE a.status = 'published'
      UNION ALL
      SELECT r.site_id, r.created_at, r.id, -1, coalesce(a.updated_at, clock_timestamp()) WHERE r.status = 'published'
    ) c
    WHERE a.updated_at IS DISTINCT FROM r.updated_at;
  END IF;
  IF changes IS NULL THEN
    RETURN NULL;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO sitemap_sections (site_id, resource, number)
    SELECT c.site_id, TG_ARGV[0],
      1 + coalesce((SELECT max(s.number) FROM sitemap_sections s WHERE s.site_id = c.site_id), 0)
    FROM (SELECT DISTINCT site_id FROM unnest(changes) WHERE urls > 0) c
    WHERE NOT EXISTS (
      SELECT FROM sitemap_sections s WHERE (s.site_id, s.resource, s.after_created_at) = (c.site_id, TG_ARGV[0], '-infinity')
    );
  END IF;
  UPDATE sitemap_sections s SET urls = s.urls + c.urls, lastmod = greatest(s.lastmod, c.changed_at)
  FROM (
    SELECT c.site_id, found.number, sum(c.urls) AS urls, max(c.lastmod) AS changed_at
    FROM unnest(changes) c CROSS JOIN LATERAL (
      SELECT f.number FROM sitemap_sections f
      WHERE f.site_id = c.site_id AND f.resource = c.resource
        AND (f.after_created_at, f.after_id) < (c.after_created_at, c.after_id)
      ORDER BY f.after_created_at DESC, f.after_id DESC LIMIT 1
    ) found
    GROUP BY 1, 2
  ) c
  WHERE (s.site_id, s.number) = (c.site_id, c.number);
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_sitemap_inserted AFTER INSERT ON posts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('post');

CREATE TRIGGER posts_sitemap_updated AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('post');

CREATE TRIGGER posts_sitemap_deleted AFTER DELETE ON posts
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('post');

CREATE TRIGGER guides_sitemap_inserted AFTER INSERT ON guides
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('guide');

CREATE TRIGGER guides_sitemap_updated AFTER UPDATE ON guides
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('guide');

CREATE TRIGGER guides_sitemap_deleted AFTER DELETE ON guides
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_sitemap_urls('guide');

-- Row trigger: cuts a section with more than 5,000 URLs, the last one so that it is full and what comes next goes into the new one,
-- others in half. Deferred to the commit, when the writes of all statements are counted. A new one that has too many itself is cut too.
CREATE FUNCTION cut_sitemap_section() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
  section sitemap_sections;
  kept integer := 5000;
  border record;
BEGIN
  SELECT * INTO section FROM sitemap_sections s WHERE (s.site_id, s.number) = (NEW.site_id, NEW.number);
  IF section.urls IS NULL OR section.urls <= kept THEN
    RETURN NULL;
  END IF;
  PERFORM FROM sitemap_sections s
  WHERE s.site_id = section.site_id AND s.resource = section.resource
    AND (s.after_created_at, s.after_id) > (section.after_created_at, section.after_id);
  IF FOUND THEN
    kept := section.urls / 2;
  END IF;
  IF section.resource = 'post' THEN
    SELECT p.created_at, p.id INTO border FROM posts p
    WHERE p.site_id = section.site_id AND p.status = 'published'
      AND (p.created_at, p.id) > (section.after_created_at, section.after_id)
    ORDER BY p.created_at, p.id LIMIT 1 OFFSET kept - 1;
  ELSE
    SELECT g.created_at, g.id INTO border FROM guides g
    WHERE g.site_id = section.site_id AND g.status = 'published'
      AND (g.created_at, g.id) > (section.after_created_at, section.after_id)
    ORDER BY g.created_at, g.id LIMIT 1 OFFSET kept - 1;
  END IF;
  UPDATE sitemap_sections SET urls = kept WHERE (site_id, number) = (section.site_id, section.number);
  INSERT INTO sitemap_sections (site_id, resource, number, after_created_at, after_id, urls, lastmod)
  SELECT section.site_id, section.resource, max(s.number) + 1, border.created_at, border.id, section.urls - kept, section.lastmod
  FROM sitemap_sections s WHERE s.site_id = section.site_id;
  RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER sitemap_sections_full AFTER INSERT OR UPDATE ON sitemap_sections
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.urls > 5000) EXECUTE FUNCTION cut_sitemap_section();

-- Statement trigger: TRUNCATE fires no delete triggers.
CREATE FUNCTION forget_sitemap_sections() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sitemap_sections WHERE resource = TG_ARGV[0];
  RETURN NULL;
END
$$;

CREATE TRIGGER posts_sitemap_truncated AFTER TRUNCATE ON posts
  FOR EACH STATEMENT EXECUTE FUNCTION forget_sitemap_sections('post');

CREATE TRIGGER guides_sitemap_truncated AFTER TRUNCATE ON guides
  FOR EACH STATEMENT EXECUTE FUNCTION forget_sitemap_sections('guide');
