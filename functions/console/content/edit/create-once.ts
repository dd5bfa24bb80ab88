import { createArticle } from '../../../../src/content/articles/create.ts'
import { type ArticleEditing, readStored } from '../../../../src/content/articles/edit.ts'
import type { ArticleInput } from '../../../../src/content/articles/kind.ts'
import type { Context } from '../../../../src/context.ts'
import { AppError } from '../../../../src/core/errors.ts'
import type { SiteScope } from '../../../../src/db/site-scope.ts'
import type { Editable } from './controls.ts'
import { toValues } from './edit-values.ts'

/** Creates an article. Does nothing if it is stored as typed, because the response to the first request may be lost. */
export async function createOnce<Input extends ArticleInput>(
  ctx: Context,
  editing: ArticleEditing<Input>,
  site: SiteScope,
  input: Input,
  editables: Editable[],
): Promise<{ slug: string }> {
  try {
    return await createArticle(ctx, editing, site, input)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'slug_taken')) throw error
    const { article } = await readStored<Input>(ctx, editing.kind, site, input.slug)
    const [typed, stored] = [input, article].map((body) => toValues(editables, body))
    const isStored = editables.every(({ name }) => typed![name] === '' || typed![name] === stored![name])
    if (!isStored) throw error
    return { slug: input.slug }
  }
}
