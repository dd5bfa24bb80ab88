/**
 * The backend of a Worker's Cache API, which workerd leaves to others: stores responses by URL until their
 * `max-age` is over, the oldest dropped when there are many.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startHttpServer } from '../support/http-server.ts'

const MAX_ANSWERS = 2_000

type Stored = { status: number; headers: string[]; body: Buffer; until: number }

/** Starts it on a free port of 127.0.0.1. */
export async function startCache() {
  const stored = new Map<string, Stored>()

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const key = [request.headers['cf-cache-namespace'], request.headers.host, request.url].join(' ')
    if (request.method === 'PUT') {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      stored.delete(key)
      stored.set(key, parse(Buffer.concat(chunks)))
      if (stored.size > MAX_ANSWERS) stored.delete(stored.keys().next().value!)
      response.writeHead(204).end()
    } else if (request.method === 'PURGE') {
      response.writeHead(stored.delete(key) ? 200 : 404).end()
    } else {
      const found = stored.get(key)
      if (found && found.until > Date.now()) {
        response.writeHead(found.status, [...found.headers, 'CF-Cache-Status', 'HIT']).end(found.body)
      } else {
        response.writeHead(504, { 'CF-Cache-Status': 'MISS' }).end()
      }
    }
  }

  return startHttpServer((request, response) => void serve(request, response))
}

/** A PUT's body is the answer as HTTP/1.1 writes it, its body never chunked whatever the head says. */
function parse(message: Buffer): Stored {
  const end = message.indexOf('\r\n\r\n')
  const [first = '', ...lines] = message.toString('latin1', 0, end).split('\r\n')
  const body = message.subarray(end + 4)
  const fields = lines.map((line) => /^([^:]+): *(.*)$/.exec(line)!.slice(1) as [string, string])
  const maxAge = /\b(?:s-maxage|max-age)=(\d+)/.exec(new Headers(fields).get('cache-control') ?? '')?.[1]
  const headers = fields.filter(([name]) => !/^(transfer-encoding|content-length)$/i.test(name)).flat()
  return {
    status: Number(first.split(' ')[1]),
    headers: [...headers, 'Content-Length', String(body.length)],
    body,
    until: Date.now() + Number(maxAge ?? 0) * 1_000,
  }
}
