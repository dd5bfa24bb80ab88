/** During guessing, lookups share a query: at most four a second per isolate and kind, without Redis. */

import type { BatchedKind } from '../caches.ts'
import type { Context } from '../context.ts'
import type { Credential } from './credentials.ts'

const BETWEEN_QUERIES_MS = 250
const MAX_BATCH = 1_000

export function batched(kind: BatchedKind, { find, ...credential }: Credential): Credential {
  const findTogether: Credential['find'] = async (ctx, [hash]) => {
    const { batches, waiting } = ctx.caches
    for (;;) {
      waiting[kind].add(hash!)
      const lead = () => batches.lead(kind, () => findWaiting(ctx, waiting[kind], find), ctx.defer)
      // Undefined if it takes too long. An earlier batch does not include this hash.
      const batch = await (batches.underWay(kind) ?? lead())
      if (batch?.asked.has(hash!)) return batch.found
    }
  }
  return { ...credential, find: findTogether, isBatched: true }
}

async function findWaiting(ctx: Context, waiting: Set<string>, find: Credential['find']) {
  await new Promise((resolve) => setTimeout(resolve, BETWEEN_QUERIES_MS))
  const hashes = [...waiting].slice(0, MAX_BATCH)
  for (const hash of hashes) waiting.delete(hash)
  return { asked: new Set(hashes), found: await find(ctx, hashes) }
}
