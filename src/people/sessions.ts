import { and, desc, eq, gt, inArray, isNotNull, lte, or, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { base64, sha256Hex } from '../core/ids.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { prune } from '../db/batches.ts'
import { consoleSessions, operators, operatorTokens } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { holderColumns, type Identity, isTokenLive, ROOT, requireOwn } from './operator-tokens.ts'

export const SESSION_SECONDS = 12 * 60 * 60
const ID_BYTES = 32
const SEEN_NOTED_EVERY = '5 minutes'
/** Keeps row and cookie after the end, so that the next page can explain it and keep unsaved input. */
export const ENDED_SESSION_SECONDS = 7 * 24 * 60 * 60

export const Session = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      createdAt: z.iso.datetime(),
      lastSeenAt: z.nullable(z.iso.datetime()).check(z.describe('Can be up to five minutes old')),
      expiresAt: z.iso.datetime(),
      browser: z
        .nullable(z.string())
        .check(z.describe('The browser as reported by itself, such as `Firefox on Linux`')),
      tokenId: z.uuid().check(z.describe('The token or sign-in link that started the session')),
    })
    .register(z.globalRegistry, { id: 'Session' }),
)

export function isTokenSignInAllowed({
  ACCESS_TEAM_DOMAIN,
  ALLOW_TOKEN_SIGN_IN,
}: Context['config']): boolean {
  return ALLOW_TOKEN_SIGN_IN || !ACCESS_TEAM_DOMAIN
}

export const generateSessionId = () => base64(crypto.getRandomValues(new Uint8Array(ID_BYTES)))

/** Returns the session id once and stores only its hash. `browser` is `Firefox on Linux` or similar. */
export async function createSession(
  ctx: Context,
  { token }: Identity,
  browser: string | null,
): Promise<string> {
  const id = generateSessionId()
  const { own, root } = await hashesOf(ctx, id)
  const insertion = ctx.db.insert(consoleSessions).values({
    idHash: token || root === null ? own : root,
    tokenId: token?.id ?? null,
    browser,
    expiresAt: sql`now() + make_interval(secs => ${SESSION_SECONDS})`,
  })
  await writeAs(ctx, [insertion])
  return id
}

/** `gone` covers sign-out, a removed operator and unknown sessions. */
export type SessionEnd = 'expired' | 'revoked' | 'gone' | { endedBy: string; name: string }

export type FoundSession =
  | { holder: Identity; id: string; end?: never }
  | { holder?: never; id?: never; end: SessionEnd }

/** A session ends with its token or link. */
export async function findSession(ctx: Context, id: string): Promise<FoundSession> {
  const { own, root } = await hashesOf(ctx, id)
  const isOfOperator = and(eq(consoleSessions.idHash, own), isNotNull(consoleSessions.tokenId))
  const isOfRoot = root === null ? undefined : eq(consoleSessions.idHash, root)
  const isSession = or(isOfOperator, isOfRoot)
  const seen = ctx.db.$with('seen').as(
    ctx.db
      .update(consoleSessions)
      .set({ lastSeenAt: sql`now()` })
      .where(and(isSession, isOpen, sql`${isSeenNoted} is not true`))
      .returning({ id: consoleSessions.id }),
  )
  const [found] = await ctx.db
    .with(seen)
    .select({
      sessionId: consoleSessions.id,
      tokenId: consoleSessions.tokenId,
      endedBy: consoleSessions.endedBy,
      isOpen: sql<boolean>`${isOpen}`,
      isTokenLive: sql<boolean>`${isTokenLive}`,
      ...holderColumns,
    })
    .from(consoleSessions)
    .leftJoin(operatorTokens, eq(operatorTokens.id, consoleSessions.tokenId))
    .leftJoin(operators, eq(operators.id, operatorTokens.operatorId))
    .where(isSession)
  if (!found) return { end: 'gone' }
  const { sessionId, tokenId, endedBy, id: operatorId, name, role, sites, token } = found
  if (endedBy !== null) return { end: { endedBy, name: name ?? ROOT.name! } }
  if (tokenId !== null && !found.isTokenLive) return { end: 'revoked' }
  if (!found.isOpen) return { end: 'expired' }
  return {
    id: sessionId,
    holder: tokenId === null ? ROOT : { id: operatorId, name: name!, role: role!, sites, token },
  }
}

const isOpen = gt(consoleSessions.expiresAt, sql`now()`)
const isSeenNoted = sql`${consoleSessions.lastSeenAt} > now() - ${SEEN_NOTED_EVERY}::interval`

/** @throws AppError role_required */
export async function listSessions(ctx: Context, operatorId: string): Promise<z.infer<typeof Session>[]> {
  requireOwn(ctx, operatorId)
  return (await selectSessions(ctx, operatorId)).map(toSession)
}

/** Query for a batch. The caller checks permissions. */
export function selectSessions({ db }: Context, operatorId: string) {
  const { id, createdAt, lastSeenAt, expiresAt, browser, tokenId } = consoleSessions
  return db
    .select({ id, createdAt, lastSeenAt, expiresAt, browser, tokenId })
    .from(consoleSessions)
    .innerJoin(operatorTokens, eq(operatorTokens.id, tokenId))
    .where(and(eq(operatorTokens.operatorId, operatorId), isOpen, isTokenLive))
    .orderBy(desc(createdAt), id)
}

export function toSession({
  createdAt,
  lastSeenAt,
  expiresAt,
  tokenId,
  ...row
}: Awaited<ReturnType<typeof selectSessions>>[number]): z.infer<typeof Session> {
  return {
    ...row,
    createdAt: wireTime(createdAt),
    lastSeenAt: wireTime(lastSeenAt),
    expiresAt: wireTime(expiresAt),
    tokenId: tokenId!,
  }
}

/** Ends one or all sessions. The next page they open says who did it. @returns how many were open @throws AppError role_required */
export async function endSessions(
  ctx: Context,
  operatorId: string,
  sessionId: string | null,
): Promise<number> {
  requireOwn(ctx, operatorId)
  const own = ctx.db
    .select({ id: operatorTokens.id })
    .from(operatorTokens)
    .where(and(eq(operatorTokens.operatorId, operatorId), isTokenLive))
  const end = ctx.db
    .update(consoleSessions)
    .set({ endedBy: ctx.actor!.name, expiresAt: sql`now()` })
    .where(
      and(
        inArray(consoleSessions.tokenId, own),
        isOpen,
        sessionId ? eq(consoleSessions.id, sessionId) : undefined,
      ),
    )
    .returning({ id: consoleSessions.id })
  const [ended] = await writeAs(ctx, [end])
  return ended.length
}

/** Signs out everyone who holds the session id. */
export async function endSession(ctx: Context, id: string): Promise<void> {
  const { own, root } = await hashesOf(ctx, id)
  const hashes = root === null ? [own] : [own, root]
  await writeAs(ctx, [ctx.db.delete(consoleSessions).where(inArray(consoleSessions.idHash, hashes))])
}

/** Sessions of OPERATOR_TOKEN hash the token, too, so that changing it ends them. */
async function hashesOf({ config }: Context, id: string): Promise<{ own: string; root: string | null }> {
  const { OPERATOR_TOKEN } = config
  return {
    own: await sha256Hex(id),
    root: OPERATOR_TOKEN ? await sha256Hex(`${OPERATOR_TOKEN} ${id}`) : null,
  }
}

export function pruneSessions(ctx: Context): Promise<number> {
  const end = sql`now() - make_interval(secs => ${ENDED_SESSION_SECONDS})`
  return prune(ctx, consoleSessions, lte(consoleSessions.expiresAt, end))
}
