/** Putting posts: a bulk insert or update by slug that leaves unchanged posts alone. */

import { databaseError } from '../../db/client.ts'
import { posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { writeSite } from '../../freshness/site-versions.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { checkKeptIds, keptIdProblem, keptIds } from '../articles/kept-ids.ts'
import { type PutResult, takeResults } from '../articles/put-result.ts'
import type { PostInput } from './input.ts'
import { checkSources, flattenTranslations, upsertPosts } from './upsert.ts'

export type PutOptions = { where?: (index: number) => string; ids?: string[] | undefined }

/**
 * Writes up to 100 posts in one transaction. `where` returns the prefix of the path that an error names. `ids` are, by
 * position, what new posts get as their ids.
 *
 * @returns one result per input, in the same order
 * @throws AppError invalid_body when a slug or an id is given twice, an id is another's, or a source is missing or leads
 *   back to the post itself
 */
export async function putPosts(
  ctx: Context,
  site: SiteScope,
  inputs: PostInput[],
  { where = (index) => `posts[${index}].`, ids }: PutOptions = {},
): Promise<PutResult[]> {
  const slugs = inputs.map((input) => input.slug)
  const levels = inSourceOrder(inputs, where)
  const kept = keptIds(slugs, ids)
  const checks = ids ? [checkKeptIds(posts, site.id, kept)] : []
  const statements = [...checks, ...levels.map((level) => upsertPosts(site, level, kept))]
  if (inputs.some((input) => input.sourceSlug ?? input.sourcePostId)) {
    statements.push(flattenTranslations(site, slugs), checkSources(site, slugs))
  }
  try {
    const [first, ...others] = statements.map((statement) => ctx.db.execute(statement))
    const results = await writeSite(ctx, site.id, [first!, ...others])
    return takeResults(slugs, results.slice(checks.length, checks.length + levels.length))
  } catch (error) {
    throw keptIdProblem(error, slugs) ?? sourceProblem(error, inputs, where) ?? error
  }
}

/** Sources first, then their translations: a statement does not see the rows that it inserts. */
function inSourceOrder(inputs: PostInput[], where: (index: number) => string): PostInput[][] {
  const bySlug = new Map(inputs.map((input) => [input.slug, input]))
  if (bySlug.size < inputs.length) {
    const twice = inputs.findIndex((input) => bySlug.get(input.slug) !== input)
    throw new AppError('invalid_body', { path: `${where(twice)}slug`, message: 'must not be given twice' })
  }
  const root = (input: PostInput): PostInput => {
    let source = input
    for (let steps = 0; source.sourceSlug && bySlug.has(source.sourceSlug); steps++) {
      if (steps > inputs.length) {
        const path = `${where(inputs.indexOf(input))}sourceSlug`
        throw new AppError('invalid_body', { path, message: 'must not lead back to the post itself' })
      }
      source = bySlug.get(source.sourceSlug)!
    }
    return source
  }
  const first: PostInput[] = []
  const second: PostInput[] = []
  for (const input of inputs) {
    const source = root(input)
    if (source === input) first.push(input)
    // If that source is a translation of a stored post, the upsert resolves it further.
    else second.push({ ...input, sourceSlug: source.slug })
  }
  return [first, second].filter((level) => level.length > 0)
}

/** Turns the database's HC001 into an error about the input; null for any other error. */
function sourceProblem(
  error: unknown,
  inputs: PostInput[],
  where: (index: number) => string,
): AppError | null {
  const problem = databaseError(error)
  if (problem?.code !== 'HC001') return null
  const index = inputs.findIndex((input) => input.slug === problem.detail)
  const field = inputs[index]?.sourceSlug ? 'sourceSlug' : 'sourcePostId'
  return new AppError('invalid_body', { path: `${where(index)}${field}`, message: problem.message })
}
