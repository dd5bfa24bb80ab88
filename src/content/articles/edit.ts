/** Edits some fields of an article with a full put, unless somebody else has changed it. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { requireRole } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { MAX_BODY_BYTES } from '../../core/limits.ts'
import { refuse } from '../../db/refusals.ts'
import type { posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import type { ArticleInput, Kind } from './kind.ts'
import type { Put } from './put.ts'
import { getStored } from './stored.ts'
import { isSlugTaken, toSlug } from './transitions.ts'

/** `article` is the body that puts it again. Only posts have `readyAt` and `publishAt`. */
export type StoredArticle<Input> = {
  id: string
  updatedAt: string
  readyAt?: string | null
  publishAt?: string | null
  article: Input
}

/** @throws AppError post_not_found or guide_not_found */
export async function readStored<Input>(
  ctx: Context,
  kind: Kind,
  site: { id: string },
  slugText: string,
): Promise<StoredArticle<Input>> {
  const { [kind.noun]: article, ...readOnly } = JSON.parse(await getStored(ctx, site, kind, slugText))
  return { ...readOnly, article }
}

export type ArticleEditing<Input extends ArticleInput> = {
  kind: Kind
  /** Clears the fields that the put must derive again. */
  deriveAgain: (stored: Input, edit: Partial<Input>) => Partial<Input>
  put: Put<Input>
}

/** One transaction; status and publication times stay. @throws AppError changed_meanwhile; slug_taken; invalid_body */
export async function editArticle<Input extends ArticleInput>(
  ctx: Context,
  { kind, deriveAgain, put }: ArticleEditing<Input>,
  site: SiteScope,
  { updatedAt, article }: StoredArticle<Input>,
  edit: Partial<Input>,
): Promise<{ slug: string; isChanged: boolean; cancelledSchedule?: string | undefined }> {
  requireRole(ctx, 'editor')
  const { slug } = article
  const { slug: renamed = slug } = edit
  const input = { ...article, ...edit, ...deriveAgain(article, edit), ...omitStates(kind), slug }
  checkSize(input)
  const isRenamed = renamed !== slug
  try {
    const { items } = await put(ctx, site, [input], {
      where: () => '',
      before: [checkUnchanged(kind, site, slug, updatedAt)],
      ...(isRenamed && { after: [renaming(ctx, kind, site, slug, renamed)], isRenamed }),
    })
    const { outcome, cancelledSchedule } = items[0]!
    return { slug: renamed, isChanged: isRenamed || outcome !== 'unchanged', cancelledSchedule }
  } catch (error) {
    throw isSlugTaken(error) ? new AppError('slug_taken') : error
  }
}

/** The API refuses larger bodies. */
export function checkSize(input: ArticleInput): void {
  if (new TextEncoder().encode(JSON.stringify(input)).length <= MAX_BODY_BYTES) return
  const message = 'makes the article larger than 8 MiB, with its other fields'
  throw new AppError('invalid_body', { path: 'contentHtml', message })
}

/** The site's lock keeps everybody else from writing until the commit. */
const checkUnchanged = ({ table }: Kind, site: SiteScope, slug: string, updatedAt: string): SQL => sql`
  select ${refuse('changed_meanwhile', sql``)} where not exists (
    select from ${table} where site_id = ${site.id} and slug = ${slug} and updated_at = ${updatedAt}::timestamptz)`

const renaming = ({ db }: Context, kind: Kind, site: SiteScope, slug: string, renamed: string) =>
  db
    .update(kind.table as typeof posts)
    .set(toSlug(kind, site, renamed))
    .where(and(eq(kind.table.siteId, site.id), eq(kind.table.slug, slug)))
    .getSQL()

/** The put keeps omitted states, even if another request has changed them since the read. */
const omitStates = ({ fields }: Kind) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { put, input }]) =>
      put === 'state' && input ? [[name, undefined]] : [],
    ),
  )
