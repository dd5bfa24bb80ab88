/** Links that show one post, usually a draft, to anybody who has them. */
import { and, desc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { type Credential, deleteSharedAuths } from '../../access/credentials.ts'
import type { AuthRow } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../core/actor.ts'
import { AppError, type ErrorCode } from '../../core/errors.ts'
import { sha256Hex } from '../../core/ids.ts'
import { expiryWithin, wireTime } from '../../core/time.ts'
import { responseSchema } from '../../core/zod.ts'
import { generateToken, isTokenWellFormed } from '../../crypto/token.ts'
import { databaseError, FOREIGN_KEY_VIOLATION } from '../../db/client.ts'
import { MAKER_REFUSED } from '../../db/refusals.ts'
import { posts, previewLinks, sites } from '../../db/schema.ts'
import { type SiteScope, siteScope } from '../../db/site-scope.ts'
import { writeAs } from '../../db/write.ts'
import { selectVersions, withSeqlock } from '../../freshness/site-versions.ts'
import { requireSlug } from '../articles/kind.ts'
import { POST } from './post.ts'

const PREFIX = 'hca_preview_'
export const LINK_DAYS = 7
const MAX_LINK_DAYS = 30
const MAX_SHOWN = 100

export const PreviewLinkInput = z.strictObject({ expiresAt: z.optional(expiryWithin(MAX_LINK_DAYS)) })

export const PreviewLink = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      lastFour: z.string(),
      createdAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
      revokedAt: z.nullable(z.iso.datetime()),
      createdBy: z
        .nullable(z.string())
        .check(
          z.describe(
            'Name of the person who created it. The link ends when they are removed or lose access to the site',
          ),
        ),
    })
    .register(z.globalRegistry, { id: 'PreviewLink' }),
)

export type PreviewLink = z.infer<typeof PreviewLink>

export const previewLinkUrl = (token: string, origin: string) => `${origin}/drafts/${token}`

/** Pass an `id` to make retries safe. @throws AppError post_not_found; preview_link_exists; operator_refused if its creator just lost access */
export async function createPreviewLink(
  ctx: Context,
  site: SiteScope,
  slug: string,
  { expiresAt, id }: z.infer<typeof PreviewLinkInput> & { id?: string | undefined },
) {
  requireRole(ctx, 'editor')
  const postId = await findPostId(ctx, site, slug)
  const token = generateToken(PREFIX)
  const insertion = ctx.db
    .insert(previewLinks)
    .values({
      id,
      siteId: site.id,
      postId,
      tokenHash: await sha256Hex(token),
      lastFour: token.slice(-4),
      expiresAt: expiresAt ?? sql`now() + make_interval(days => ${LINK_DAYS})`,
    })
    .onConflictDoNothing({ target: previewLinks.id })
    .returning()
  const isOld = sql`${previewLinks.expiresAt} < now() - make_interval(days => ${MAX_LINK_DAYS})`
  const pruning = ctx.db.delete(previewLinks).where(and(eq(previewLinks.postId, postId), isOld))
  const [[row]] = await writeAs(ctx, [insertion, pruning]).catch((error) => {
    const code = databaseError(error)?.code
    if (code === MAKER_REFUSED) throw new AppError('operator_refused')
    throw code === FOREIGN_KEY_VIOLATION ? new AppError('post_not_found') : error
  })
  if (!row) throw new AppError('preview_link_exists')
  return { ...toPreviewLink(row), token }
}

/** The newest 100. @throws AppError post_not_found */
export async function listPreviewLinks(ctx: Context, site: SiteScope, slug: string): Promise<PreviewLink[]> {
  const postId = await findPostId(ctx, site, slug)
  return (await selectPreviewLinks(ctx, sql`${postId}`)).map(toPreviewLink)
}

export function selectPreviewLinks({ db }: Pick<Context, 'db'>, postId: SQL) {
  return db
    .select()
    .from(previewLinks)
    .where(sql`${previewLinks.postId} = ${postId}`)
    .orderBy(desc(previewLinks.createdAt), desc(previewLinks.id))
    .limit(MAX_SHOWN)
}

/**
 * Takes effect with the next request. Repeating it keeps the first `revokedAt`.
 * @throws AppError post_not_found; preview_link_not_found
 */
export async function revokePreviewLink(ctx: Context, site: SiteScope, slug: string, linkId: string) {
  requireRole(ctx, 'editor')
  const postId = await findPostId(ctx, site, slug)
  return withSeqlock(ctx, site.id, async () => {
    const revocation = ctx.db
      .update(previewLinks)
      .set({ revokedAt: sql`coalesce(${previewLinks.revokedAt}, now())` })
      .where(and(eq(previewLinks.postId, postId), eq(previewLinks.id, linkId)))
      .returning()
    const [[row], [versions]] = await writeAs(ctx, [revocation, selectVersions(ctx, site.id)])
    if (!row) throw new AppError('preview_link_not_found')
    ctx.defer(deleteSharedAuths(ctx, [row.tokenHash]))
    return { result: toPreviewLink(row), versions }
  })
}

/** Null if malformed, without a query. */
export async function previewCredential(
  token: string,
  { siteId, refusal }: { siteId: string | null; refusal: ErrorCode },
): Promise<Credential | null> {
  if (!isTokenWellFormed(PREFIX, token)) return null
  return { hash: await sha256Hex(token), siteId, find: findLinks, refusal }
}

async function findLinks(ctx: Context, hashes: string[]): Promise<Map<string, AuthRow>> {
  const rows = await ctx.db
    .select({
      hash: previewLinks.tokenHash,
      postId: posts.id,
      expiresAt: previewLinks.expiresAt,
      site: siteScope,
    })
    .from(previewLinks)
    .innerJoin(sites, eq(sites.id, previewLinks.siteId))
    .innerJoin(posts, and(eq(posts.id, previewLinks.postId), eq(posts.siteId, sites.id)))
    .where(
      and(
        inArray(previewLinks.tokenHash, hashes),
        isNull(sites.deletionStartedAt),
        isNull(previewLinks.revokedAt),
        sql`${previewLinks.expiresAt} > now()`,
      ),
    )
  return new Map(
    rows.map(({ hash, postId, expiresAt, site }) => [
      hash,
      { auth: { keyId: null, access: 'preview', postId, site }, expiresAt: expiresAt.getTime() },
    ]),
  )
}

async function findPostId(ctx: Context, site: { id: string }, slugText: string): Promise<string> {
  const isPost = and(eq(posts.siteId, site.id), eq(posts.slug, requireSlug(POST, slugText)))
  const [post] = await ctx.db.select({ id: posts.id }).from(posts).where(isPost)
  if (!post) throw new AppError('post_not_found')
  return post.id
}

export function toPreviewLink(row: typeof previewLinks.$inferSelect): PreviewLink {
  return {
    id: row.id,
    lastFour: row.lastFour,
    createdAt: wireTime(row.createdAt),
    expiresAt: wireTime(row.expiresAt),
    revokedAt: wireTime(row.revokedAt),
    createdBy: row.createdByName,
  }
}
