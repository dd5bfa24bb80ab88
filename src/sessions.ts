/** Sessions of the console: the operator's token, given once, signs in for twelve hours. */
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { Context } from './context.ts'
import { consoleSessions } from './db/schema.ts'
import { base64, equalSecrets, sha256Hex } from './digest.ts'

export const SESSION_SECONDS = 12 * 60 * 60
const ID_BYTES = 32

/** Whether the operator's token signs in to the console. Behind Cloudflare Access it does only with ALLOW_TOKEN_SIGN_IN. */
export function isTokenSignInAllowed({
  ACCESS_TEAM_DOMAIN,
  ALLOW_TOKEN_SIGN_IN,
}: Context['config']): boolean {
  return ALLOW_TOKEN_SIGN_IN || !ACCESS_TEAM_DOMAIN
}

/**
 * Exchanges the operator's token for a session. Its id is returned here and stored only as a hash.
 *
 * @returns null for a wrong token
 */
export async function createSession(ctx: Context, token: string): Promise<string | null> {
  if (!(await equalSecrets(token, ctx.config.OPERATOR_TOKEN))) return null
  const id = base64(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
  await ctx.db.insert(consoleSessions).values({
    idHash: await sha256Hex(id),
    expiresAt: sql`now() + make_interval(secs => ${SESSION_SECONDS})`,
  })
  return id
}

export async function isSessionLive(ctx: Context, id: string): Promise<boolean> {
  const live = await ctx.db
    .select({ idHash: consoleSessions.idHash })
    .from(consoleSessions)
    .where(and(eq(consoleSessions.idHash, await sha256Hex(id)), gt(consoleSessions.expiresAt, sql`now()`)))
  return live.length > 0
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
