/** A receiver on 127.0.0.1 that counts the POSTs of each event, with scripted answers. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { startHttpServer } from './http-server.ts'

type Handler = (body: string, response: ServerResponse, headers: IncomingHttpHeaders) => unknown

export async function startCountingReceiver(handle: Handler) {
  const posts = new Map<string, number>()
  const server = await startHttpServer(async (request, response) => {
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
  return {
    url: server.url,
    /** The number of arrivals of each event, by id. */
    posts,
    close: server.close,
  }
}
