/**
 * Caches the results of real code. Code that needs an unknown result is interrupted, and run again when it is known. So the
 * search is plain synchronous code, and runs hundreds of thousands of steps a second.
 */
class Unknown extends Error {
  readonly found: Promise<unknown>
  constructor(found: Promise<unknown>) {
    super('asked outside of `knowing`')
    this.found = found
  }
}

/** @throws Unknown until `find` has found it */
export function recall<Key, Value>(memory: Map<Key, Value>, key: Key, find: () => Promise<Value>): Value {
  const value = memory.get(key)
  if (value !== undefined) return value
  throw new Unknown(find().then((found) => memory.set(key, found)))
}

/** Runs code that uses cached results. It must not change anything before it has all of them. */
export async function knowing<Result>(work: () => Result): Promise<Result> {
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Unknown)) throw error
      await error.found
    }
  }
}
