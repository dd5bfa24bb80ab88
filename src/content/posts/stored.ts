/** What a post is to the operator. */
import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { posts } from '../../db/schema.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { besideShapes, listedShapes } from '../articles/field.ts'
import type { StoredKind } from '../articles/stored.ts'
import { POST_FIELDS } from './fields.ts'
import { POST, PostInput } from './post.ts'

export const ListedPost = /* @__PURE__ */ wireShape(() =>
  z
    .object({ id: z.uuid(), ...listedShapes(POST_FIELDS), updatedAt: z.iso.datetime() })
    .register(z.globalRegistry, { id: 'ListedPost' }),
)

export const StoredPost = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      id: z.uuid(),
      updatedAt: z.iso.datetime(),
      ...besideShapes(POST_FIELDS),
      post: PostInput.check(z.meta({ id: 'PostBody', description: 'What puts the same post again' })),
    })
    .register(z.globalRegistry, { id: 'StoredPost' }),
)

export const STORED_POSTS: StoredKind = {
  ...POST,
  bytes: sql`${posts.wireBytes} + json_bytes(${posts.provenance}::text)`,
}
