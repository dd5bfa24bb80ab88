/** The published posts and guides of a site as a sitemap lists them, a few rows at a time. */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { guides, posts } from '../db/schema.ts'
import type { SiteScope } from '../sites.ts'

export type Version = { slug: string; language: string | null; source: boolean }
export type Entry = {
  slug: string
  language: string | null
  lastmod: string
  key: string
  /** What the published versions of a post have in common. */
  source_id: string | null
  /** All of them, with the first of them among the rows that came together. */
  versions: Version[] | null
}

/** The key of the row before the first one, or the first one's position. */
export type Start = string | number
type Source = (start: Start, limit: number) => SQL

/**
 * Rows `from` to `from + count`, a few at a time, each query going on where the last one ended; the first is under way
 * at once, each other while the rows of the last one are written.
 */
export function selectUrls(
  ctx: Context,
  source: Source,
  from: number,
  count: number,
  step: number,
): AsyncGenerator<Entry[]> {
  const query = (start: Start, left: number): Promise<Entry[]> => {
    const asked = ctx.db.execute(source(start, Math.min(step, left)))
    const found = asked.then(({ rows }) => rows as unknown as Entry[])
    found.catch(() => {})
    return found
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

/** In the order of creation: new URLs come last, and the files before them stay as they are. */
export function postRows(site: SiteScope): Source {
  return (start, limit) => sql`
    with page as (
      select p.slug, p.language, p.updated_at, p.created_at, p.id, coalesce(p.source_post_id, p.id) as source_id
      from ${posts} p
      where p.site_id = ${site.id} and p.status = 'published' and ${beginning(site, posts, start)}
      order by p.created_at, p.id limit ${limit}
    )
    select p.slug, p.language, wire_time(p.updated_at) as lastmod, p.created_at || '/' || p.id as key, p.source_id,
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
      ) end as versions
    from page p
    order by p.created_at, p.id`
}

export function guideRows(site: SiteScope): Source {
  return (start, limit) => sql`
    select p.slug, null as language, wire_time(p.updated_at) as lastmod, p.created_at || '/' || p.id as key,
      null as source_id, null as versions
    from ${guides} p
    where p.site_id = ${site.id} and p.status = 'published' and ${beginning(site, guides, start)}
    order by p.created_at, p.id limit ${limit}`
}

/** What is skipped is skipped in the index alone. */
export function beginning(site: SiteScope, table: typeof posts | typeof guides, start: Start): SQL {
  if (start === 0) return sql`true`
  if (typeof start === 'number') {
    return sql`(p.created_at, p.id) >= (
      select created_at, id from ${table} where site_id = ${site.id} and status = 'published'
      order by created_at, id limit 1 offset ${start})`
  }
  const [createdAt, id] = start.split('/')
  return sql`(p.created_at, p.id) > (${createdAt}::timestamptz, ${id}::uuid)`
}
