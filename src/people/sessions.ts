/** Sessions of the console: a token, given once, signs in for twelve hours. */
import { and, eq, gt, inArray, lte, or, sql } from 'drizzle-orm'
import { prune } from '../db/parts.ts'
import { consoleSessions, operators, operatorTokens } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import type { Context } from '../foundation/context.ts'
import { base64, sha256Hex } from '../foundation/digest.ts'
import { holderColumns, type Identity, isTokenLive, ROOT } from './operator-tokens.ts'

export const SESSION_SECONDS = 12 * 60 * 60
const ID_BYTES = 32

/** Whether a token signs in to the console. Behind Cloudflare Access it does only with ALLOW_TOKEN_SIGN_IN. */
export function isTokenSignInAllowed({
  ACCESS_TEAM_DOMAIN,
  ALLOW_TOKEN_SIGN_IN,
}: Context['config']): boolean {
  return ALLOW_TOKEN_SIGN_IN || !ACCESS_TEAM_DOMAIN
}

/** Signs in whoever has the token. The session's id is returned here and stored only as a hash. */
export async function createSession(ctx: Context, { token }: Identity): Promise<string> {
  const id = base64(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
  const { own, root } = await hashesOf(ctx, id)
  const insertion = ctx.db.insert(consoleSessions).values({
    idHash: token || root === null ? own : root,
    tokenId: token?.id ?? null,
    expiresAt: sql`now() + make_interval(secs => ${SESSION_SECONDS})`,
  })
  await writeAs(ctx, [insertion])
  return id
}

/** Whose live session it is: it ends with its token. Null for none. */
export async function findSession(ctx: Context, id: string): Promise<Identity | null> {
  const { own, root } = await hashesOf(ctx, id)
  const isOfOperator = and(eq(consoleSessions.idHash, own), isTokenLive)
  const isOfRoot = root === null ? undefined : eq(consoleSessions.idHash, root)
  const [found] = await ctx.db
    .select({ tokenId: consoleSessions.tokenId, ...holderColumns })
    .from(consoleSessions)
    .leftJoin(operatorTokens, eq(operatorTokens.id, consoleSessions.tokenId))
    .leftJoin(operators, eq(operators.id, operatorTokens.operatorId))
    .where(and(or(isOfOperator, isOfRoot), gt(consoleSessions.expiresAt, sql`now()`)))
  if (!found) return null
  const { tokenId, id: operatorId, name, role, sites, token } = found
  return tokenId === null ? ROOT : { id: operatorId, name, role: role!, sites, token }
}

/** Ends the session, for everybody who has its id. */
export async function endSession(ctx: Context, id: string): Promise<void> {
  const { own, root } = await hashesOf(ctx, id)
  const hashes = root === null ? [own] : [own, root]
  await writeAs(ctx, [ctx.db.delete(consoleSessions).where(inArray(consoleSessions.idHash, hashes))])
}

/** A session of OPERATOR_TOKEN has another hash: nobody finds it once that token is another, or off. */
async function hashesOf({ config }: Context, id: string): Promise<{ own: string; root: string | null }> {
  const { OPERATOR_TOKEN } = config
  return {
    own: await sha256Hex(id),
    root: OPERATOR_TOKEN ? await sha256Hex(`${OPERATOR_TOKEN} ${id}`) : null,
  }
}

/** Deletes expired sessions. @returns how many */
export function pruneSessions(ctx: Context): Promise<number> {
  return prune(ctx, consoleSessions, lte(consoleSessions.expiresAt, sql`now()`))
}
