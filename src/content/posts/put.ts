/** Putting posts, sources before their translations. */
import { type SQL, sql } from 'drizzle-orm'
import { type Reason, refusalOf, refuse } from '../../db/refusals.ts'
import { posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { type PutOptions, type PutResults, putArticles } from '../articles/put.ts'
import { POST, type PostInput } from './post.ts'

/**
 * Writes up to 100 posts, as `putArticles` does.
 *
 * @throws AppError invalid_body when a slug or an id is given twice, an id is another's, or a source is missing or leads
 *   back to the post itself
 */
export async function putPosts(
  ctx: Context,
  site: SiteScope,
  inputs: PostInput[],
  options: PutOptions = {},
): Promise<PutResults> {
  const { where = (index) => `posts[${index}].` } = options
  const slugs = inputs.map(({ slug }) => slug)
  const isAnyTranslation = inputs.some((input) => input.sourceSlug ?? input.sourcePostId)
  const after = isAnyTranslation ? [flattenTranslations(site, slugs), checkSources(site, slugs)] : []
  try {
    return await putArticles(ctx, POST, site, inputs, options, () => ({
      levels: inSourceOrder(inputs, where),
      after,
    }))
  } catch (error) {
    throw sourceProblem(error, inputs, where) ?? error
  }
}

/** Sources first, then their translations. */
function inSourceOrder(inputs: PostInput[], where: (index: number) => string): PostInput[][] {
  const bySlug = new Map(inputs.map((input) => [input.slug, input]))
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

/** Keeps translations one level deep: those of a post that became a translation itself move to its source. */
function flattenTranslations(site: SiteScope, slugs: string[]): SQL {
  return sql`
    update ${posts} set source_post_id = s.root_id
    from (
      select id, source_post_id as root_id from ${posts}
      where site_id = ${site.id} and slug in ${slugs} and source_post_id is not null
    ) s
    where site_id = ${site.id} and source_post_id = s.id and s.root_id <> posts.id`
}

/** Fails the batch if sources given by id form a cycle. */
function checkSources(site: SiteScope, slugs: string[]): SQL {
  return sql`
    select ${refuse('source_circle', sql`'slug', t.slug`)}
    from ${posts} t join ${posts} s on s.id = t.source_post_id
    where t.site_id = ${site.id} and t.slug in ${slugs} and s.source_post_id is not null`
}

const SOURCE_PROBLEMS: { [reason in Reason]?: string } = {
  source_missing: 'must name a post of this site',
  source_is_translation: 'must not be a translation of this post',
  source_circle: 'must not lead back to the post itself',
}

/** Turns a refusal of a source into an error about the input; null for any other error. */
function sourceProblem(
  error: unknown,
  inputs: PostInput[],
  where: (index: number) => string,
): AppError | null {
  const refusal = refusalOf(error)
  const message = refusal && SOURCE_PROBLEMS[refusal.reason]
  if (!message) return null
  const index = inputs.findIndex(({ slug }) => slug === refusal.slug)
  const field = inputs[index]?.sourceSlug ? 'sourceSlug' : 'sourcePostId'
  return new AppError('invalid_body', { path: `${where(index)}${field}`, message })
}
