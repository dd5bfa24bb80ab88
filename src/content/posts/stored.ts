import * as z from 'zod/mini'
import { responseSchema } from '../../core/zod.ts'
import { listedShapes, readOnlyShapes } from '../articles/field-table.ts'
import { POST_FIELDS } from './fields.ts'
import { PostInput } from './post.ts'

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
