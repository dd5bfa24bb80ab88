/**
 * A webhook receiver whose paths script its answers, and which records its requests: `/ID/ok`, `/ID/status/503`,
 * `/ID/redirect/302`, `/ID/hang`, `/ID/reset`, `/ID/endless`, `/ID/slow/1500`, `/ID/begun` (the body pauses after its first
 * words), `/ID/silent` (before them), `/ID/broken` (the body breaks off), `/ID/whole/1024` (a body of that many bytes),
 * `/ID/headers` (more headers than are stored), `/ID/answer/JSON` (status, headers and body from the test), `/ID/held`
 * (answered at `GET /ID/release`). `GET /ID` returns the requests for ID as JSON.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startHttpServer } from './http-server.ts'

export type Received = { path: string; headers: Record<string, string>; body: string; at: number }

export async function startReceiver() {
  const received = new Map<string, Received[]>()
  const held = new Map<string, ServerResponse[]>()
  const server = await startHttpServer(async (request, response) => {
    const [, id = '', action = '', argument = ''] = (request.url ?? '').split('/')
    const requestsSoFar = () => received.get(id) ?? []
    if (request.method === 'GET' && !action) {
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(requestsSoFar()))
      return
    }
    if (action === 'release') {
      for (const each of held.get(id) ?? []) each.end('at last')
      held.delete(id)
      response.end()
      return
    }
    const body = await read(request)
    const headers = request.headers as Record<string, string>
    received.set(id, [...requestsSoFar(), { path: request.url ?? '', headers, body, at: Date.now() }])
    if (action === 'held') held.set(id, [...(held.get(id) ?? []), response])
    else answer(response, action, argument)
  })
  return { url: server.url, received, close: server.close }
}

/** A header's bytes as Node writes them: the value in UTF-8. */
const inBytes = (value: string) => Buffer.from(value).toString('latin1')

/** The fox is where a value is cut. */
const HEADERS = {
  'Retry-After': '120',
  'X-Request-Id': 'r'.repeat(600),
  Server: inBytes(`${'s'.repeat(498)}🦊🦊🦊`),
  'Set-Cookie': 'session=secret',
  'X-Own': 'none of ours',
}

function answer(response: ServerResponse, action: string, argument: string) {
  if (action === 'hang') return
  if (action === 'reset') return void response.socket?.destroy()
  if (action === 'redirect') {
    return void response.writeHead(Number(argument), { Location: '../elsewhere' }).end()
  }
  if (action === 'answer') {
    const { status, headers, body } = JSON.parse(decodeURIComponent(argument))
    return void response.writeHead(status, headers).end(body)
  }
  if (action === 'status') return void response.writeHead(Number(argument)).end('said no')
  if (action === 'slow') return void setTimeout(() => response.end('late'), Number(argument))
  if (action === 'begun' || action === 'silent') {
    response.writeHead(200).flushHeaders()
    if (action === 'begun') response.write('first words')
    return void setTimeout(() => response.end('and more'), 1_500)
  }
  if (action === 'broken') {
    return void response.writeHead(200).write('first words', () => response.socket?.destroy())
  }
  if (action === 'whole') return void response.end('x'.repeat(Number(argument)))
  if (action === 'headers') return void response.writeHead(503, HEADERS).end()
  if (action === 'endless') {
    response.writeHead(200)
    const more = setInterval(() => response.write('x'.repeat(16_384)), 1)
    return void response.on('close', () => clearInterval(more))
  }
  response.end('thanks')
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
