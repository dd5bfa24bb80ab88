/** Publishes a site's sitemap and feeds at URLs without a key, with an unguessable id. */
import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Credential } from '../../access/credentials.ts'
import type { AuthRow } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { sha256Hex } from '../../core/ids.ts'
import { responseSchema } from '../../core/zod.ts'
import { generateToken, isTokenWellFormed } from '../../crypto/token.ts'
import { sites } from '../../db/schema.ts'
import { siteScope } from '../../db/site-scope.ts'
import { writeAs } from '../../db/write.ts'
import { purgeAtOnce, requestPurge } from '../../freshness/purges.ts'
import { withSeqlock } from '../../freshness/site-versions.ts'

export const PublishedSitemap = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      url: z.url(),
      /** For a proxy at `/sitemap.xml` of the site's domain, where the files of an index are, too. */
      proxiedUrl: z.url(),
      rssUrl: z.url(),
      jsonFeedUrl: z.url(),
      /** For proxies at `/feed.xml` and `/feed.json` of the site's domain, which the feeds name as their own URL. */
      proxiedRssUrl: z.url(),
      proxiedJsonFeedUrl: z.url(),
    })
    .register(z.globalRegistry, { id: 'PublishedSitemap' }),
)

/** @throws AppError sitemap_not_published for null */
export function publishedSitemap(sitemapId: string | null, origin: string): z.infer<typeof PublishedSitemap> {
  if (sitemapId === null) throw new AppError('sitemap_not_published')
  const root = `${origin}/sitemaps/${sitemapId}`
  return {
    url: `${root}/sitemap.xml`,
    proxiedUrl: `${root}/proxied.xml`,
    rssUrl: `${root}/feed.xml`,
    jsonFeedUrl: `${root}/feed.json`,
    proxiedRssUrl: `${root}/proxied-feed.xml`,
    proxiedJsonFeedUrl: `${root}/proxied-feed.json`,
  }
}

/** A published sitemap keeps its id. */
export function publishSitemap(ctx: Context, site: { id: string }) {
  return setSitemapId(ctx, site, sql`coalesce(${sites.sitemapId}, ${generateToken('')})`)
}

/** The old URL fails from the next request on. @throws AppError sitemap_not_published */
export async function renewSitemap(ctx: Context, site: { id: string }) {
  const sitemapId = await setSitemapId(ctx, site, generateToken(''), isNotNull(sites.sitemapId))
  await purgeAtOnce(ctx, site.id)
  return sitemapId
}

/** @throws AppError sitemap_not_published */
export async function unpublishSitemap(ctx: Context, site: { id: string }): Promise<void> {
  requireRole(ctx, 'admin')
  // First, in case the Worker dies after the commit: then no row shows that caches may have the sitemap.
  await requestPurge(ctx, site.id)
  await setSitemapId(ctx, site, null, isNotNull(sites.sitemapId))
  await requestPurge(ctx, site.id)
  await purgeAtOnce(ctx, site.id)
}

function setSitemapId(ctx: Context, site: { id: string }, sitemapId: string | SQL | null, where?: SQL) {
  requireRole(ctx, 'admin')
  return withSeqlock(ctx, site.id, async () => {
    const isHere = and(eq(sites.id, site.id), where)
    const [[row]] = await writeAs(ctx, [ctx.db.update(sites).set({ sitemapId }).where(isHere).returning()])
    if (!row) throw new AppError('sitemap_not_published')
    return { result: row.sitemapId, versions: row }
  })
}

/** Null if malformed, without a query. */
export async function sitemapCredential(id: string): Promise<Credential | null> {
  if (!isTokenWellFormed('', id)) return null
  const hash = await sha256Hex(id)
  return { hash, siteId: null, find: (ctx) => findSite(ctx, id, hash), refusal: 'not_found' }
}

async function findSite(ctx: Context, id: string, hash: string): Promise<Map<string, AuthRow>> {
  const rows = await ctx.db
    .select(siteScope)
    .from(sites)
    .where(and(eq(sites.sitemapId, id), isNull(sites.deletionStartedAt)))
  return new Map(
    rows.map((site) => [hash, { auth: { keyId: null, access: 'sitemap', site }, expiresAt: null }]),
  )
}
