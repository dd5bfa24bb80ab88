/** Retries with pauses. */

/**
 * Retries until an attempt succeeds, with a pause before each. `pausesMs` may be lazy, because we read it after each failure.
 * `onRetry` receives every failure except the last.
 *
 * @throws the last attempt's error, when there are no more pauses
 */
export async function retry<Result>(
  pausesMs: Iterable<number>,
  attempt: () => Promise<Result>,
  onRetry: (error: unknown, tries: number) => void = () => {},
): Promise<Result> {
  const pauses = pausesMs[Symbol.iterator]()
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const pause = pauses.next()
      if (pause.done) throw error
      onRetry(error, tries)
      await new Promise((resolve) => setTimeout(resolve, pause.value))
    }
  }
}

/** The same pause, until `deadline` has passed. */
export function* pausesUntil(deadline: number, pauseMs: number): Generator<number> {
  while (Date.now() <= deadline) yield pauseMs
}
