/** `pausesMs` may be lazy. `onRetry` gets every failure but the last. @throws the last failure when the pauses run out */
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

export function* pausesUntil(deadline: number, pauseMs: number): Generator<number> {
  while (Date.now() <= deadline) yield pauseMs
}
