import { interceptFetch } from './own-calls.ts'

export type Exchange = { url: string; sent: string; answered: string }

/** All requests from the Worker while `work` runs, with their answers. */
export async function exchangesOf(work: () => Promise<unknown>): Promise<Exchange[]> {
  const exchanges: Exchange[] = []
  const spy = interceptFetch(async (fetch, input, init) => {
    const answer = await fetch(input, init)
    // Read here: a body that is still unread when its request ends never arrives.
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
