/** Finds where an old slug leads, or who deleted its article. */
import { sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { auditLog, redirects, tombstones } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import type { Kind } from './kind.ts'

/** Bounds the work: older ones are ignored. */
const DELETIONS_READ = 10_000

export type Gone = { slug: string } | { slug: null; deletedBy: string | null; deletedAt: Date }

/** Null if no article had the slug in the last 90 days and it does not redirect. */
export async function findGone(
  { db }: Context,
  { noun, table }: Kind,
  { id }: SiteScope,
  slug: string,
): Promise<Gone | null> {
  const { rows } = await db.execute(sql`
    with known as (
      select resource_id, null as deleted_at from ${redirects} where site_id = ${id} and resource = ${noun} and slug = ${slug}
      union all
      (select resource_id, deleted_at from (
        select * from ${tombstones} where site_id = ${id} order by deleted_at desc limit ${DELETIONS_READ}
      ) newest where resource = ${noun} and slug = ${slug} and not published_only limit 1)
    )
    select a.slug, k.deleted_at, e.actor from known k
    left join ${table} a on a.site_id = ${id} and a.id = k.resource_id
    left join lateral (
      select actor from ${auditLog} where resource_id = k.resource_id and action = ${`${noun}.deleted`}
      order by at desc, id desc limit 1
    ) e on true
    where a.slug is not null or k.deleted_at is not null
    order by a.slug is null limit 1`)
  const [found] = rows as { slug: string | null; deleted_at: string; actor: string | null }[]
  if (!found) return null
  const { actor, deleted_at: at } = found
  return found.slug === null
    ? { slug: null, deletedBy: actor, deletedAt: new Date(at) }
    : { slug: found.slug }
}
