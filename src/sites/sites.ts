import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { isUnchanged } from '../db/is-unchanged.ts'
import { afterCursor, cutPage, type Page, type Paging } from '../db/paging.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'
import { feedContents, plans, sites } from '../db/schema.ts'
import { type SiteScope, siteScope } from '../db/site-scope.ts'
import { writeAs } from '../db/write.ts'
import { markSite } from '../freshness/marks.ts'
import { withSeqlock } from '../freshness/site-versions.ts'
import { Name } from '../people/name.ts'

const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/** One `{slug}` among the characters of a URL path except `%` (https://www.rfc-editor.org/rfc/rfc3986#section-3.3). */
const PATH_TEMPLATE = /^\/(?!\/)[\w.~!$&'()*+,;=:@/-]*\{slug\}[\w.~!$&'()*+,;=:@/-]*$/

const path = z.optional(
  z
    .string()
    .check(
      z.maxLength(200),
      z.regex(PATH_TEMPLATE, 'must be a path that begins with one "/" and has {slug} in it once'),
    ),
)

export const Language = z
  .string()
  .check(
    z.maxLength(35),
    z.regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'must be a language code such as en or pt-BR'),
  )

const MAX_URL_LENGTH = 2_048
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** Refuses user info, which would be exposed, and fragments, which would swallow the token. */
function isPreviewUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || url.username || url.password || url.hash) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL.test(url.hostname))
}

const PreviewUrl = z.string().check(
  // Parsing drops control characters.
  z.overwrite((text) => URL.parse(text)?.href ?? text),
  z.maxLength(MAX_URL_LENGTH),
  z.refine(isPreviewUrl, 'must be an https or http://localhost URL, without user info or fragment'),
)

export const SiteInput = z.strictObject({
  name: Name,
  domain: z.string().check(z.toLowerCase(), z.regex(DOMAIN, 'must look like example.com')),
  defaultLanguage: z.optional(Language),
  postPath: path,
  guidePath: path,
  plan: z.optional(z.enum(plans)),
  dailyQuota: z.nullish(z.int().check(z.minimum(1), z.maximum(1_000_000_000))),
  trainingOptIn: z.optional(z.boolean()),
  feedContent: z.optional(z.enum(feedContents)),
  previewUrl: z.nullish(PreviewUrl),
})

export const Site = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      name: z.string(),
      domain: z.string(),
      defaultLanguage: z.string(),
      postPath: z.string(),
      guidePath: z.string(),
      plan: z.enum(plans),
      dailyQuota: z.nullable(z.int()),
      trainingOptIn: z.boolean(),
      feedContent: z.enum(feedContents),
      previewUrl: z.nullable(z.string()),
      createdAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'Site' }),
)

export type SiteRow = typeof sites.$inferSelect

/** A site with this name that the actor can open, whatever its case. */
export async function findSiteNamed(
  ctx: Context,
  name: string,
): Promise<{ id: string; name: string } | null> {
  const isNamed = eq(sql`lower(${sites.name})`, sql`lower(${name})`)
  const [found] = await ctx.db
    .select({ id: sites.id, name: sites.name })
    .from(sites)
    .where(and(isNamed, ofReachableSites(ctx, sites.id)))
    .limit(1)
  return found ?? null
}

export async function createSite(ctx: Context, input: z.infer<typeof SiteInput>) {
  requireRole(ctx, 'admin')
  const [[row]] = await writeAs(ctx, [ctx.db.insert(sites).values(input).returning()])
  // Until the versions are stored, every read asks Postgres.
  await markSite(ctx, row!)
  return toSite(row!)
}

/** With `current`, fails if a field to overwrite has changed since. @throws AppError site_not_found; changed_meanwhile */
export async function updateSite(
  ctx: Context,
  siteId: string,
  input: Partial<z.infer<typeof SiteInput>>,
  current?: SiteRow,
) {
  requireRole(ctx, 'admin')
  if (Object.keys(input).length === 0) return getSite(ctx, siteId)
  return withSeqlock(ctx, siteId, async () => {
    const isOpen = and(
      eq(sites.id, siteId),
      isNull(sites.deletionStartedAt),
      current && isUnchanged(sites, input, current),
    )
    const [[row]] = await writeAs(ctx, [ctx.db.update(sites).set(input).where(isOpen).returning()])
    if (!row) throw new AppError(current ? 'changed_meanwhile' : 'site_not_found')
    return { result: toSite(row), versions: row }
  })
}

export async function listSites(ctx: Context, paging: Paging): Promise<Page<z.infer<typeof Site>>> {
  const rows = await ctx.db
    .select()
    .from(sites)
    .where(and(ofReachableSites(ctx, sites.id), afterCursor(paging.cursor, sites.createdAt, sites.id)))
    .orderBy(desc(sites.createdAt), desc(sites.id))
    .limit(paging.limit + 1)
  return cutPage(rows, paging, (row) => row.createdAt, toSite)
}

/** @throws AppError site_not_found */
export async function getSite(ctx: Context, siteId: string) {
  return toSite(await getSiteRow(ctx, siteId))
}

/** For callers that also need its `SiteScope`. @throws AppError site_not_found */
export async function getSiteRow(ctx: Context, siteId: string): Promise<SiteRow> {
  const [row] = await ctx.db.select().from(sites).where(eq(sites.id, siteId))
  if (!row) throw new AppError('site_not_found')
  return row
}

/** @throws AppError site_not_found; site_being_deleted */
export async function getSiteScope(ctx: Context, siteId: string): Promise<SiteScope> {
  const [row] = await ctx.db
    .select({ scope: siteScope, deletionStartedAt: sites.deletionStartedAt })
    .from(sites)
    .where(eq(sites.id, siteId))
  if (!row) throw new AppError('site_not_found')
  if (row.deletionStartedAt) throw new AppError('site_being_deleted')
  return row.scope
}

function toSite(row: SiteRow): z.infer<typeof Site> {
  return {
    id: row.id,
    name: row.name,
    domain: row.domain,
    defaultLanguage: row.defaultLanguage,
    postPath: row.postPath,
    guidePath: row.guidePath,
    plan: row.plan,
    dailyQuota: row.dailyQuota,
    trainingOptIn: row.trainingOptIn,
    feedContent: row.feedContent,
    previewUrl: row.previewUrl,
    createdAt: wireTime(row.createdAt),
  }
}
