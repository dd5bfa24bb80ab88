import { and, desc, eq, gt, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { AuthRow } from '../caches.ts'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { sha256Hex } from '../core/ids.ts'
import { DAY_MS, Instant, wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { generateToken, isTokenWellFormed } from '../crypto/token.ts'
import { apiKeys, keyAccesses, sites } from '../db/schema.ts'
import { type SiteScope, siteScope } from '../db/site-scope.ts'
import { writeAs } from '../db/write.ts'
import { selectVersions, withSeqlock } from '../freshness/site-versions.ts'
import type { Sweep } from '../freshness/sweep.ts'
import { Name } from '../people/name.ts'
import { type Credential, deleteSharedAuths, shareAuths } from './credentials.ts'

const PREFIX = 'hca_live_'
const RENEWED_AT_ONCE = 500

export const KeyInput = z.strictObject({
  name: Name,
  access: z.optional(z.enum(keyAccesses)),
  expiresAt: z.nullish(Instant),
})

export const Key = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      name: z.string(),
      access: z.enum(keyAccesses),
      prefix: z.string(),
      lastFour: z.string(),
      createdAt: z.iso.datetime(),
      lastUsedAt: z.nullable(z.iso.datetime()),
      expiresAt: z.nullable(z.iso.datetime()),
      revokedAt: z.nullable(z.iso.datetime()),
    })
    .register(z.globalRegistry, { id: 'Key' }),
)

/** Returns the key once; only its hash is stored. An `id` makes retries safe. @throws AppError key_exists for a known id */
export async function createKey(
  ctx: Context,
  site: SiteScope,
  input: z.infer<typeof KeyInput> & { id?: string | undefined },
) {
  requireRole(ctx, 'admin')
  const key = generateKey()
  const insertion = ctx.db
    .insert(apiKeys)
    .values({
      ...input,
      siteId: site.id,
      keyHash: await sha256Hex(key),
      prefix: PREFIX,
      lastFour: key.slice(-4),
    })
    .onConflictDoNothing({ target: apiKeys.id })
    .returning()
  const [[row]] = await writeAs(ctx, [insertion])
  if (!row) throw new AppError('key_exists')
  return { ...toKey(row), key }
}

export async function listKeys(ctx: Context, site: SiteScope) {
  const rows = await ctx.db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.siteId, site.id))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
  return rows.map(toKey)
}

/** Takes effect with the next request. Repeating it keeps the first `revokedAt`. @throws AppError key_not_found */
export async function revokeKey(ctx: Context, site: SiteScope, keyId: string) {
  requireRole(ctx, 'admin')
  return withSeqlock(ctx, site.id, async () => {
    const revocation = ctx.db
      .update(apiKeys)
      .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())` })
      .where(and(eq(apiKeys.siteId, site.id), eq(apiKeys.id, keyId)))
      .returning()
    const [[row], [versions]] = await writeAs(ctx, [revocation, selectVersions(ctx, site.id)])
    if (!row) throw new AppError('key_not_found')
    ctx.defer(deleteSharedAuths(ctx, [row.keyHash]))
    return { result: toKey(row), versions }
  })
}

export function isKeyWellFormed(key: string): boolean {
  return isTokenWellFormed(PREFIX, key)
}

/** `hca_live_`, 32 random base62 characters and a six-character CRC32 of both. */
export function generateKey(): string {
  return generateToken(PREFIX)
}

/** Null if malformed, which saves the lookup. */
export async function keyCredential(key: string, siteId: string | null): Promise<Credential | null> {
  if (!isKeyWellFormed(key)) return null
  const hash = await sha256Hex(key)
  return { hash, siteId, find: findKeys, refusal: 'api_key_refused' }
}

async function findKeys(ctx: Context, hashes: string[]): Promise<Map<string, AuthRow>> {
  const rows = await selectValid(ctx, inArray(apiKeys.keyHash, hashes))
  return new Map(rows.map((row) => [row.keyHash, toAuthRow(row)]))
}

/** Covers keys used in the last day, so that their requests don't wake Postgres. @returns how many keys */
export async function renewSharedAuths(ctx: Context, { now }: Pick<Sweep, 'now'>): Promise<number> {
  const since = new Date(now.getTime() - DAY_MS)
  for (let renewed = 0, last: string | null = null; ; ) {
    const checkedAt = Date.now()
    const isNext: SQL | undefined = last === null ? undefined : gt(apiKeys.id, last)
    const rows = await selectValid(ctx, and(gt(apiKeys.lastUsedAt, since), isNext))
      .orderBy(apiKeys.id)
      .limit(RENEWED_AT_ONCE)
    if (rows.length > 0) {
      await shareAuths(
        ctx,
        rows.map((row) => ({ ...toAuthRow(row), keyHash: row.keyHash, checkedAt })),
      )
    }
    renewed += rows.length
    if (rows.length < RENEWED_AT_ONCE) return renewed
    last = rows.at(-1)!.id
  }
}

export const isKeyLive = and(isNull(apiKeys.revokedAt), sql`coalesce(${apiKeys.expiresAt} > now(), true)`)

function selectValid(ctx: Context, which: SQL | undefined) {
  return ctx.db
    .select({
      id: apiKeys.id,
      keyHash: apiKeys.keyHash,
      access: apiKeys.access,
      expiresAt: apiKeys.expiresAt,
      site: siteScope,
    })
    .from(apiKeys)
    .innerJoin(sites, eq(sites.id, apiKeys.siteId))
    .where(
      and(
        which,
        isNull(sites.deletionStartedAt),
        // Filters in the query, so that dead keys take as long as unknown ones.
        isKeyLive,
      ),
    )
}

function toAuthRow({
  id,
  access,
  expiresAt,
  site,
}: Awaited<ReturnType<typeof selectValid>>[number]): AuthRow {
  return { auth: { keyId: id, access, site }, expiresAt: expiresAt?.getTime() ?? null }
}

function toKey(row: typeof apiKeys.$inferSelect): z.infer<typeof Key> {
  return {
    id: row.id,
    name: row.name,
    access: row.access,
    prefix: row.prefix,
    lastFour: row.lastFour,
    createdAt: wireTime(row.createdAt),
    lastUsedAt: wireTime(row.lastUsedAt),
    expiresAt: wireTime(row.expiresAt),
    revokedAt: wireTime(row.revokedAt),
  }
}
