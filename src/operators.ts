/** Operators: people and programs that write, each with a role and tokens of its own. */
import { and, desc, eq, exists, ne, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import * as z from 'zod/mini'
import { requireRole, writeAs } from './actor.ts'
import type { Context } from './context.ts'
import { databaseError } from './db/client.ts'
import { operators, operatorTokens, roles } from './db/schema.ts'
import { AppError } from './errors.ts'
import { Name } from './name.ts'
import { type Identity, identityColumns, OperatorToken, ROOT, toToken } from './operator-tokens.ts'
import { wireTime } from './time.ts'
import { wireShape } from './wire-shape.ts'

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
  const [[row]] = await named(writeAs(ctx, [ctx.db.insert(operators).values(input).returning()]))
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
    const staysAdmin = input.role === undefined || input.role === 'admin'
    const which = staysAdmin ? eq(operators.id, id) : unlessLastAdmin(ctx, id)
    const update = ctx.db.update(operators).set(input).where(which).returning({ id: operators.id })
    const [, changed, known] = await named(writeAs(ctx, [lockAdmins(ctx), update, selectId(ctx, id)]))
    if (changed.length === 0) throw new AppError(known.length > 0 ? 'last_admin' : 'operator_not_found')
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
  const removal = ctx.db.delete(operators).where(unlessLastAdmin(ctx, id)).returning({ id: operators.id })
  const [, removed, known] = await writeAs(ctx, [lockAdmins(ctx), removal, selectId(ctx, id)])
  if (removed.length === 0) throw new AppError(known.length > 0 ? 'last_admin' : 'operator_not_found')
}

/** Two admins who demote each other do it one after the other: the second statement sees what the first has done. */
const lockAdmins = ({ db }: Context) =>
  db
    .select({ id: operators.id })
    .from(operators)
    .where(eq(operators.role, 'admin'))
    .orderBy(operators.id)
    .for('update')

/** The operator, unless nobody would be left who can let others in. */
function unlessLastAdmin({ db, config }: Context, id: string): SQL | undefined {
  if (config.OPERATOR_TOKEN) return eq(operators.id, id)
  const others = alias(operators, 'others')
  const otherAdmins = db
    .select({ id: others.id })
    .from(others)
    .where(and(eq(others.role, 'admin'), ne(others.id, id)))
  return and(eq(operators.id, id), or(ne(operators.role, 'admin'), exists(otherAdmins)))
}

const selectId = ({ db }: Context, id: string) =>
  db.select({ id: operators.id }).from(operators).where(eq(operators.id, id))

async function named<Result>(write: Promise<Result>): Promise<Result> {
  return write.catch((error) => {
    throw databaseError(error)?.constraint === 'operators_name' ? new AppError('operator_exists') : error
  })
}

function toOperator(
  { id, name, role, createdAt }: OperatorRow,
  tokens: (typeof operatorTokens.$inferSelect)[],
): Operator {
  return { id, name, role, createdAt: wireTime(createdAt), tokens: tokens.map(toToken) }
}
