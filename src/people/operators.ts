/** Operators: people and programs that write. */
import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { likeSubstring } from '../core/fold.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { databaseError } from '../db/client.ts'
import { isUnchanged } from '../db/is-unchanged.ts'
import { operators, operatorTokens, roles, sites } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { type ScheduleChoice, writeAccessLoss } from './access-loss.ts'
import { Name } from './name.ts'
import {
  type Identity,
  identityColumns,
  isTokenLive,
  OperatorToken,
  ROOT,
  toToken,
} from './operator-tokens.ts'
import { SignInLink, toLink } from './sign-in-links.ts'

/** Raised by `require_admin`. */
const NO_ADMIN = 'HC003'
const MAX_SITES = 1_000
/** As `erase_person` writes it, in lower case. */
const ERASED_NAME = 'erased person'

export const OperatorInput = z.strictObject({
  name: Name.check(
    z.refine((name) => name.toUpperCase() !== ROOT.name, 'must not be OPERATOR_TOKEN'),
    z.refine((name) => name.toLowerCase() !== ERASED_NAME, 'must not be the name of erased people'),
  ),
  role: z.enum(roles),
  sites: z.optional(z.nullable(z.array(z.uuid()).check(z.maxLength(MAX_SITES)))),
})

export const Operator = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      name: z.string(),
      role: z.enum(roles),
      createdAt: z.iso.datetime(),
      sites: z
        .nullable(z.array(z.uuid()))
        .check(
          z.describe(
            'The ids of the sites that the operator can access. Null for all sites, as for every admin',
          ),
        ),
      tokens: z.array(OperatorToken).check(z.describe('Newest first')),
      links: z.array(SignInLink).check(z.describe('Sign-in links, newest first')),
    })
    .register(z.globalRegistry, { id: 'Operator' }),
)

type Operator = z.infer<typeof Operator>
type OperatorRow = typeof operators.$inferSelect
/** Finds an operator by the name that Cloudflare Access reports. */
export async function findByName({ db }: Context, name: string): Promise<Identity | null> {
  const [found] = await db.select(identityColumns).from(operators).where(isNamed(name))
  return found ? { ...found, token: null } : null
}

/** For background work. Null once the operator is removed. `isSignedIn` is false once the token has ended. */
export async function findById(
  { db }: Context,
  id: string,
  tokenId: string | null,
): Promise<(Identity & { isSignedIn: boolean }) | null> {
  const ofToken = and(
    eq(operatorTokens.operatorId, operators.id),
    sql`${operatorTokens.id} = ${tokenId}::uuid`,
  )
  const [found] = await db
    .select({ ...identityColumns, isSignedIn: sql<boolean>`${tokenId === null} or ${isTokenLive} is true` })
    .from(operators)
    .leftJoin(operatorTokens, ofToken)
    .where(eq(operators.id, id))
  return found ? { ...found, token: null } : null
}

const isNamed = (name: string) => eq(sql`lower(${operators.name})`, sql`lower(${name})`)

/** Operators limited to some sites see only themselves. */
const isVisible = ({ actor }: Context) => (actor?.sites ? eq(operators.id, actor.id!) : undefined)

export async function listOperators(ctx: Context): Promise<Operator[]> {
  return selectOperators(ctx, isVisible(ctx))
}

/** Query for a batch: operators whose name has all the words. */
export function selectOperatorsByName(ctx: Context, words: string[], limit: number) {
  const matches = words.map((word) => sql`${operators.name} ilike ${likeSubstring(word)}`)
  return ctx.db
    .select({ id: operators.id, name: operators.name, total: sql<number>`count(*) over ()::integer` })
    .from(operators)
    .where(and(isVisible(ctx), ...matches))
    .orderBy(sql`lower(${operators.name})`, operators.id)
    .limit(limit)
}

/** @throws AppError operator_not_found, also for other operators if the actor is limited to some sites */
export async function getOperator(ctx: Context, id: string): Promise<Operator> {
  if (ctx.actor?.sites && ctx.actor.id !== id) throw new AppError('operator_not_found')
  const [operator] = await selectOperators(ctx, eq(operators.id, id))
  if (!operator) throw new AppError('operator_not_found')
  return operator
}

async function selectOperators({ db }: Context, where: SQL | undefined): Promise<Operator[]> {
  const rows = await db
    .select({ operator: operators, token: operatorTokens })
    .from(operators)
    .leftJoin(operatorTokens, eq(operatorTokens.operatorId, operators.id))
    .where(where)
    .orderBy(
      sql`lower(${operators.name}) collate "C"`,
      operators.id,
      desc(operatorTokens.createdAt),
      operatorTokens.id,
    )
  return [...Map.groupBy(rows, ({ operator }) => operator.id).values()].map((own) =>
    toOperator(
      own[0]!.operator,
      own.flatMap(({ token }) => token ?? []),
    ),
  )
}

/** @throws AppError operator_exists; invalid_body for unknown sites, or for sites on an admin */
export async function addOperator(ctx: Context, input: z.infer<typeof OperatorInput>): Promise<Operator> {
  requireRole(ctx, 'admin')
  await checkSites(ctx, input)
  const [[row]] = await mapRefusals(writeAs(ctx, [ctx.db.insert(operators).values(input).returning()]))
  return toOperator(row!, [])
}

/** Required if the person loses scheduled posts. */
type Choice = { schedules?: ScheduleChoice | undefined }

/**
 * Also ends what the operator made but may no longer make.
 *
 * @throws AppError operator_not_found; operator_exists; last_admin; schedules_undecided; invalid_body as `addOperator`;
 * changed_meanwhile if an overwritten field differs from `current`
 */
export async function updateOperator(
  ctx: Context,
  id: string,
  input: Partial<z.infer<typeof OperatorInput>>,
  { schedules, current }: Choice & { current?: Operator | undefined } = {},
): Promise<Operator> {
  requireRole(ctx, 'admin')
  if (Object.keys(input).length > 0) {
    await checkSites(ctx, input)
    const where = and(eq(operators.id, id), current && isUnchanged(operators, input, current))
    const change = ctx.db.update(operators).set(input).where(where).returning({ id: operators.id })
    const changed = await mapRefusals(writeAccessLoss(ctx, id, schedules, input, change))
    if (changed === 0) throw new AppError(current ? 'changed_meanwhile' : 'operator_not_found')
  }
  return getOperator(ctx, id)
}

/** @throws AppError operator_not_found; last_admin; schedules_undecided */
export async function removeOperator(ctx: Context, id: string, { schedules }: Choice = {}): Promise<void> {
  requireRole(ctx, 'admin')
  const change = ctx.db.delete(operators).where(eq(operators.id, id)).returning({ id: operators.id })
  const removed = await mapRefusals(writeAccessLoss(ctx, id, schedules, null, change))
  if (removed === 0) throw new AppError('operator_not_found')
}

async function checkSites({ db }: Context, { sites: ids }: Partial<z.infer<typeof OperatorInput>>) {
  if (!ids) return
  const found = await db.select({ id: sites.id }).from(sites).where(inArray(sites.id, ids))
  const known = new Set(found.map(({ id }) => id))
  const issues = ids.flatMap((id, i) =>
    known.has(id.toLowerCase()) ? [] : { path: `sites[${i}]`, message: 'is not an existing site' },
  )
  if (issues.length > 0) throw new AppError('invalid_body', ...issues)
}

async function mapRefusals<Result>(write: Promise<Result>): Promise<Result> {
  return write.catch((error) => {
    const { code, constraint } = databaseError(error) ?? {}
    if (code === NO_ADMIN) throw new AppError('last_admin')
    if (constraint === 'operators_name') throw new AppError('operator_exists')
    if (constraint !== 'operators_admins_reach_all') throw error
    const message = 'must be null (all sites) for an admin'
    throw new AppError('invalid_body', { path: 'sites', message })
  })
}

function toOperator(
  { id, name, role, createdAt, sites }: OperatorRow,
  rows: (typeof operatorTokens.$inferSelect)[],
): Operator {
  const of = (kind: string) => rows.filter((row) => row.kind === kind)
  return {
    id,
    name,
    role,
    createdAt: wireTime(createdAt),
    sites,
    tokens: of('token').map(toToken),
    links: of('link').map(toLink),
  }
}
