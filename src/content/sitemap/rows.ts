/** The queries for a sitemap's published posts and guides, a batch of rows at a time. */
import { type SQL, sql } from 'drizzle-orm'
import { contentVersionOf } from '../../db/content-version.ts'
import { guides, posts } from '../../db/schema.ts'
import type { ContentScope } from '../../db/site-scope.ts'
import type { Context } from '../../foundation/context.ts'

export type Translation = { slug: string; language: string | null; source: boolean }
export type Entry = {
  slug: string
  language: string | null
  lastmod: string
  key: string
  /** The id of the post that all translations share; null for a guide. */
  source_id: string | null
  /** All published translations, the source included; only on the first of their rows in a batch. */
  translations: Translation[] | null
}

/** The key of the row to continue after, or the position of the first row. */
export type Start = string | number
type Source = (start: Start, limit: number) => SQL

/**
 * `count` rows from position `from`, in batches of `step`. Each query continues after the last row of the one before. The
 * first starts immediately, and each next one while the caller handles a batch.
 */
export function selectUrls(
  ctx: Context,
  source: Source,
  from: number,
  count: number,
  step: number,
): AsyncGenerator<Entry[]> {
  const query = (start: Start, left: number): Promise<Entry[]> => {
    const entries = ctx.db.execute(source(start, Math.min(step, left))).then(({ rows }) => {
      ctx.sawContentVersion(rows[0]?.content_version)
      return rows as unknown as Entry[]
    })
    // Awaited later; until then a rejection must not count as unhandled.
    entries.catch(() => {})
    return entries
  }
  let next = count > 0 ? query(from, count) : null
  return (async function* () {
    for (let left = count - step; next; left -= step) {
      const rows = await next
      if (rows.length === 0) return
      next = left > 0 ? query(rows.at(-1)!.key, left) : null
      yield rows
    }
  })()
}

/** In order of creation, so that a new URL goes into the last file and the others stay the same. */
export function postRows(site: ContentScope): Source {
  return (start, limit) => sql`
    with page as (
      select p.slug, p.language, p.lastmod, p.created_at, p.id, coalesce(p.source_post_id, p.id) as source_id
      from ${posts} p
      where p.site_id = ${site.id} and p.status = 'published' and ${startingAt(site, posts, start)}
      order by p.created_at, p.id limit ${limit}
    )
    select p.slug, p.language, wire_time(p.lastmod) as lastmod, p.created_at || '/' || p.id as key, p.source_id,
      ${contentVersionOf(site.id)} as content_version,
      case when row_number() over (partition by p.source_id order by p.created_at, p.id) = 1 then (
        select json_agg(json_build_object('slug', t.slug, 'language', t.language, 'source', t.id = p.source_id)
          order by t.created_at, t.id)
        from (
          select * from ${posts} where id = p.source_id
          union all
          select * from ${posts} where source_post_id = p.source_id
          offset 0
        ) t
        where t.site_id = ${site.id} and t.status = 'published'
      ) end as translations
    from page p
    order by p.created_at, p.id`
}

export function guideRows(site: ContentScope): Source {
  return (start, limit) => sql`
    select p.slug, null as language, wire_time(p.updated_at) as lastmod, p.created_at || '/' || p.id as key,
      null as source_id, null as translations, ${contentVersionOf(site.id)} as content_version
    from ${guides} p
    where p.site_id = ${site.id} and p.status = 'published' and ${startingAt(site, guides, start)}
    order by p.created_at, p.id limit ${limit}`
}

/** The condition for the first row. A position is found by an index-only scan. */
export function startingAt(site: ContentScope, table: typeof posts | typeof guides, start: Start): SQL {
  if (start === 0) return sql`true`
  if (typeof start === 'number') {
    return sql`(p.created_at, p.id) >= (
      select created_at, id from ${table} where site_id = ${site.id} and status = 'published'
      order by created_at, id limit 1 offset ${start})`
  }
  const [createdAt, id] = start.split('/')
  return sql`(p.created_at, p.id) > (${createdAt}::timestamptz, ${id}::uuid)`
}
