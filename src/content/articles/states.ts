/** What happens to an article: publish, unpublish, rename, delete. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { databaseError } from '../../db/client.ts'
import { postStatuses } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { wireTime } from '../../foundation/time.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { type Sending, writeSite } from '../../freshness/write-site.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { type Kind, slugOf } from './kind.ts'
import { cancelledSchedule } from './put.ts'
import { type Outcome, type Update, updateArticle, updateArticles, updating } from './update.ts'

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

/** `refused`: that changes are requested of it, and it is as it was. */
type Updated = Publication & { changed: boolean; refused: boolean }

/** Of a write that sends no events that can be switched off: how many it would have sent. */
export const EventsNotSent = z.object({ eventsNotSent: z.int() })

export type StateOptions = {
  events?: Sending | undefined
  /** Publishes nothing of which changes are requested. */
  unlessChangesRequested?: boolean
}

/**
 * Publishes or unpublishes an article, which ends its schedule. Otherwise changes nothing if it has that status already.
 *
 * @throws AppError that there is none; changes_requested
 */
export async function setArticleStatus(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  written: string,
  status: 'draft' | 'published',
  options: StateOptions = {},
): Promise<Publication & { eventsNotSent?: number }> {
  const isIt = isNamed([slugOf(kind, written)])
  const { updated, eventsNotSent } = await setStatus(ctx, kind, site, isIt, status, options)
  const shown = shownOf(kind, updated)
  if (updated[0]!.refused) throw new AppError('changes_requested')
  return options.events === 'none' ? { ...shown, eventsNotSent } : shown
}

/**
 * Publishes or unpublishes up to 100 articles, in one statement.
 *
 * @returns those that there are, and of each whether it had another status, and whether it was refused
 */
export async function setArticleStatuses(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  slugs: string[],
  status: 'draft' | 'published',
  { events, unlessChangesRequested }: StateOptions = {},
): Promise<Updated[]> {
  const options = { events, unlessChangesRequested }
  return (await setStatus(ctx, kind, site, isNamed(slugs), status, options)).updated
}

/** Versions of a site's articles, from one to another: `updatedAt`, which no two articles share. */
export type Versions = { from: string; to: string }

/**
 * Publishes or unpublishes what has these versions, in one statement: of what a write has changed, all that nobody has
 * touched since.
 *
 * @returns those that had another status
 */
export async function setStatusesOfVersions(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  { from, to }: Versions,
  status: 'draft' | 'published',
): Promise<Updated[]> {
  const has = sql`updated_at between ${from}::timestamptz and ${to}::timestamptz`
  const isAsItWas = kind.touched ? sql`${has} and not ${kind.touched}` : has
  const { updated } = await setStatus(ctx, kind, site, isAsItWas, status)
  return updated.filter(({ changed }) => changed)
}

async function setStatus(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  which: SQL,
  status: 'draft' | 'published',
  { events, unlessChangesRequested = false }: StateOptions = {},
): Promise<{ updated: Updated[]; eventsNotSent: number }> {
  const { schedule, changesRequested } = kind
  const changes = sql`status = ${status}, published_at = case when ${status} = 'published'
    then coalesce(published_at, date_trunc('milliseconds', now())) else published_at end${schedule ? sql`, ${schedule.end}` : sql``}`
  const unchanged = sql`status = ${status}${schedule ? sql` and ${schedule.isNone}` : sql``}`
  const refused = unlessChangesRequested && status === 'published' ? changesRequested : undefined
  const update = { which, changes, unchanged, refused, events, columns: COLUMNS }
  const { rows, eventsNotSent } = await updateArticles<Row>(ctx, kind, site, update)
  return { updated: rows.map(toUpdated), eventsNotSent }
}

const isNamed = (slugs: string[]) => sql`slug in ${slugs}`

/**
 * Gives an article another slug; with that slug already it changes nothing.
 *
 * @throws AppError that there is none; slug_taken
 */
export async function renameArticle(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  written: string,
  renamed: string,
): Promise<Publication> {
  try {
    const row = await updateArticle<Row>(ctx, kind, site, written, toSlug(kind, site, renamed))
    return shownOf(kind, [toUpdated(row)])
  } catch (error) {
    throw isTaken(error) ? new AppError('slug_taken') : error
  }
}

/** The statement that does it. */
export const renaming = (kind: Kind, site: SiteScope, slug: string, renamed: string): SQL =>
  updating(kind, site, { which: isNamed([slug]), ...toSlug(kind, site, renamed) })

const toSlug = (kind: Kind, site: SiteScope, renamed: string): Omit<Update, 'which'> => ({
  changes: sql`slug = ${renamed}${kind.following(site, renamed)}`,
  unchanged: sql`slug = ${renamed}`,
  columns: COLUMNS,
})

/** Whether another article has the slug. */
export const isTaken = (error: unknown): boolean =>
  ['posts_slug', 'guides_slug'].includes(databaseError(error)?.constraint ?? '')

/** @returns how many events were not sent @throws AppError that there is none */
export async function deleteArticle(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  written: string,
  { events = 'all' }: StateOptions = {},
): Promise<z.infer<typeof EventsNotSent>> {
  const { id, siteId, slug, status } = kind.table
  const old = slugOf(kind, written)
  const deletion = ctx.db
    .delete(kind.table)
    .where(and(eq(siteId, site.id), eq(slug, old)))
    .returning({ id, status })
  const { results, eventsNotSent } = await writeSite(ctx, site.id, [deletion], {
    sending: events,
    takes: ([rows]) => rows.some((row) => row.status === 'published'),
  })
  if (results[0].length === 0) throw new AppError(kind.missing)
  return { eventsNotSent }
}

function shownOf({ missing }: Kind, [article]: Updated[]): Publication {
  if (!article) throw new AppError(missing)
  const { changed: _, refused: __, ...shown } = article
  return shown
}

const COLUMNS = ['id', 'slug', 'status', 'published_at', 'updated_at'] as const

type Row = {
  id: string
  slug: string
  status: Publication['status']
  published_at: string | null
  updated_at: string
}

const toUpdated = ({ cancelled, changed, refused, ...row }: Row & Outcome): Updated => ({
  slug: row.slug,
  id: row.id,
  status: row.status,
  publishedAt: wireTime(row.published_at === null ? null : new Date(row.published_at)),
  updatedAt: wireTime(new Date(row.updated_at)),
  ...(cancelled !== null && { cancelledSchedule: cancelled }),
  changed,
  refused,
})
