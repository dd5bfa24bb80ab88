/** The operator's change feed, for a complete copy: with drafts of guides, and articles as they were put. */
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { responseSchema } from '../core/zod.ts'
import { articleJson, bodyBytes, readOnlyShapes } from './articles/field-table.ts'
import { storedById } from './articles/stored.ts'
import { type ChangePage, changeFields, changeListOf, readChanges } from './changes.ts'
import { GUIDE, StoredGuide } from './guides/guide.ts'
import { POST_FIELDS } from './posts/fields.ts'
import { POST, StoredPost } from './posts/post.ts'

export const StoredChangeList = /* @__PURE__ */ responseSchema(() => {
  const change = z.object({
    ...changeFields,
    ...z.partial(z.object(readOnlyShapes(POST_FIELDS))).shape,
    post: z.optional(StoredPost.shape.post),
    guide: z.optional(StoredGuide.shape.guide),
  })
  return changeListOf(change.register(z.globalRegistry, { id: 'StoredChange' })).register(z.globalRegistry, {
    id: 'StoredChangeList',
  })
})

/** Returns JSON. @throws AppError cursor_expired */
export function listStoredChanges(ctx: Context, site: { id: string }, page: ChangePage): Promise<string> {
  return readChanges(ctx, site, page, {
    drafts: { post: true, guide: true },
    bytes: { post: bodyBytes(POST), guide: bodyBytes(GUIDE) },
    async content(ids) {
      const guides = storedById(ctx, site, GUIDE, ids)
      const rows = await storedById(ctx, site, POST, ids).unionAll(guides)
      return new Map(
        rows.map(({ id, readOnly, ...row }) => [
          id,
          { json: articleJson(row), readOnly: JSON.parse(readOnly) },
        ]),
      )
    },
  })
}
