import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { responseSchema } from '../core/zod.ts'
import { auditLog, imports, operators, posts, postTitles, previewLinks, revisions } from '../db/schema.ts'

const ofPost = { siteId: z.uuid(), slug: z.string() }

export const PersonalData = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      names: z
        .array(z.string())
        .check(z.describe('The current name and earlier ones. Empty after the erasure')),
      readyPosts: z
        .array(z.object({ ...ofPost, readyAt: z.iso.datetime() }))
        .check(z.describe('Posts that name them as the person who marked them ready')),
      changeRequests: z.array(z.object({ ...ofPost, note: z.string(), requestedAt: z.iso.datetime() })),
      schedules: z.array(z.object({ ...ofPost, publishAt: z.iso.datetime() })),
      previewLinks: z.array(
        z.object({ ...ofPost, id: z.uuid(), createdAt: z.iso.datetime(), expiresAt: z.iso.datetime() }),
      ),
      imports: z.array(
        z.object({
          siteId: z.uuid(),
          id: z.uuid(),
          file: z.string(),
          address: z.string(),
          createdAt: z.iso.datetime(),
        }),
      ),
      revisions: z
        .array(z.object({ siteId: z.uuid(), articleId: z.uuid(), edits: z.int() }))
        .check(z.describe('Posts and guides with the number of their edits whose old values are kept')),
    })
    .register(z.globalRegistry, { id: 'PersonalData' }),
)

/** Everything about a present or removed operator outside of `operators`, their tokens and the audit log. @throws AppError operator_not_found */
export async function getPersonalData(ctx: Context, id: string): Promise<z.infer<typeof PersonalData>> {
  requireRole(ctx, 'admin')
  const { rows } = await ctx.db.execute(sql`
    with person as materialized (
      -- Otherwise Postgres looks the names up for each post.
      select names_of_person(${id}::uuid) as names
      -- An actor may also be a key.
      where exists (select from ${operators} where id = ${id})
        or exists (select from ${auditLog} where resource_id = ${id} and action like 'operator.%')
    )
    select names,
      ${listOf(
        sql`'readyAt', wire_time(p.ready_at)`,
        sql`${postTitles} t join ${posts} p on p.id = t.id where t.ready_at is not null and p.ready_by = any(names)`,
      )} as "readyPosts",
      ${listOf(
        sql`'note', p.change_request -> 'note', 'requestedAt', p.change_request -> 'requestedAt'`,
        sql`${postTitles} t join ${posts} p on p.id = t.id
          where t.changes_requested and p.change_request ->> 'requestedBy' = any(names)`,
      )} as "changeRequests",
      ${listOf(
        sql`'publishAt', wire_time(p.publish_at)`,
        sql`${posts} p where p.publish_at is not null and p.scheduled_by ->> 'id' = ${id}`,
      )} as schedules,
      ${listOf(
        sql`'id', l.id, 'createdAt', wire_time(l.created_at), 'expiresAt', wire_time(l.expires_at)`,
        sql`${previewLinks} l join ${posts} p on p.id = l.post_id where l.made_by = ${id}`,
      )} as "previewLinks",
      array(
        select json_build_object('siteId', site_id, 'id', id, 'file', name, 'address', address,
          'createdAt', wire_time(created_at))
        from ${imports} where started_by_id = ${id}) as imports,
      array(
        select json_build_object('siteId', r.site_id, 'articleId', r.article_id, 'edits', count(*))
        from ${auditLog} a join ${revisions} r on (r.site_id, r.article_id, r.at) = (a.site_id, a.resource_id, a.at)
        where a.actor_id = ${id} group by r.site_id, r.article_id) as revisions
    from person`)
  if (!rows[0]) throw new AppError('operator_not_found')
  return rows[0] as z.infer<typeof PersonalData>
}

const listOf = (fields: SQL, from: SQL) =>
  sql`array(select json_build_object('siteId', p.site_id, 'slug', p.slug, ${fields}) from ${from})`
