/** Publishes, unpublishes, renames and deletes articles. */
import { and, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { wireTime } from '../../core/time.ts'
import { wireShape } from '../../core/zod.ts'
import { databaseError } from '../../db/client.ts'
import { postStatuses } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type Sending, writeSite } from '../../freshness/write-site.ts'
import { type Kind, requireSlug } from './kind.ts'
import { cancelledBy, cancelledSchedule, type StateChange } from './state-change.ts'
import { type Update, updateArticle, updateArticles } from './update.ts'

export const Publication = /* @__PURE__ */ wireShape(() =>
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

/** `refused`: it was left alone because changes are requested. */
type Updated = Publication & { changed: boolean; refused: boolean }

/** With `events=none`: how many events were left out. */
export const EventsNotSent = z.object({ eventsNotSent: z.int() })

export type StateOptions = {
  events?: Sending | undefined
  /** Publishes no post with requested changes. */
  unlessChangesRequested?: boolean
}

/**
 * Publishes or unpublishes an article and ends its schedule. Changes nothing if it has that status and no schedule.
 *
 * @throws AppError that there is none; changes_requested
 */
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

/**
 * Publishes or unpublishes up to 100 articles, in one statement.
 *
 * @returns the articles that exist; `changed` if it had another status, `refused` if it was left alone
 */
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

/** From one `updatedAt` to another; no two articles of a site have the same. */
export type UpdateRange = { from: string; to: string }

/**
 * Publishes or unpublishes the articles with these versions, in one statement: those that a write has changed and nobody has
 * touched since.
 *
 * @returns the articles that had another status
 */
export async function setStatusesOfVersions(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  { from, to }: UpdateRange,
  status: 'draft' | 'published',
): Promise<Updated[]> {
  const has = sql`updated_at between ${from}::timestamptz and ${to}::timestamptz`
  const isAsItWas = kind.touched ? sql`${has} and not ${kind.touched}` : has
  const updated = await setStatus(ctx, kind, site, isAsItWas, status)
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
    changed: change.is.status !== change.was.status,
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

/** An article that was left alone, though it had another status. */
const isRefused = ({ was, is }: StateChange, status: 'draft' | 'published'): boolean =>
  is === was && (was.status !== status || was.publishAt != null)

/**
 * Gives an article another slug; with that slug already it changes nothing.
 *
 * @throws AppError that there is none; slug_taken
 */
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

/** The columns that a rename sets. */
export const toSlug = ({ following }: Kind, site: SiteScope, slug: string) => ({
  slug,
  ...following?.(site, slug),
})

/** True if the error says that another article has the slug. */
export const isSlugTaken = (error: unknown): boolean =>
  ['posts_slug', 'guides_slug'].includes(databaseError(error)?.constraint ?? '')

/** @returns how many events were not sent @throws AppError that there is none */
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

const toPublication = ({ was, is }: StateChange): Publication => ({
  slug: is.slug,
  id: is.id,
  status: is.status,
  publishedAt: wireTime(is.publishedAt),
  updatedAt: wireTime(is.updatedAt),
  ...cancelledBy({ was, is }),
})
