import { and, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { wireTime } from '../../core/time.ts'
import { responseSchema } from '../../core/zod.ts'
import { databaseError } from '../../db/client.ts'
import { postStatuses } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type EventMode, writeSite } from '../../freshness/write-site.ts'
import { type Kind, requireSlug } from './kind.ts'
import {
  cancelledBy,
  cancelledSchedule,
  type ReviewOptions,
  type StateChange,
  type Update,
  updateArticle,
  updateArticles,
} from './update.ts'

export const Publication = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      slug: z.string(),
      id: z.uuid(),
      status: z.enum(postStatuses),
      publishedAt: z.nullable(z.iso.datetime()),
      updatedAt: z.iso.datetime(),
      cancelledSchedule,
    })
    .register(z.globalRegistry, { id: 'Publication' }),
)

export type Publication = z.infer<typeof Publication>

/** `refused`: changes are requested. */
type Updated = Publication & { changed: boolean; refused: boolean }

export const EventsNotSent = z.object({ eventsNotSent: z.int() })

export type StateOptions = ReviewOptions & { events?: EventMode | undefined }

/** Also ends the schedule. @throws AppError post_not_found or guide_not_found; changes_requested */
export async function setArticleStatus(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  slugText: string,
  status: 'draft' | 'published',
  options: StateOptions = {},
): Promise<Publication & { eventsNotSent?: number }> {
  const { eventsNotSent, ...change } = await updateArticle(
    ctx,
    kind,
    site,
    slugText,
    toStatus(kind, status, options),
  )
  if (isRefused(change, status)) throw new AppError('changes_requested')
  return { ...toPublication(change), ...(options.events === 'none' && { eventsNotSent }) }
}

/** One statement for up to 100 articles. Returns those that exist. */
export async function setArticleStatuses(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  slugs: string[],
  status: 'draft' | 'published',
  options: StateOptions = {},
): Promise<Updated[]> {
  const isNamed = inArray(kind.table.slug, slugs)
  return setStatus(ctx, kind, site, isNamed, status, options)
}

/** The first and last `updatedAt`, which is unique in a site. */
export type UpdateRange = { from: string; to: string }

/** Sets the status of articles that a write changed and nobody has changed since. Returns those whose status changed. */
export async function setStatusesOfVersions(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  { from, to }: UpdateRange,
  status: 'draft' | 'published',
): Promise<Updated[]> {
  const isInRange = sql`updated_at between ${from}::timestamptz and ${to}::timestamptz`
  const isUntouched = kind.touched ? sql`${isInRange} and not ${kind.touched}` : isInRange
  const updated = await setStatus(ctx, kind, site, isUntouched, status)
  return updated.filter(({ changed }) => changed)
}

async function setStatus(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  which: SQL,
  status: 'draft' | 'published',
  options: StateOptions = {},
): Promise<Updated[]> {
  const { changes } = await updateArticles(ctx, kind.table, site, which, toStatus(kind, status, options))
  return changes.map((change) => ({
    ...toPublication(change),
    changed: change.after.status !== change.before.status,
    refused: isRefused(change, status),
  }))
}

function toStatus(
  { table, changesRequested }: Kind,
  status: 'draft' | 'published',
  { events, unlessChangesRequested }: StateOptions,
): Update {
  const { publishedAt } = table
  const now = sql`coalesce(${publishedAt}, date_trunc('milliseconds', now()))`
  const isUnscheduled = 'publishAt' in table ? isNull(table.publishAt) : undefined
  return {
    set: {
      status,
      publishedAt: status === 'published' ? now : publishedAt,
      ...('publishAt' in table && { publishAt: null }),
    },
    unless: or(
      and(eq(table.status, status), isUnscheduled),
      unlessChangesRequested && status === 'published' ? changesRequested : undefined,
    ),
    events,
  }
}

const isRefused = ({ before, after }: StateChange, status: 'draft' | 'published'): boolean =>
  after === before && (before.status !== status || before.publishAt != null)

/** Does nothing if it has the slug already. @throws AppError post_not_found or guide_not_found; slug_taken */
export async function renameArticle(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  slugText: string,
  renamed: string,
): Promise<Publication> {
  const update = { set: toSlug(kind, site, renamed), unless: eq(kind.table.slug, renamed) }
  try {
    return toPublication(await updateArticle(ctx, kind, site, slugText, update))
  } catch (error) {
    throw isSlugTaken(error) ? new AppError('slug_taken') : error
  }
}

export const toSlug = ({ following }: Kind, site: SiteScope, slug: string) => ({
  slug,
  ...following?.(site, slug),
})

export const isSlugTaken = (error: unknown): boolean =>
  ['posts_slug', 'guides_slug'].includes(databaseError(error)?.constraint ?? '')

/** @throws AppError post_not_found or guide_not_found */
export async function deleteArticle(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  slugText: string,
  { events = 'all' }: StateOptions = {},
): Promise<z.infer<typeof EventsNotSent>> {
  const { id, siteId, slug, status } = kind.table
  const old = requireSlug(kind, slugText)
  const deletion = ctx.db
    .delete(kind.table)
    .where(and(eq(siteId, site.id), eq(slug, old)))
    .returning({ id, status })
  const { results, eventsNotSent } = await writeSite(ctx, site.id, [deletion], {
    sending: events,
    hidesPublished: ([rows]) => rows.some((row) => row.status === 'published'),
  })
  if (results[0].length === 0) throw new AppError(kind.missing)
  return { eventsNotSent }
}

const toPublication = ({ before, after }: StateChange): Publication => ({
  slug: after.slug,
  id: after.id,
  status: after.status,
  publishedAt: wireTime(after.publishedAt),
  updatedAt: wireTime(after.updatedAt),
  ...cancelledBy({ before, after }),
})
