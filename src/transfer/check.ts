import * as z from 'zod/mini'
import { GuideInput } from '../content/guides/guide.ts'
import type { ArticleKind } from '../content/model/article-filters.ts'
import { PostInput } from '../content/posts/post.ts'
import { type Issue, joinIssues } from '../core/errors.ts'
import { MAX_BODY_BYTES } from '../core/limits.ts'
import { customError, issuesOf } from '../core/zod.ts'
import { findUnstorable } from '../db/json-value.ts'
import { byteLength } from './batches.ts'
import type { Skipped } from './source.ts'

z.config({ customError })

type Problem = Pick<Skipped, 'reason' | 'issues'>

/** Checks an article for `--dry-run` by the API's rules, without the service; null if it is valid. */
export function problemOf(kind: ArticleKind, article: { slug: string }): Problem | null {
  const unstorable = findUnstorable(article)
  if (unstorable) return invalid([unstorable])
  const { slug: _, ...body } = article
  if (byteLength(JSON.stringify(body)) > MAX_BODY_BYTES)
    return { reason: `larger than ${MAX_BODY_BYTES / 2 ** 20} MiB as JSON, which is the limit of an article` }
  const { success, error } = z.safeParse<z.ZodMiniType>(kind === 'posts' ? PostInput : GuideInput, article)
  return success ? null : invalid(issuesOf(error))
}

const invalid = (issues: readonly Issue[]): Problem => ({
  reason: `Invalid body: ${joinIssues(issues)}`,
  issues,
})
