/** Publishing and unpublishing, for posts and guides. */
import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { type guides, postStatuses, type posts } from '../db/schema.ts'
import { writeSite } from '../site-versions.ts'
import { wireShape } from '../wire-shape.ts'

export const Publication = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      slug: z.string(),
      id: z.uuid(),
      status: z.enum(postStatuses),
      publishedAt: z.nullable(z.iso.datetime()),
      updatedAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'Publication' }),
)

type Row = {
  id: string
  status: z.infer<typeof Publication>['status']
  published_at: string | null
  updated_at: string
}

/** Sets the status of an article unless it has it already. Null if there is no such article. */
export async function setPublication(
  ctx: Context,
  table: typeof posts | typeof guides,
  siteId: string,
  slug: string,
  status: 'draft' | 'published',
): Promise<z.infer<typeof Publication> | null> {
  const statement = sql`
    with changed as (
      update ${table} set status = ${status}, published_at = case when ${status} = 'published'
        then coalesce(published_at, date_trunc('milliseconds', now())) else published_at end
      where site_id = ${siteId} and slug = ${slug} and status <> ${status}
      returning id, status, published_at, updated_at
    )
    select id, status, published_at, updated_at from changed
    union all
    select id, status, published_at, updated_at from ${table}
    where site_id = ${siteId} and slug = ${slug} and not exists (select from changed)`
  const [result] = await writeSite(ctx, siteId, [ctx.db.execute(statement)])
  const row = result.rows[0] as Row | undefined
  if (!row) return null
  return {
    slug,
    id: row.id,
    status: row.status,
    publishedAt: row.published_at === null ? null : new Date(row.published_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  }
}
