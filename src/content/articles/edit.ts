/** Editing an article: a put of what it has with some fields changed, as long as it is still what was read. */
import { sql } from 'drizzle-orm'
import { setEditedFields } from '../../db/write.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { MAX_BODY_BYTES } from '../../foundation/limits.ts'
import { withdrawEvents } from '../../freshness/write-site.ts'
import type { SiteScope } from '../../sites/sites.ts'
import type { ArticleInput, Kind, PutKind } from './kind.ts'
import type { PutOptions, PutResults } from './put.ts'
import { isTaken, renaming } from './states.ts'
import { getStored } from './stored.ts'
import { checkUnchanged } from './unchanged.ts'

/** An article as the operator has it: `article` is the body that puts it again. */
export type StoredArticle<Input> = {
  updatedAt: string
  /** Of a post: when the draft was marked ready. */
  readyAt?: string | null
  /** Of a post: when the draft is to be published. */
  publishAt?: string | null
  article: Input
}

/** @throws AppError post_not_found or guide_not_found */
export async function readStored<Input>(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  written: string,
): Promise<StoredArticle<Input>> {
  const { [kind.noun]: article, ...beside } = JSON.parse(await getStored(ctx, site, kind, written))
  return { ...beside, article }
}

export type ArticleEditing<Input extends ArticleInput> = {
  kind: PutKind<Input>
  put: (ctx: Context, site: SiteScope, inputs: Input[], options: PutOptions) => Promise<PutResults>
}

/**
 * Writes the edit of an article, a new slug among it, in one transaction. What was derived from an edited field is derived
 * again; status and times of publication are kept. An edit without a change writes nothing.
 *
 * @returns the slug that it has now, and when it was to be published if that is cancelled
 * @throws AppError changed_meanwhile when it is no longer as in `stored`; slug_taken; invalid_body
 */
export async function editArticle<Input extends ArticleInput>(
  ctx: Context,
  { kind, put }: ArticleEditing<Input>,
  site: SiteScope,
  { updatedAt, article }: StoredArticle<Input>,
  edit: Partial<Input>,
): Promise<{ slug: string; isChanged: boolean; cancelledSchedule?: string | undefined }> {
  const { slug } = article
  const { slug: renamed = slug, ...fields } = edit
  const input = { ...article, ...edit, ...kind.derivedAgain(site, article, edit), ...keptStates(kind), slug }
  if (new TextEncoder().encode(JSON.stringify(input)).length > MAX_BODY_BYTES) {
    const message = 'makes it larger than 8 MiB, with all its other fields'
    throw new AppError('invalid_body', { path: 'contentHtml', message })
  }
  const isRenamed = renamed !== slug
  const around = {
    before: [
      checkUnchanged(kind, site.id, slug, updatedAt),
      sql`select ${setEditedFields(Object.keys(fields))}`,
    ],
    // The event of the edit has the old slug. That of the rename tells both.
    after: isRenamed
      ? [
          withdrawEvents(ctx, site.id).getSQL(),
          sql`select ${setEditedFields([])}`,
          renaming(kind, site, slug, renamed),
        ]
      : [],
  }
  try {
    const [result] = await put(ctx, site, [input], { where: () => '', around })
    const { outcome, cancelledSchedule } = result!
    return { slug: renamed, isChanged: isRenamed || outcome !== 'unchanged', cancelledSchedule }
  } catch (error) {
    throw isTaken(error) ? new AppError('slug_taken') : error
  }
}

/** Left out, they are kept, also where another has changed them meanwhile. */
const keptStates = ({ fields }: Kind) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { put, input }]) =>
      put === 'state' && input ? [[name, undefined]] : [],
    ),
  )
