/** Operators: people and programs that write, each with a role and tokens of its own. */
import { desc, eq, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { databaseError } from '../db/client.ts'
import { operators, operatorTokens, roles } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { requireRole } from '../foundation/actor.ts'
import type { Context } from '../foundation/context.ts'
import { AppError } from '../foundation/errors.ts'
import { Name } from '../foundation/name.ts'
import { wireTime } from '../foundation/time.ts'
import { wireShape } from '../foundation/wire-shape.ts'
import { type Identity, identityColumns, OperatorToken, ROOT, toToken } from './operator-tokens.ts'

/** Raised by `require_admin`. */
const NO_ADMIN = 'HC003'

export const OperatorInput = z.strictObject({
  name: Name.check(z.refine((name) => name.toUpperCase() !== ROOT.name, 'must not be OPERATOR_TOKEN')),
  role: z.enum(roles),
})

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
/** The operator of this name, as Cloudflare Access gives it. Null if there is none. */
export async function findByName({ db }: Context, name: string): Promise<Identity | null> {
  const [found] = await db.select(identityColumns).from(operators).where(isNamed(name))
  return found ? { ...found, token: null } : null
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
  const [[row]] = await orRefused(writeAs(ctx, [ctx.db.insert(operators).values(input).returning()]))
  return toOperator(row!, [])
}

/** From its next request on, sessions included. @throws AppError operator_not_found; operator_exists; last_admin */
export async function updateOperator(
  ctx: Context,
  id: string,
  input: Partial<z.infer<typeof OperatorInput>>,
): Promise<Operator> {
  requireRole(ctx, 'admin')
  if (Object.keys(input).length > 0) {
    const losesRole = input.role !== undefined && input.role !== 'admin'
    const update = ctx.db
      .update(operators)
      .set(input)
      .where(eq(operators.id, id))
      .returning({ id: operators.id })
    const check = losesRole ? requireAdmin(ctx) : []
    const [, changed] = await orRefused(writeAs(ctx, [lockAdmins(ctx), update, ...check]))
    if (changed.length === 0) throw new AppError('operator_not_found')
  }
  return getOperator(ctx, id)
}

/**
 * With its tokens, the tokens made with those, and sessions, which end at once. The audit log keeps its name.
 *
 * @throws AppError operator_not_found; last_admin
 */
export async function removeOperator(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin')
  const removal = ctx.db.delete(operators).where(eq(operators.id, id)).returning({ id: operators.id })
  const [, removed] = await orRefused(writeAs(ctx, [lockAdmins(ctx), removal, ...requireAdmin(ctx)]))
  if (removed.length === 0) throw new AppError('operator_not_found')
}

/** Two admins who demote each other do it one after the other: the second sees what the first has done. */
const lockAdmins = ({ db }: Context) =>
  db
    .select({ id: operators.id })
    .from(operators)
    .where(eq(operators.role, 'admin'))
    .orderBy(operators.id)
    .for('update')

/** Fails if nobody is left who can let others in. Behind Cloudflare Access that needs no token. */
function requireAdmin({ db, config: { OPERATOR_TOKEN, ACCESS_TEAM_DOMAIN } }: Context) {
  return OPERATOR_TOKEN ? [] : [db.execute(sql`select require_admin(${!ACCESS_TEAM_DOMAIN})`)]
}

async function orRefused<Result>(write: Promise<Result>): Promise<Result> {
  return write.catch((error) => {
    const { code, constraint } = databaseError(error) ?? {}
    if (code === NO_ADMIN) throw new AppError('last_admin')
    throw constraint === 'operators_name' ? new AppError('operator_exists') : error
  })
}

function toOperator(
  { id, name, role, createdAt }: OperatorRow,
  tokens: (typeof operatorTokens.$inferSelect)[],
): Operator {
  return { id, name, role, createdAt: wireTime(createdAt), tokens: tokens.map(toToken) }
}
