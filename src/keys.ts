/** API keys: their format, what they open, how they are created and revoked. */
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { ApiKeyAuth, CachedAuth } from './caches.ts'
import type { Context } from './context.ts'
import { apiKeys, keyAccesses, sites } from './db/schema.ts'
import { type SiteScope, siteScope } from './db/site-scope.ts'
import { sha256Hex } from './digest.ts'
import { AppError } from './errors.ts'
import { findSharedAuth, isStale, shareAuth, unshareAuth } from './shared-auths.ts'
import { selectVersions, withSeqlock } from './site-versions.ts'
import { Instant, wireTime } from './time.ts'
import { wireShape } from './wire-shape.ts'

const PREFIX = 'hca_live_'
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const REFUSED_FOR_MS = 10_000
const FORMAT = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

export const KeyInput = z.strictObject({
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
  access: z.optional(z.enum(keyAccesses)),
  expiresAt: z.nullish(Instant),
})

export const Key = /* @__PURE__ */ wireShape(() =>
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

/**
 * Creates a key. The key itself is returned here and stored nowhere. Give an `id` where a request may be sent twice.
 *
 * @throws AppError key_exists when a key has this id
 */
export async function createKey(
  ctx: Context,
  site: SiteScope,
  input: z.infer<typeof KeyInput> & { id?: string | undefined },
) {
  const key = generateKey()
  const [row] = await ctx.db
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
  if (!row) throw new AppError('key_exists')
  return { ...toKey(row), key }
}

/** Newest first. */
export async function listKeys(ctx: Context, site: SiteScope) {
  const rows = await ctx.db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.siteId, site.id))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
  return rows.map(toKey)
}

/**
 * Revokes a key for ever, from the next request on. Revoked again, it keeps its first `revokedAt`.
 *
 * @throws AppError key_not_found
 */
export async function revokeKey(ctx: Context, site: SiteScope, keyId: string) {
  return withSeqlock(ctx, site.id, async () => {
    const revocation = ctx.db
      .update(apiKeys)
      .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())` })
      .where(and(eq(apiKeys.siteId, site.id), eq(apiKeys.id, keyId)))
      .returning()
    const [[row], [versions]] = await ctx.db.batch([revocation, selectVersions(ctx, site.id)])
    if (!row) throw new AppError('key_not_found')
    ctx.defer(unshareAuth(ctx, row.keyHash))
    return { result: toKey(row), versions }
  })
}

/**
 * What a key opened when it was last looked up, an hour ago at most: from this isolate's cache, or else from Redis. It is
 * current only if Redis has the same versions of the site; see `admitRequest`.
 *
 * @throws Error when Redis has to be asked, and cannot be reached in time
 */
export async function findCachedAuth(ctx: Context, keyHash: string): Promise<CachedAuth | null> {
  const cached = ctx.caches.auths.get(keyHash)
  return cached && !isStale(cached) ? cached : findSharedAuth(ctx, keyHash)
}

/** Whether the key has opened nothing in the last 10 s. A refused key never becomes valid, but one may be inserted by SQL. */
export function isRefused(ctx: Context, keyHash: string): boolean {
  return Date.now() < (ctx.caches.refusedKeys.get(keyHash) ?? 0)
}

/** The hash under which a key is stored. Null when it is malformed, for which nothing need be asked. */
export async function hashOf(key: string): Promise<string | null> {
  return isKeyWellFormed(key) ? sha256Hex(key) : null
}

/**
 * Looks a key up in Postgres together with its site, in one query, and tells the other isolates if Redis can be reached.
 * A key that opens nothing is not looked up again for 10 s.
 *
 * @returns null when the key opens nothing: unknown, revoked or expired
 */
export async function authenticateKey(
  ctx: Context,
  keyHash: string,
  { share }: { share: boolean },
): Promise<ApiKeyAuth | null> {
  const checkedAt = Date.now()
  const [row] = await ctx.db
    .select({
      id: apiKeys.id,
      access: apiKeys.access,
      expiresAt: apiKeys.expiresAt,
      site: siteScope,
    })
    .from(apiKeys)
    .innerJoin(sites, eq(sites.id, apiKeys.siteId))
    .where(
      and(
        eq(apiKeys.keyHash, keyHash),
        // In the query and not on the row, so that a dead key takes as long as an unknown one.
        isNull(apiKeys.revokedAt),
        sql`coalesce(${apiKeys.expiresAt} > now(), true)`,
      ),
    )
  if (!row) {
    ctx.caches.auths.delete(keyHash)
    ctx.caches.refusedKeys.set(keyHash, Date.now() + REFUSED_FOR_MS)
    return null
  }
  const auth: ApiKeyAuth = { keyId: row.id, access: row.access, site: row.site }
  const cached = { auth, checkedAt, expiresAt: row.expiresAt?.getTime() ?? null }
  ctx.caches.auths.set(keyHash, cached)
  if (share) ctx.defer(shareAuth(ctx, keyHash, cached))
  return auth
}

/** Checks prefix, length, alphabet and checksum, without any I/O. */
export function isKeyWellFormed(key: string): boolean {
  return FORMAT.test(key) && key.endsWith(checksum(key.slice(0, -CHECKSUM_LENGTH)))
}

/** `hca_live_`, 32 random base62 characters, and the CRC32 of all that as six more. */
export function generateKey(): string {
  const characters: string[] = []
  while (characters.length < SECRET_LENGTH) {
    // 248 is the largest multiple of 62 in a byte. Larger bytes would make the first characters more likely.
    for (const byte of crypto.getRandomValues(new Uint8Array(SECRET_LENGTH))) {
      if (byte < 248 && characters.length < SECRET_LENGTH) characters.push(BASE62[byte % 62]!)
    }
  }
  const body = PREFIX + characters.join('')
  return body + checksum(body)
}

/** CRC32 (IEEE 802.3) as six base62 digits, most significant first. */
function checksum(text: string): string {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  let rest = (crc ^ 0xffffffff) >>> 0
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[rest % 62]! + digits
    rest = Math.floor(rest / 62)
  }
  return digits
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
