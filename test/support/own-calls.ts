/**
 * What a test's own requests call. The files of the Worker's tests share one isolate, in which the queue, the cron and what
 * earlier answers left for later go on beside them.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { vi } from 'vitest'

type Handler = (input: unknown, env: unknown, execution: ExecutionContext) => unknown
type Fetch = typeof fetch

const IN_BACKGROUND = 0

/** The number of the request that runs. Nothing for a test that calls the Worker's functions itself. */
const running = new AsyncLocalStorage<number>()
let requests = 0

const inRequest = <Result>(work: () => Result) => running.run(++requests, work)

/** The default export, of which each request has its number. */
export function numbered<Worker extends object>(worker: Worker): Worker {
  const { fetch, queue, scheduled } = worker as unknown as Record<'fetch' | 'queue' | 'scheduled', Handler>
  const inBackground =
    (handler: Handler): Handler =>
    (...call) =>
      running.run(IN_BACKGROUND, () => handler(...call))
  return {
    fetch: (...call: Parameters<Handler>) => inRequest(() => fetch(...call)),
    queue: inBackground(queue),
    scheduled: inBackground(scheduled),
  } as unknown as Worker
}

/** Whether what runs belongs to the test, or to a request that has begun since. */
export function ownSince(): () => boolean {
  const before = requests
  return () => {
    const number = running.getStore()
    return number === undefined || number > before
  }
}

/** From now on `answer` stands in for `fetch`, which it is given, in what belongs to the test. To be ended by `mockRestore`. */
export function interceptFetch(answer: (fetch: Fetch, ...call: Parameters<Fetch>) => ReturnType<Fetch>) {
  const { fetch } = globalThis
  const isOwn = ownSince()
  return vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation((...call: Parameters<Fetch>) => (isOwn() ? answer(fetch, ...call) : fetch(...call)))
}
