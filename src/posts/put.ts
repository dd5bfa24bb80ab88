/** Putting posts: insert or update by slug, many at once, and nothing at all where nothing changed. */
import { type PutResult, takeResults } from '../articles/put-result.ts'
import type { Context } from '../context.ts'
import { databaseError } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { writeSite } from '../site-versions.ts'
import type { SiteScope } from '../sites.ts'
import type { PostInput } from './input.ts'
import { checkSources, flatten, upsertPosts } from './upsert.ts'

/**
 * Writes up to 100 posts in one transaction: all of them, or none. `where` begins the path of a refused field.
 *
 * @returns an outcome for each input, in its order
 * @throws AppError invalid_body when a slug is there twice or a source cannot be found
 */
export async function putPosts(
  ctx: Context,
  site: SiteScope,
  inputs: PostInput[],
  where: (index: number) => string = (index) => `posts[${index}].`,
): Promise<PutResult[]> {
  const levels = inSourceOrder(inputs, where)
  const statements = levels.map((level) => upsertPosts(site, level))
  if (inputs.some((input) => input.sourceSlug ?? input.sourcePostId)) {
    const slugs = inputs.map((input) => input.slug)
    statements.push(flatten(site, slugs), checkSources(site, slugs))
  }
  try {
    const [first, ...others] = statements.map((statement) => ctx.db.execute(statement))
    const results = await writeSite(ctx, site.id, [first!, ...others])
    return takeResults(
      inputs.map((input) => input.slug),
      results.slice(0, levels.length),
    )
  } catch (error) {
    throw sourceProblem(error, inputs, where) ?? error
  }
}

/** Sources before their translations, since a statement does not see the rows it inserts itself. */
function inSourceOrder(inputs: PostInput[], where: (index: number) => string): PostInput[][] {
  const bySlug = new Map(inputs.map((input) => [input.slug, input]))
  if (bySlug.size < inputs.length) {
    const twice = inputs.findIndex((input) => bySlug.get(input.slug) !== input)
    throw new AppError('invalid_body', { path: `${where(twice)}slug`, message: 'must not be given twice' })
  }
  const root = (input: PostInput): PostInput => {
    let at = input
    for (let steps = 0; at.sourceSlug && bySlug.has(at.sourceSlug); steps++) {
      if (steps > inputs.length) {
        const path = `${where(inputs.indexOf(input))}sourceSlug`
        throw new AppError('invalid_body', { path, message: 'must not lead back to the post itself' })
      }
      at = bySlug.get(at.sourceSlug)!
    }
    return at
  }
  const first: PostInput[] = []
  const second: PostInput[] = []
  for (const input of inputs) {
    const source = root(input)
    if (source === input) first.push(input)
    // A source that is itself a translation of a stored post is resolved by the database.
    else second.push({ ...input, sourceSlug: source.slug })
  }
  return [first, second].filter((level) => level.length > 0)
}

/** The database's refusal of a source, as one of the input. */
function sourceProblem(
  error: unknown,
  inputs: PostInput[],
  where: (index: number) => string,
): AppError | null {
  const problem = databaseError(error)
  if (problem?.code !== 'HC001') return null
  const at = inputs.findIndex((input) => input.slug === problem.detail)
  const field = inputs[at]?.sourceSlug ? 'sourceSlug' : 'sourcePostId'
  return new AppError('invalid_body', { path: `${where(at)}${field}`, message: problem.message })
}
