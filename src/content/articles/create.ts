/** Puts an article that must not exist yet. */
import { sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { refusalOf, refuse } from '../../db/refusals.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { checkSize } from './edit.ts'
import type { ArticleInput, Kind } from './kind.ts'
import type { Put } from './put.ts'

/** @throws AppError slug_taken; invalid_body */
export async function createArticle<Input extends ArticleInput>(
  ctx: Context,
  { kind: { table }, put }: { kind: Kind; put: Put<Input> },
  site: SiteScope,
  input: Input,
): Promise<{ slug: string }> {
  checkSize(input)
  // In the put's transaction, under the site's lock, so that nobody else's new article is overwritten.
  const checkSlug = sql`
    select ${refuse('slug_taken', sql``)}
    where exists (select from ${table} where site_id = ${site.id} and slug = ${input.slug})`
  try {
    await put(ctx, site, [input], { where: () => '', before: [checkSlug] })
    return { slug: input.slug }
  } catch (error) {
    throw refusalOf(error)?.reason === 'slug_taken' ? new AppError('slug_taken') : error
  }
}
