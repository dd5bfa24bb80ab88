import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { contentVersionOf } from '../../db/content-version.ts'
import { guides, posts } from '../../db/schema.ts'
import type { ContentScope } from '../../db/site-scope.ts'

export type Translation = { slug: string; language: string | null; source: boolean }
export type Entry = {
  slug: string
  language: string | null
  lastmod: string
  key: string
  /** The post that all translations share; null for a guide. */
  source_id: string | null
  /** All published translations with the source; only on the first of their rows in a batch. */
  translations: Translation[] | null
}

/** In order of creation: `count` rows after the first `skip`, of `total`. */
export type Range = { skip: number; count: number; total: number }

type Batch = { start: Range | { key: string }; count: number }

type Source = (batch: Batch) => SQL

/** Batches of `step` rows. Runs the next query while the caller handles a batch. */
export function selectUrls(
  ctx: Context,
  source: Source,
  range: Range | null,
  step: number,
): AsyncGenerator<Entry[]> {
  const query = (batch: Batch): Promise<Entry[]> => {
    const entries = ctx.db.execute(source(batch)).then(({ rows }) => {
      ctx.noteVersionRead(rows[0]?.content_version)
      return rows as unknown as Entry[]
    })
    // Awaited later; until then a rejection must not count as unhandled.
    entries.catch(() => {})
    return entries
  }
  let next = range && query({ start: range, count: Math.min(step, range.count) })
  return (async function* () {
    for (let left = (range?.count ?? 0) - step; next; left -= step) {
      const rows = await next
      if (rows.length === 0) return
      next = left > 0 ? query({ start: { key: rows.at(-1)!.key }, count: Math.min(step, left) }) : null
      yield rows
    }
  })()
}

/** In order of creation, so that a new URL changes only the last file. */
export function postRows(site: ContentScope): Source {
  return ({ start, count }) => sql`
    with page as (
      select p.slug, p.language, p.lastmod, p.created_at, p.id, coalesce(p.source_post_id, p.id) as source_id
      from ${posts} p
      where p.site_id = ${site.id} and p.status = 'published' and ${isAfter(start, posts, site)}
      order by p.created_at, p.id limit ${count}
    )
    select p.slug, p.language, wire_time(p.lastmod) as lastmod, p.created_at || '/' || p.id as key, p.source_id,
      ${contentVersionOf(site.id, 'published')} as content_version,
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
  return ({ start, count }) => sql`
    select p.slug, null as language, wire_time(p.updated_at) as lastmod, p.created_at || '/' || p.id as key,
      null as source_id, null as translations, ${contentVersionOf(site.id, 'published')} as content_version
    from ${guides} p
    where p.site_id = ${site.id} and p.status = 'published' and ${isAfter(start, guides, site)}
    order by p.created_at, p.id limit ${count}`
}

function isAfter(start: Batch['start'], table: typeof posts | typeof guides, site: ContentScope): SQL {
  if ('key' in start) {
    const [createdAt, id] = start.key.split('/')
    return sql`(p.created_at, p.id) > (${createdAt}::timestamptz, ${id}::uuid)`
  }
  const { skip, total } = start
  if (skip === 0) return sql`true`
  // Counted from the nearer end of the index, without reading the rows.
  const place =
    skip <= total / 2
      ? sql`created_at, id limit 1 offset ${skip - 1}`
      : sql`created_at desc, id desc limit 1 offset ${total - skip}`
  return sql`(p.created_at, p.id) > (
    select created_at, id from ${table} where site_id = ${site.id} and status = 'published' order by ${place})`
}
