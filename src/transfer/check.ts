import * as z from 'zod/mini'
import { GuideInput } from '../content/guides/guide.ts'
import type { ArticleKind } from '../content/model/article-filters.ts'
import { PostInput } from '../content/posts/post.ts'
import { joinIssues } from '../core/errors.ts'
import { MAX_BODY_BYTES } from '../core/limits.ts'
import { customError, issuesOf } from '../core/zod.ts'
import { findUnstorable } from '../db/json-value.ts'
import { byteLength } from './batches.ts'

z.config({ customError })

/** Checks an article for `--dry-run` by the API's rules, without the service; null if it is valid. */
export function problemOf(kind: ArticleKind, article: { slug: string }): string | null {
  const unstorable = findUnstorable(article)
  if (unstorable) return `Invalid body: ${joinIssues([unstorable])}`
  const { slug: _, ...body } = article
  if (byteLength(JSON.stringify(body)) > MAX_BODY_BYTES)
    return `larger than ${MAX_BODY_BYTES / 2 ** 20} MiB as JSON, which is the limit of an article`
  const { success, error } = z.safeParse<z.ZodMiniType>(kind === 'posts' ? PostInput : GuideInput, article)
  return success ? null : `Invalid body: ${joinIssues(issuesOf(error))}`
}
