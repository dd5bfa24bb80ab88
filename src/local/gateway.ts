/** The gateways' HTTP server: has the real services' limits, and adds latency and counters as in production. */
import { hash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Neon and Upstash limit a request to 10 MiB, Neon also a response. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024

export type GatewayOptions = {
  /** Free port by default, and for 0. */
  port?: number
  latencyMs?: number
}

export type Call = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** Rejects with a `BodyTooLarge`. An unread body is dropped. */
  body(): Promise<string>
  /** Aborted when the client disconnects before the answer. */
  signal: AbortSignal
}

export type Answer = { status: number; body?: string; headers?: Record<string, string> }

type Stats = { requests: number; errors: number; [counted: string]: number }

export type Gateway = {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  url: string
  close(): Promise<void>
}

type Protocol = {
  /** Names of additional counters in `GET /stats`. */
  counts: string[]
  answer(call: Call, count: (calls: number, counter?: string) => void): Promise<Answer>
  tooLarge(bytes: number): Answer
  /** Answers after `answer` threw: the gateway, or the server behind it, failed. */
  failed(error: unknown): Answer
}

/** `GET /stats` answers `{requests, errors, <counts>}`, `DELETE /stats` resets them. Rejects when the port is in use. */
export async function startGateway(protocol: Protocol, options: GatewayOptions = {}): Promise<Gateway> {
  let stats = noStats(protocol)
  const server = createServer((request, response) => {
    const client = new AbortController()
    response.once('close', () => {
      if (!response.writableEnded) client.abort(refusal(499, 'the client has gone away'))
    })
    serve(request, client.signal)
      .then(async (answer) => {
        await readToEnd(request)
        send(response, answer)
      })
      .catch(() => response.destroy())
  })

  async function serve(request: IncomingMessage, signal: AbortSignal): Promise<Answer> {
    const { method = 'GET', headers } = request
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    if (path === '/stats') {
      if (method === 'DELETE') stats = noStats(protocol)
      return json(200, stats)
    }
    stats.requests += 1
    if (options.latencyMs) await sleep(options.latencyMs)
    const count = (calls: number, counter = protocol.counts[0]!) => {
      stats[counter] = (stats[counter] ?? 0) + calls
    }
    const answer = await protocol
      .answer({ method, path, headers, body: () => readBody(request), signal }, count)
      .catch((error) =>
        error instanceof BodyTooLarge ? protocol.tooLarge(error.bytes) : protocol.failed(error),
      )
    if (answer.status >= 400) stats.errors += 1
    return answer
  }

  // If the server closed an idle connection first, the client's next call would fail.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return { status, body: JSON.stringify(value), headers: { 'content-type': 'application/json', ...headers } }
}

/** @param code Neon's error code */
export function refusal(status: number, message: string, code?: string) {
  return Object.assign(new Error(message), { status, code })
}

/** Constant time. */
export function isEqualConstantTime(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
}

function noStats(protocol: Protocol): Stats {
  return { requests: 0, errors: 0, ...Object.fromEntries(protocol.counts.map((name) => [name, 0])) }
}

class BodyTooLarge extends Error {
  readonly bytes: number
  constructor(bytes: number) {
    super()
    this.bytes = bytes
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) chunks.length = 0
    else chunks.push(chunk)
  })
  await readToEnd(request)
  if (bytes > MAX_BODY_BYTES) throw new BodyTooLarge(bytes)
  return Buffer.concat(chunks).toString()
}

// A client that is still sending would miss the answer.
async function readToEnd(request: IncomingMessage): Promise<void> {
  if (!request.readableEnded) await finished(request.resume(), { writable: false })
}

function send(response: ServerResponse, { status, body = '', headers = {} }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
