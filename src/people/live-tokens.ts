/** Reads all live operator tokens at once, so that guesses from a limited address cost no query each. */

import type { LiveTokens } from '../caches.ts'
import type { Context } from '../context.ts'
import { sha256Hex } from '../core/ids.ts'
import { operatorTokens } from '../db/schema.ts'
import { isRootToken, isTokenLive, isTokenOfOperator } from './operator-tokens.ts'

const KEPT_MS = 10_000

/** `lately` accepts a result up to 10 s old, to save queries. */
export async function mayBeLive(ctx: Context, token: string, asOf: 'now' | 'lately'): Promise<boolean> {
  if (await isRootToken(ctx, token)) return true
  if (!isTokenOfOperator(token)) return false
  const kept = asOf === 'lately' ? ctx.caches.liveTokens.get('all') : undefined
  const { hashes } = kept && Date.now() < kept.until ? kept : await readTokens(ctx)
  return hashes.has(await sha256Hex(token))
}

function readTokens(ctx: Context): Promise<LiveTokens> {
  const read = async () => {
    const until = Date.now() + KEPT_MS
    const rows = await ctx.db
      .select({ hash: operatorTokens.tokenHash })
      .from(operatorTokens)
      .where(isTokenLive)
    const live = { hashes: new Set(rows.map(({ hash }) => hash)), until }
    ctx.caches.liveTokens.set('all', live)
    return live
  }
  return ctx.caches.tokenReads.share('all', read, ctx.defer)
}
