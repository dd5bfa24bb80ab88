/** Receivers of one process, by how they answer: after 50 ms, after 5 s, never, or not even a connection. */
import { freePort } from '../../support/free-port.ts'
import { startHttpServer } from '../../support/http-server.ts'

export type Kind = 'quick' | 'slow' | 'silent' | 'refusing'
export type Receivers = Awaited<ReturnType<typeof startReceivers>>

const ANSWERS_AFTER_MS: Partial<Record<string, number>> = { quick: 50, slow: 5_000 }

export async function startReceivers() {
  const seen = new Set<string>()
  let [open, most, twice] = [0, 0, 0]
  const server = await startHttpServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    if (seen.has(id)) twice += 1
    seen.add(id)
    open += 1
    most = Math.max(most, open)
    response.once('close', () => {
      open -= 1
    })
    const after = ANSWERS_AFTER_MS[request.url!.slice(1)]
    request.resume().once('end', () => after && setTimeout(() => response.end(), after))
  })
  const closed = await freePort()
  return {
    urlOf: (kind: Kind) => `${kind === 'refusing' ? `http://127.0.0.1:${closed}` : server.url}/${kind}`,
    /** Since the last call: the most POSTs that were open at once, and how many were of an event that had arrived before. */
    take() {
      const taken = { most, twice }
      most = open
      twice = 0
      return taken
    },
    close: server.close,
  }
}
