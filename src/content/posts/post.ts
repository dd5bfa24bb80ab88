import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { responseSchema } from '../../core/zod.ts'
import { posts } from '../../db/schema.ts'
import { apiShapes, inputOf, listedShapes, readOnlyShapes } from '../articles/field-table.ts'
import type { Kind } from '../articles/kind.ts'
import { PARTIAL, pageShape } from '../articles/shared-fields.ts'
import { CHANGES_REQUESTED, POST_FIELDS } from './fields.ts'
import { rebuildBundleUrlsFor } from './schema-bundles.ts'

export const PostInput = z.strictObject(inputOf(POST_FIELDS))

export type PostInput = z.infer<typeof PostInput>

export const Post = /* @__PURE__ */ responseSchema(() =>
  z.object(apiShapes(POST_FIELDS)).register(z.globalRegistry, { id: 'Post' }),
)

export type Post = z.infer<typeof Post>

export const PartialPost = /* @__PURE__ */ responseSchema(() => {
  const { id, slug, updatedAt } = Post.shape
  return z
    .extend(z.partial(Post), { id, slug, updatedAt })
    .register(z.globalRegistry, { id: 'PartialPost', description: PARTIAL })
})

export const PostList = /* @__PURE__ */ responseSchema(() =>
  z.object({ items: z.array(Post), ...pageShape }).register(z.globalRegistry, { id: 'PostListResponse' }),
)

export const PartialPostList = /* @__PURE__ */ responseSchema(() =>
  z
    .object({ items: z.array(PartialPost), ...pageShape })
    .register(z.globalRegistry, { id: 'PartialPostList' }),
)

export const ListedPost = /* @__PURE__ */ responseSchema(() =>
  z
    .object({ id: z.uuid(), ...listedShapes(POST_FIELDS), updatedAt: z.iso.datetime() })
    .register(z.globalRegistry, { id: 'ListedPost' }),
)

export const StoredPost = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      updatedAt: z.iso.datetime(),
      ...readOnlyShapes(POST_FIELDS),
      post: PostInput.check(
        z.meta({ id: 'PostBody', description: 'The body that puts the same post again' }),
      ),
    })
    .register(z.globalRegistry, { id: 'StoredPost' }),
)

export const POST: Kind = {
  noun: 'post',
  missing: 'post_not_found',
  table: posts,
  fields: POST_FIELDS,
  changesRequested: CHANGES_REQUESTED,
  touched: sql`(publish_at is not null
    or coalesce((change_request ->> 'requestedAt')::timestamptz > updated_at, false))`,
  following: rebuildBundleUrlsFor,
}
