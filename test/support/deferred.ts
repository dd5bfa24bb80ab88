/** Work that goes on in the background of the tests: what answers left for later, the queue and the cron. */
import { expect } from 'vitest'

type Handler = (input: unknown, env: unknown, execution: ExecutionContext) => unknown

let underWay = 0

/** The Worker, of which it is known what is under way once its answers are given. */
export function withTracking<Worker extends object>(worker: Worker): Worker {
  const { fetch, queue, scheduled } = worker as unknown as Record<string, Handler>
  const answer: Handler = (input, env, execution) => fetch!(input, env, tracked(execution))
  const inBackground =
    (handler: Handler): Handler =>
    (input, env, execution) =>
      track(Promise.resolve(handler(input, env, tracked(execution))))
  return {
    fetch: answer,
    queue: inBackground(queue!),
    scheduled: inBackground(scheduled!),
  } as unknown as Worker
}

function tracked(execution: ExecutionContext): ExecutionContext {
  const waitUntil = (work: Promise<unknown>) => execution.waitUntil(track(work))
  return { waitUntil, exports: execution.exports, props: execution.props } as unknown as ExecutionContext
}

async function track<Result>(work: Promise<Result>): Promise<Result> {
  underWay += 1
  try {
    return await work
  } finally {
    underWay -= 1
  }
}

/** Resolves when nothing is under way. */
export const backgroundIdle = () => expect.poll(() => underWay, { timeout: 10_000, interval: 5 }).toBe(0)
