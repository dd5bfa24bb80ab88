/** Runs work one at a time, in the order of the calls: for a back end with one session. */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return function run(work) {
    const result = last.then(work, work)
    last = result.catch(() => {})
    return result
  }
}
