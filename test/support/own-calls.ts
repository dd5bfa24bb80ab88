/**
 * A test's own calls. The files of the Worker's tests share one isolate, in which the queue, the cron and deferred work of
 * earlier answers run at the same time.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { vi } from 'vitest'

type Handler = (input: unknown, env: unknown, execution: ExecutionContext) => unknown
type Fetch = typeof fetch

const IN_BACKGROUND = 0

/** The number of the running request or test. Undefined where a stream is read. */
const running = new AsyncLocalStorage<number>()
let requests = 0

/** Also for a test, which may call the Worker's functions itself. */
export const inRequest = <Result>(work: () => Result) => running.run(++requests, work)

/** The default export, which numbers its requests. */
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

/** The running code belongs to this test, or to a request that started since. */
export function ownSince(): () => boolean {
  const before = requests
  const test = running.getStore()
  return () => {
    const number = running.getStore()
    return number === undefined || number === test || number > before
  }
}

/** From now on `answer`, which gets the real `fetch`, replaces it in the test's own calls. End it with `mockRestore`. */
export function interceptFetch(answer: (fetch: Fetch, ...call: Parameters<Fetch>) => ReturnType<Fetch>) {
  const { fetch } = globalThis
  const isOwn = ownSince()
  return vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation((...call: Parameters<Fetch>) => (isOwn() ? answer(fetch, ...call) : fetch(...call)))
}
