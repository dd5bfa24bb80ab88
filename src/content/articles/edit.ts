/** Edits an article: puts the stored one with some fields changed, unless somebody else has changed it. */
import { and, eq, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { MAX_BODY_BYTES } from '../../core/limits.ts'
import type { posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { setEditedFields } from '../../db/write.ts'
import type { ArticleInput, Kind } from './kind.ts'
import type { PutOptions, PutResults } from './put.ts'
import { checkUnchanged } from './put-checks.ts'
import { getStored } from './stored.ts'
import { isSlugTaken, toSlug } from './transitions.ts'

/** An article as the operator has it: `article` is the body that puts it again. */
export type StoredArticle<Input> = {
  updatedAt: string
  /** When the draft was marked ready. Posts only. */
  readyAt?: string | null
  /** When the draft is to be published. Posts only. */
  publishAt?: string | null
  article: Input
}

/** @throws AppError post_not_found or guide_not_found */
export async function readStored<Input>(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  slugText: string,
): Promise<StoredArticle<Input>> {
  const { [kind.noun]: article, ...readOnly } = JSON.parse(await getStored(ctx, site, kind, slugText))
  return { ...readOnly, article }
}

export type ArticleEditing<Input extends ArticleInput> = {
  kind: Kind
  /** Sets to undefined each field that the put must derive again. */
  deriveAgain: (stored: Input, edit: Partial<Input>) => Partial<Input>
  put: (ctx: Context, site: SiteScope, inputs: Input[], options: PutOptions) => Promise<PutResults>
}

/**
 * Writes the edit of an article, a new slug among it, in one transaction. Fields derived from an edited field are derived
 * again; status and times of publication are kept. An edit without a change writes nothing.
 *
 * @returns the slug that it has now, and when it was to be published if that is cancelled
 * @throws AppError changed_meanwhile when it is no longer as in `stored`; slug_taken; invalid_body
 */
export async function editArticle<Input extends ArticleInput>(
  ctx: Context,
  { kind, deriveAgain, put }: ArticleEditing<Input>,
  site: SiteScope,
  { updatedAt, article }: StoredArticle<Input>,
  edit: Partial<Input>,
): Promise<{ slug: string; isChanged: boolean; cancelledSchedule?: string | undefined }> {
  const { slug } = article
  const { slug: renamed = slug, ...fields } = edit
  const input = { ...article, ...edit, ...deriveAgain(article, edit), ...keptStates(kind), slug }
  if (new TextEncoder().encode(JSON.stringify(input)).length > MAX_BODY_BYTES) {
    const message = 'makes it larger than 8 MiB, with all its other fields'
    throw new AppError('invalid_body', { path: 'contentHtml', message })
  }
  const isRenamed = renamed !== slug
  const before = [
    checkUnchanged(kind.table, site.id, slug, updatedAt),
    sql`select ${setEditedFields(Object.keys(fields))}`,
  ]
  const after = [sql`select ${setEditedFields([])}`, renaming(ctx, kind, site, slug, renamed)]
  try {
    const [result] = await put(ctx, site, [input], { where: () => '', before, ...(isRenamed && { after }) })
    const { outcome, cancelledSchedule } = result!
    return { slug: renamed, isChanged: isRenamed || outcome !== 'unchanged', cancelledSchedule }
  } catch (error) {
    throw isSlugTaken(error) ? new AppError('slug_taken') : error
  }
}

const renaming = ({ db }: Context, kind: Kind, site: SiteScope, slug: string, renamed: string) =>
  db
    .update(kind.table as typeof posts)
    .set(toSlug(kind, site, renamed))
    .where(and(eq(kind.table.siteId, site.id), eq(kind.table.slug, slug)))
    .getSQL()

/** Left out, they are kept, also where another has changed them meanwhile. */
const keptStates = ({ fields }: Kind) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { put, input }]) =>
      put === 'state' && input ? [[name, undefined]] : [],
    ),
  )
