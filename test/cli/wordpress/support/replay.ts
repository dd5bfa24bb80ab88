/**
 * A WordPress with recorded answers. `harbour.ndjson` and `harbour-plain.ndjson` (without pretty permalinks) come from a
 * WordPress 6.1.9 (Debian, PHP 8.2, MariaDB 10.11) with content written for these tests: `wordpressSite` ran with a `fetch`
 * that recorded requests and answers. Terms, which were embedded then, are as in today's requests, and authors are missing.
 * `real/record.ts` writes `quay.ndjson`. Unread fields, links among resources, and style sheets of galleries are left out.
 * `{base}` stands for the site's URL.
 */
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { startHttpServer } from '../../../support/http-server.ts'

const RECORDINGS = join(import.meta.dirname, '../recordings')

export const USER = 'harbour'
export const PASSWORD = 'abcd efgh ijkl'

export type Recorded = { status?: number; headers?: Record<string, string>; body?: unknown }

/** Answers that come before the recorded ones. */
type Script = (path: string, request: IncomingMessage) => Recorded | 'hang' | undefined

export async function startWordPress(file: string | null, script: Script = () => undefined) {
  const answers = file === null ? new Map<string, Recorded>() : read(file)
  const asked: string[] = []
  const { url, close } = await startHttpServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const answer = script(path, request) ??
      answers.get(path + signedIn(request)) ?? { status: 404, body: 'nothing' }
    if (answer === 'hang') return
    const { status = 200, headers = {}, body = '' } = answer
    const withBase = (text: string) => text.replaceAll('{base}', url)
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, withBase(value))
    response.writeHead(status, {
      'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
    })
    response.end(withBase(typeof body === 'string' ? body : JSON.stringify(body)))
  })
  return { url, asked, [Symbol.asyncDispose]: close }
}

function read(file: string): Map<string, Recorded> {
  const lines = readFileSync(join(RECORDINGS, file), 'utf8').trim().split('\n')
  return new Map(
    lines.map((line) => {
      const { request, ...answer } = JSON.parse(line) as Recorded & { request: string }
      return [request, answer]
    }),
  )
}

function signedIn({ headers: { authorization } }: IncomingMessage): string {
  if (authorization === undefined) return ''
  const right = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`
  return authorization === right ? ' signed in' : ' with a wrong password'
}
