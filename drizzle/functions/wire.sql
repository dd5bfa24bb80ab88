-- Values in wire format, and their sizes.

-- RFC 3339 in UTC with milliseconds.
CREATE FUNCTION wire_time(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- The size of a value as a JSON string.
CREATE FUNCTION json_bytes(value text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(octet_length(to_json(value)::text), 0)
$$;

-- encodeURIComponent for a slug: percent-encodes the UTF-8 bytes of everything but the unreserved characters of
-- RFC 3986.
CREATE FUNCTION url_component(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(string_agg(
    CASE WHEN part ~ '^[A-Za-z0-9._~-]$' THEN part
         ELSE regexp_replace(upper(encode(convert_to(part, 'UTF8'), 'hex')), '(..)', '%\1', 'g') END,
    '' ORDER BY ordinality), '')
  FROM regexp_split_to_table(value, '') WITH ORDINALITY AS t(part, ordinality)
$$;

-- The length of url_component(slug): an encoded byte takes three.
CREATE FUNCTION url_bytes(slug text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN slug ~ '^[A-Za-z0-9._~-]*$' THEN octet_length(slug)
    ELSE 3 * octet_length(slug) - 2 * octet_length(regexp_replace(slug, '[^A-Za-z0-9._~-]', '', 'g')) END
$$;
