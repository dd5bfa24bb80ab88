/** API keys: their format, what they open, how they are created and revoked. */
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from './context.ts'
import type { Credential, Opened } from './credentials.ts'
import { apiKeys, keyAccesses, sites } from './db/schema.ts'
import { type SiteScope, siteScope } from './db/site-scope.ts'
import { sha256Hex } from './digest.ts'
import { AppError } from './errors.ts'
import { unshareAuth } from './shared-auths.ts'
import { selectVersions, withSeqlock } from './site-versions.ts'
import { Instant, wireTime } from './time.ts'
import { generateToken, isTokenWellFormed } from './token.ts'
import { wireShape } from './wire-shape.ts'

const PREFIX = 'hca_live_'

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

/** Checks prefix, length, alphabet and checksum, without any I/O. */
export function isKeyWellFormed(key: string): boolean {
  return isTokenWellFormed(PREFIX, key)
}

/** `hca_live_`, 32 random base62 characters, and the CRC32 of all that as six more. */
export function generateKey(): string {
  return generateToken(PREFIX)
}

/** The key as what a request presents. Null when it is malformed, for which nothing need be asked. */
export async function keyCredential(key: string): Promise<Credential | null> {
  if (!isKeyWellFormed(key)) return null
  const hash = await sha256Hex(key)
  return { hash, find: (ctx) => findKey(ctx, hash), refusal: 'api_key_refused' }
}

/** What a key opens, in one query together with its site. Undefined when it is unknown, revoked or expired. */
async function findKey(ctx: Context, keyHash: string): Promise<Opened | undefined> {
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
  return (
    row && {
      auth: { keyId: row.id, access: row.access, site: row.site },
      expiresAt: row.expiresAt?.getTime() ?? null,
    }
  )
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
