/** The outgoing requests of a Worker, to the database, Redis and receivers. */
import { interceptFetch } from './own-calls.ts'

export type Exchange = { url: string; sent: string; answered: string }

/** Every request that leaves the Worker while `work` runs, with its answer. */
export async function exchangesOf(work: () => Promise<unknown>): Promise<Exchange[]> {
  const exchanges: Exchange[] = []
  const spy = interceptFetch(async (fetch, input, init) => {
    const answer = await fetch(input, init)
    // Read here: a body that is left to be read after its request has ended never comes.
    const answered = await answer.text()
    exchanges.push({ url: String(input), sent: String(init?.body), answered })
    return new Response(answered, answer)
  })
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  return exchanges
}
