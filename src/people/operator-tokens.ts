import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { type Actor, requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { equalSecrets, sha256Hex } from '../core/ids.ts'
import { expiryWithin, wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { generateToken, isTokenWellFormed } from '../crypto/token.ts'
import { databaseError, FOREIGN_KEY_VIOLATION } from '../db/client.ts'
import { MAKER_REFUSED } from '../db/refusals.ts'
import { operators, operatorTokens, type tokenKinds } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'

type TokenKind = (typeof tokenKinds)[number]

const PREFIXES: Record<TokenKind, string> = { token: 'hca_operator_', link: 'hca_link_' }
/** Default lifetime of tokens, and the maximum for tokens created after sign-in with a link. */
export const TOKEN_DAYS = 90
const MAX_TOKEN_DAYS = 366
const USE_NOTED_EVERY = '30 minutes'

export const TokenInput = z.strictObject({ expiresAt: z.optional(expiryWithin(MAX_TOKEN_DAYS)) })

export const OperatorToken = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      lastFour: z.string(),
      createdAt: z.iso.datetime(),
      lastUsedAt: z.nullable(z.iso.datetime()),
      expiresAt: z.iso.datetime(),
      revokedAt: z.nullable(z.iso.datetime()),
      makerId: z
        .nullable(z.uuid())
        .check(
          z.describe('The token that created this one. This one expires no later and is revoked with it'),
        ),
    })
    .register(z.globalRegistry, { id: 'OperatorToken' }),
)

export type Identity = Pick<Actor, 'id' | 'name' | 'role' | 'sites' | 'token'>

/** The holder of OPERATOR_TOKEN, which works before any operator exists. */
export const ROOT: Identity = { id: null, name: 'OPERATOR_TOKEN', role: 'admin', sites: null, token: null }

/** Tokens of removed operators are deleted. */
export const isTokenLive = and(isNull(operatorTokens.revokedAt), gt(operatorTokens.expiresAt, sql`now()`))

export const identityColumns = {
  id: operators.id,
  name: operators.name,
  role: operators.role,
  sites: operators.sites,
}

export const holderColumns = {
  ...identityColumns,
  token: { id: operatorTokens.id, expiresAt: operatorTokens.expiresAt },
}

/** Asks Postgres every time, so that revocations take effect at once. @returns null for an unknown, revoked or expired token */
export async function findByToken(ctx: Context, token: string): Promise<Identity | null> {
  if (await isRootToken(ctx, token)) return ROOT
  if (!isTokenOfOperator(token)) return null
  const [found] = await ctx.db
    .select({ ...holderColumns, isUseNoted })
    .from(operatorTokens)
    .innerJoin(operators, eq(operators.id, operatorTokens.operatorId))
    .where(and(eq(operatorTokens.tokenHash, await sha256Hex(token)), isTokenLive))
  if (!found) return null
  const { isUseNoted: noted, ...identity } = found
  if (!noted) ctx.defer(noteUse(ctx, identity.token.id))
  return identity
}

/** Why `findByToken` refuses a token. Null if it never existed. */
export async function explainToken(ctx: Context, token: string): Promise<'revoked' | 'expired' | null> {
  if (!isTokenOfOperator(token)) return null
  const [found] = await ctx.db
    .select({ revokedAt: operatorTokens.revokedAt })
    .from(operatorTokens)
    .where(and(eq(operatorTokens.tokenHash, await sha256Hex(token)), eq(operatorTokens.kind, 'token')))
  return found ? (found.revokedAt ? 'revoked' : 'expired') : null
}

export async function isRootToken({ config }: Context, token: string): Promise<boolean> {
  return config.OPERATOR_TOKEN !== undefined && equalSecrets(token, config.OPERATOR_TOKEN)
}

/** Without I/O. */
export function isTokenOfOperator(token: string, kind: TokenKind = 'token'): boolean {
  return isTokenWellFormed(PREFIXES[kind], token)
}

const isUseNoted = sql<boolean>`coalesce(${operatorTokens.lastUsedAt} > now() - ${USE_NOTED_EVERY}::interval, false)`

async function noteUse({ db }: Context, tokenId: string): Promise<void> {
  await db.update(operatorTokens).set({ lastUsedAt: sql`now()` }).where(eq(operatorTokens.id, tokenId))
}

/**
 * Returns the token once and stores only its hash. Pass an `id` to make retries safe.
 *
 * @throws AppError operator_not_found; token_exists for a known id; operator_refused if the creating token was just revoked
 */
export async function createToken(
  ctx: Context,
  operatorId: string,
  { expiresAt, id }: z.infer<typeof TokenInput> & { id?: string | undefined },
) {
  requireOwn(ctx, operatorId)
  const maker = ctx.actor?.token ?? null
  if (maker && expiresAt && expiresAt > maker.expiresAt) {
    const message = `must be at most ${wireTime(maker.expiresAt)}, when the token that creates it expires`
    throw new AppError('invalid_body', { path: 'expiresAt', message })
  }
  const lifetime = expiresAt ?? sql`now() + make_interval(days => ${TOKEN_DAYS})`
  const { token, row } = await insertToken(ctx, { id, operatorId, kind: 'token', expiresAt: lifetime })
  return { ...toToken(row), token }
}

/** A trigger caps the lifetime at that of the creating token. @throws AppError as `createToken` */
export async function insertToken(
  ctx: Context,
  values: {
    operatorId: string
    kind: TokenKind
    expiresAt: Date | SQL
    id?: string | undefined
    sentTo?: string
  },
) {
  const token = generateToken(PREFIXES[values.kind])
  const insertion = ctx.db
    .insert(operatorTokens)
    .values({
      ...values,
      tokenHash: await sha256Hex(token),
      lastFour: token.slice(-4),
      parentTokenId: ctx.actor?.token?.id ?? null,
    })
    .onConflictDoNothing({ target: operatorTokens.id })
    .returning()
  const [[row]] = await writeAs(ctx, [insertion]).catch((error) => {
    const code = databaseError(error)?.code
    if (code === MAKER_REFUSED) throw new AppError('operator_refused')
    throw code === FOREIGN_KEY_VIOLATION ? new AppError('operator_not_found') : error
  })
  if (!row) throw new AppError('token_exists')
  return { token, row }
}

/** Also revokes tokens that it created and ends sessions that it signed in. @throws AppError token_not_found */
export async function revokeToken(ctx: Context, operatorId: string, tokenId: string) {
  return toToken(await revoke(ctx, operatorId, tokenId, 'token'))
}

/** @throws AppError token_not_found */
export async function revoke(ctx: Context, operatorId: string, tokenId: string, kind: TokenKind) {
  requireOwn(ctx, operatorId)
  const revocation = ctx.db
    .update(operatorTokens)
    .set({ revokedAt: sql`coalesce(${operatorTokens.revokedAt}, now())` })
    .where(
      and(
        eq(operatorTokens.id, tokenId),
        eq(operatorTokens.operatorId, operatorId),
        eq(operatorTokens.kind, kind),
      ),
    )
    .returning()
  const [[row]] = await writeAs(ctx, [revocation])
  if (!row) throw new AppError('token_not_found')
  return row
}

/** Admins may change everyone's tokens, others only their own. */
export function requireOwn(ctx: Context, operatorId: string): void {
  if (ctx.actor?.channel === 'api' || ctx.actor?.id !== operatorId) requireRole(ctx, 'admin')
}

export function toToken(row: typeof operatorTokens.$inferSelect): z.infer<typeof OperatorToken> {
  return {
    id: row.id,
    lastFour: row.lastFour,
    createdAt: wireTime(row.createdAt),
    lastUsedAt: wireTime(row.lastUsedAt),
    expiresAt: wireTime(row.expiresAt),
    revokedAt: wireTime(row.revokedAt),
    makerId: row.parentTokenId,
  }
}
