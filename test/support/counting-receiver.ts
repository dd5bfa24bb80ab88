/** A receiver on 127.0.0.1 that counts the POSTs of each event and answers as the test says. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Handler = (body: string, response: ServerResponse, headers: IncomingHttpHeaders) => unknown

export async function startCountingReceiver(handle: Handler) {
  const posts = new Map<string, number>()
  const server = createServer(async (request, response) => {
    // Before the body is read, so that an interrupted POST counts too.
    const id = String(request.headers['webhook-id'])
    posts.set(id, (posts.get(id) ?? 0) + 1)
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    await handle(Buffer.concat(chunks).toString(), response, request.headers)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How often each event arrived, by its id. */
    posts,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
