/** A post: what it is to a caller, and in what it differs from a guide. */
import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { posts } from '../../db/schema.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { apiShapes, inputOf } from '../articles/field.ts'
import { PARTIAL } from '../articles/fields.ts'
import type { PutKind } from '../articles/kind.ts'
import { pageShape } from '../articles/page.ts'
import { derivedAgain, derivePost } from './derive.ts'
import { CHANGES_REQUESTED, POST_FIELDS } from './fields.ts'
import { moveBundleTo } from './schema-bundles.ts'

export const PostInput = z.strictObject(inputOf(POST_FIELDS))

export type PostInput = z.infer<typeof PostInput>

export const Post = /* @__PURE__ */ wireShape(() =>
  z.object(apiShapes(POST_FIELDS)).register(z.globalRegistry, { id: 'Post' }),
)

export type Post = z.infer<typeof Post>

/** Of `fields`. */
export const PartialPost = /* @__PURE__ */ wireShape(() => {
  const { id, slug, updatedAt } = Post.shape
  return z
    .extend(z.partial(Post), { id, slug, updatedAt })
    .register(z.globalRegistry, { id: 'PartialPost', description: PARTIAL })
})

export const PostList = /* @__PURE__ */ wireShape(() =>
  z.object({ items: z.array(Post), ...pageShape }).register(z.globalRegistry, { id: 'PostListResponse' }),
)

/** Of `fields`. */
export const PartialPostList = /* @__PURE__ */ wireShape(() =>
  z
    .object({ items: z.array(PartialPost), ...pageShape })
    .register(z.globalRegistry, { id: 'PartialPostList' }),
)

export const POST: PutKind<PostInput> = {
  noun: 'post',
  missing: 'post_not_found',
  table: posts,
  fields: POST_FIELDS,
  derive: derivePost,
  derivedAgain,
  joins: (site) => sql`
    cross join lateral (
      select not i.schema_bundle_derived and coalesce(e.schema_bundle_derived
        and undated_bundle(e.schema_bundle) = undated_bundle(i.schema_bundle), false) as is_put_back
    ) r
    left join ${posts} s on s.site_id = ${site.id}
      and (s.slug = i.source_slug or (i.source_slug is null and s.id = i.source_post_id))`,
  uponEdit: [
    [posts.readyAt, 'null'],
    [posts.publishAt, 'null'],
    [posts.changeRequest, `e.change_request || jsonb_build_object('changedAt', wire_time(now()))`],
  ],
  changesRequested: CHANGES_REQUESTED,
  schedule: {
    isNone: sql`publish_at is null`,
    end: sql`publish_at = null`,
    cancelled: (was, is) => sql`case when ${is}.publish_at is null then wire_time(${was}.publish_at) end`,
  },
  touched: sql`(publish_at is not null
    or coalesce((change_request ->> 'requestedAt')::timestamptz > updated_at, false))`,
  following: (site, slug) => sql`, ${moveBundleTo(site, slug)}`,
}
