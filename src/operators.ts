/** Operators: people and programs that write, each with a role and tokens of its own. */
import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { type Actor, requireRole, writeAs } from './actor.ts'
import type { Context } from './context.ts'
import { databaseError } from './db/client.ts'
import { operators, operatorTokens, roles } from './db/schema.ts'
import { equalSecrets, sha256Hex } from './digest.ts'
import { AppError } from './errors.ts'
import { DAY_MS, Instant, wireTime } from './time.ts'
import { generateToken, isTokenWellFormed } from './token.ts'
import { wireShape } from './wire-shape.ts'

const PREFIX = 'hca_operator_'
const TOKEN_DAYS = 90
const MAX_TOKEN_DAYS = 366
const USE_NOTED_EVERY = '30 minutes'

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

export const OperatorInput = z.strictObject({
  name: z.string().check(
    z.trim(),
    z.normalize('NFC'),
    z.minLength(1),
    z.maxLength(200),
    // With them, a name could look like another's.
    z.refine((name) => !INVISIBLE.test(name), 'must not contain invisible characters'),
    z.refine((name) => name.toUpperCase() !== ROOT.name, 'must not be OPERATOR_TOKEN'),
  ),
  role: z.enum(roles),
})

export const TokenInput = z.strictObject({
  expiresAt: z.optional(
    z.pipe(
      Instant,
      z.transform((at, { issues }) => {
        const days = (at.getTime() - Date.now()) / DAY_MS
        if (days > 0 && days <= MAX_TOKEN_DAYS) return at
        issues.push({ code: 'custom', input: at, message: `must be within the next ${MAX_TOKEN_DAYS} days` })
        return z.NEVER
      }),
    ),
  ),
})

export const OperatorToken = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      id: z.uuid(),
      lastFour: z.string(),
      createdAt: z.iso.datetime(),
      lastUsedAt: z.nullable(z.iso.datetime()),
      expiresAt: z.iso.datetime(),
      revokedAt: z.nullable(z.iso.datetime()),
    })
    .register(z.globalRegistry, { id: 'OperatorToken' }),
)

export const Operator = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      id: z.uuid(),
      name: z.string(),
      role: z.enum(roles),
      createdAt: z.iso.datetime(),
      tokens: z.array(OperatorToken).check(z.describe('Newest first')),
    })
    .register(z.globalRegistry, { id: 'Operator' }),
)

type Operator = z.infer<typeof Operator>
type OperatorRow = typeof operators.$inferSelect
type TokenRow = typeof operatorTokens.$inferSelect

/** Who an operator is, for what it does next. */
export type Identity = Pick<Actor, 'id' | 'name' | 'role'>

/** `tokenId` is null for OPERATOR_TOKEN. */
export type TokenHolder = Identity & { tokenId: string | null }

/** Who has OPERATOR_TOKEN: made by whoever deploys, and there before any operator is. */
export const ROOT: Identity = { id: null, name: 'OPERATOR_TOKEN', role: 'admin' }

/** The tokens of an operator who is removed are gone. */
export const isTokenLive = and(isNull(operatorTokens.revokedAt), gt(operatorTokens.expiresAt, sql`now()`))

export const identityColumns = { id: operators.id, name: operators.name, role: operators.role }

/**
 * Whose token it is. Postgres is asked each time, so that a revoked one is refused at once; not about OPERATOR_TOKEN or a
 * malformed one.
 *
 * @returns null for an unknown, revoked or expired one
 */
export async function findByToken(ctx: Context, token: string): Promise<TokenHolder | null> {
  const { OPERATOR_TOKEN } = ctx.config
  if (OPERATOR_TOKEN && (await equalSecrets(token, OPERATOR_TOKEN))) return { ...ROOT, tokenId: null }
  if (!isTokenWellFormed(PREFIX, token)) return null
  const [found] = await ctx.db
    .select({ ...identityColumns, tokenId: operatorTokens.id, isUseNoted })
    .from(operatorTokens)
    .innerJoin(operators, eq(operators.id, operatorTokens.operatorId))
    .where(and(eq(operatorTokens.tokenHash, await sha256Hex(token)), isTokenLive))
  if (!found) return null
  const { isUseNoted: noted, ...identity } = found
  if (!noted) ctx.defer(noteUse(ctx, identity.tokenId))
  return identity
}

const isUseNoted = sql<boolean>`coalesce(${operatorTokens.lastUsedAt} > now() - ${USE_NOTED_EVERY}::interval, false)`

async function noteUse({ db }: Context, tokenId: string): Promise<void> {
  await db.update(operatorTokens).set({ lastUsedAt: sql`now()` }).where(eq(operatorTokens.id, tokenId))
}

/** The operator of this name, as Cloudflare Access gives it. Null if there is none. */
export async function findByName({ db }: Context, name: string): Promise<Identity | null> {
  const [found] = await db.select(identityColumns).from(operators).where(isNamed(name))
  return found ?? null
}

const isNamed = (name: string) => eq(sql`lower(${operators.name})`, sql`lower(${name})`)

/** By name. */
export async function listOperators({ db }: Context): Promise<Operator[]> {
  const rows = await db
    .select({ operator: operators, token: operatorTokens })
    .from(operators)
    .leftJoin(operatorTokens, eq(operatorTokens.operatorId, operators.id))
    .orderBy(
      sql`lower(${operators.name}) collate "C"`,
      operators.id,
      desc(operatorTokens.createdAt),
      operatorTokens.id,
    )
  const tokens = Map.groupBy(rows, ({ operator }) => operator.id)
  return [...tokens.values()].map((own) =>
    toOperator(
      own[0]!.operator,
      own.flatMap(({ token }) => token ?? []),
    ),
  )
}

/** @throws AppError operator_not_found */
export async function getOperator({ db }: Context, id: string): Promise<Operator> {
  const rows = await db
    .select({ operator: operators, token: operatorTokens })
    .from(operators)
    .leftJoin(operatorTokens, eq(operatorTokens.operatorId, operators.id))
    .where(eq(operators.id, id))
    .orderBy(desc(operatorTokens.createdAt), operatorTokens.id)
  if (!rows[0]) throw new AppError('operator_not_found')
  return toOperator(
    rows[0].operator,
    rows.flatMap(({ token }) => token ?? []),
  )
}

/** @throws AppError operator_exists */
export async function addOperator(ctx: Context, input: z.infer<typeof OperatorInput>): Promise<Operator> {
  requireRole(ctx, 'admin')
  const [[row]] = await named(writeAs(ctx, [ctx.db.insert(operators).values(input).returning()]))
  return toOperator(row!, [])
}

/** From its next request on, sessions included. @throws AppError operator_not_found; operator_exists */
export async function updateOperator(
  ctx: Context,
  id: string,
  input: Partial<z.infer<typeof OperatorInput>>,
): Promise<Operator> {
  requireRole(ctx, 'admin')
  if (Object.keys(input).length > 0) {
    const update = ctx.db.update(operators).set(input).where(eq(operators.id, id)).returning()
    const [[row]] = await named(writeAs(ctx, [update]))
    if (!row) throw new AppError('operator_not_found')
  }
  return getOperator(ctx, id)
}

/** With its tokens and sessions, which end at once. The audit log keeps its name. @throws AppError operator_not_found */
export async function removeOperator(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin')
  const removal = ctx.db.delete(operators).where(eq(operators.id, id)).returning({ id: operators.id })
  const [removed] = await writeAs(ctx, [removal])
  if (removed.length === 0) throw new AppError('operator_not_found')
}

/**
 * Creates a token of an operator, for 90 days unless said otherwise. It is returned here and stored only as a hash. Give an
 * `id` where a request may be sent twice.
 *
 * @throws AppError operator_not_found; token_exists when a token has this id
 */
export async function createToken(
  ctx: Context,
  operatorId: string,
  { expiresAt, id }: z.infer<typeof TokenInput> & { id?: string | undefined },
) {
  requireOwn(ctx, operatorId)
  const token = generateToken(PREFIX)
  const insertion = ctx.db
    .insert(operatorTokens)
    .values({
      id,
      operatorId,
      tokenHash: await sha256Hex(token),
      lastFour: token.slice(-4),
      expiresAt: expiresAt ?? sql`now() + make_interval(days => ${TOKEN_DAYS})`,
    })
    .onConflictDoNothing({ target: operatorTokens.id })
    .returning()
  const [[row]] = await writeAs(ctx, [insertion]).catch((error) => {
    const isUnknown = databaseError(error)?.code === '23503'
    throw isUnknown ? new AppError('operator_not_found') : error
  })
  if (!row) throw new AppError('token_exists')
  return { ...toToken(row), token }
}

/** From the next request on, and with the sessions it signed in. Again, it keeps its first `revokedAt`. @throws AppError token_not_found */
export async function revokeToken(ctx: Context, operatorId: string, tokenId: string) {
  requireOwn(ctx, operatorId)
  const revocation = ctx.db
    .update(operatorTokens)
    .set({ revokedAt: sql`coalesce(${operatorTokens.revokedAt}, now())` })
    .where(and(eq(operatorTokens.id, tokenId), eq(operatorTokens.operatorId, operatorId)))
    .returning()
  const [[row]] = await writeAs(ctx, [revocation])
  if (!row) throw new AppError('token_not_found')
  return toToken(row)
}

/** An admin may for everybody, and everybody for themselves. */
function requireOwn(ctx: Context, operatorId: string): void {
  if (ctx.actor?.door === 'api' || ctx.actor?.id !== operatorId) requireRole(ctx, 'admin')
}

async function named<Result>(write: Promise<Result>): Promise<Result> {
  return write.catch((error) => {
    throw databaseError(error)?.constraint === 'operators_name' ? new AppError('operator_exists') : error
  })
}

function toOperator({ id, name, role, createdAt }: OperatorRow, tokens: TokenRow[]): Operator {
  return { id, name, role, createdAt: wireTime(createdAt), tokens: tokens.map(toToken) }
}

function toToken(row: TokenRow): z.infer<typeof OperatorToken> {
  return {
    id: row.id,
    lastFour: row.lastFour,
    createdAt: wireTime(row.createdAt),
    lastUsedAt: wireTime(row.lastUsedAt),
    expiresAt: wireTime(row.expiresAt),
    revokedAt: wireTime(row.revokedAt),
  }
}
