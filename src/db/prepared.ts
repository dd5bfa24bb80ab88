/** Drizzle uses more CPU to build a statement than the driver uses to send it. */
import { LruCache } from '../cache/lru-cache.ts'
import type { Database } from './client.ts'

const STATEMENT_BYTES = 32 * 1024
const KEPT_BYTES = 100 * STATEMENT_BYTES

/** One per client and variant, for the most recently used variants. */
export function prepared<Variant, Statement>(
  build: (db: Database, variant: Variant) => { prepare(name: string): Statement },
): (db: Database, variant: Variant) => Statement {
  const built = new WeakMap<Database, LruCache<Statement>>()
  return (db, variant) => {
    const statements = built.get(db) ?? new LruCache<Statement>(KEPT_BYTES, () => STATEMENT_BYTES)
    built.set(db, statements)
    const key = JSON.stringify(variant) ?? ''
    const known = statements.get(key)
    if (known) return known
    const statement = build(db, variant).prepare('')
    statements.set(key, statement)
    return statement
  }
}
