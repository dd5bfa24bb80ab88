/** The outgoing requests of a Worker, to the database, Redis and receivers. */
import { vi } from 'vitest'

export type Exchange = { url: string; sent: string; answered: string }

/** Every request that leaves the Worker while `work` runs, with its answer. */
export async function exchangesOf(work: () => Promise<unknown>): Promise<Exchange[]> {
  const exchanges: Promise<Exchange>[] = []
  const { fetch } = globalThis
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await fetch(input, init)
    const sent = String(init?.body)
    exchanges.push(
      answer
        .clone()
        .text()
        .then((answered) => ({ url: String(input), sent, answered })),
    )
    return answer
  })
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  return Promise.all(exchanges)
}
