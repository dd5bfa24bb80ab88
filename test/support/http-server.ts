/** HTTP servers that never close an idle connection: a client that reuses one at that moment loses its request. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export type HttpServer = Awaited<ReturnType<typeof startHttpServer>>

/** Starts a server on a free port of 127.0.0.1. */
export async function startHttpServer(answer: RequestListener) {
  const server = createServer(answer)
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Closes open connections, too. */
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
