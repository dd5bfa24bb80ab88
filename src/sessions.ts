/** Sessions of the console: a token, given once, signs in for twelve hours. */
import { and, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'
import { writeAs } from './actor.ts'
import type { Context } from './context.ts'
import { consoleSessions, operators, operatorTokens } from './db/schema.ts'
import { base64, sha256Hex } from './digest.ts'
import { type Identity, identityColumns, isTokenLive, ROOT, type TokenHolder } from './operators.ts'

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
export async function createSession(ctx: Context, { tokenId }: TokenHolder): Promise<string> {
  const id = base64(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
  const insertion = ctx.db.insert(consoleSessions).values({
    idHash: await sha256Hex(id),
    tokenId,
    expiresAt: sql`now() + make_interval(secs => ${SESSION_SECONDS})`,
  })
  await writeAs(ctx, [insertion])
  return id
}

/** Whose live session it is: it ends with its token. Null for none. */
export async function findSession(ctx: Context, id: string): Promise<Identity | null> {
  const [found] = await ctx.db
    .select({ tokenId: consoleSessions.tokenId, operator: identityColumns })
    .from(consoleSessions)
    .leftJoin(operatorTokens, eq(operatorTokens.id, consoleSessions.tokenId))
    .leftJoin(operators, eq(operators.id, operatorTokens.operatorId))
    .where(
      and(
        eq(consoleSessions.idHash, await sha256Hex(id)),
        gt(consoleSessions.expiresAt, sql`now()`),
        or(isNull(consoleSessions.tokenId), isTokenLive),
      ),
    )
  if (!found) return null
  return found.tokenId === null ? ROOT : found.operator
}

/** Ends the session, for everybody who has its id. */
export async function endSession(ctx: Context, id: string): Promise<void> {
  await ctx.db.delete(consoleSessions).where(eq(consoleSessions.idHash, await sha256Hex(id)))
}

/** Deletes expired sessions. */
export async function pruneSessions(ctx: Context): Promise<number> {
  const removed = await ctx.db
    .delete(consoleSessions)
    .where(lte(consoleSessions.expiresAt, sql`now()`))
    .returning({ idHash: consoleSessions.idHash })
  return removed.length
}
