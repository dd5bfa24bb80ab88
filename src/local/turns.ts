/** A back end with one session serves one request at a time. */
/** Returns a function that runs what it is given, one after another, in the order of the calls. */
export function takeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn.catch(() => {})
    return turn
  }
}
