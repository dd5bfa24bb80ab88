/**
 * Checks all output of the Worker in a test: a secret in it fails the test, and so does an answer without a caching rule or
 * `nosniff`.
 */

import { env } from 'cloudflare:workers'
import { format } from 'node:util'
import { expect, inject } from 'vitest'
import { Known, learn, learnBindings, secretsIn } from './secrets.ts'

/** `within`: a surrounding field that has it too. */
type Showing = { asked: RegExp; field: string; within?: string; name: string }

/** The answers that may show a secret, each only its own. */
const SHOWING: Showing[] = [
  { asked: /^POST \/manage\/v1\/operators\/[^/]+\/tokens$/, field: 'token', name: "operator's own token" },
  { asked: /^POST \/manage\/v1\/sites\/[^/]+\/keys$/, field: 'key', name: 'API key' },
  {
    asked: /^POST \/manage\/v1\/sites\/[^/]+\/posts\/[^/]+\/preview-links$/,
    field: 'token',
    within: 'url',
    name: 'preview token',
  },
  { asked: /^PUT \/manage\/v1\/sites\/[^/]+\/webhook$/, field: 'secret', name: 'webhook secret' },
  {
    asked:
      /^POST \/manage\/v1\/sites\/[^/]+\/(webhook\/secret-rotations|webhooks(\/[^/]+\/secret-rotations)?)$/,
    field: 'secret',
    name: 'webhook secret',
  },
]

const known = new Known()
learnBindings(known, env as unknown as Record<string, string>)
const shown: [string, string][] = []
const inspections: Promise<void>[] = []
const leaks: string[] = []
const printed: string[] = []

export function inspected(request: Request, response: Response): Response {
  const asked = `${request.method} ${new URL(request.url).pathname}`
  // Workers Cache would decide how long to keep it.
  if (!response.headers.has('Cache-Control')) leaks.push(`no Cache-Control in the answer to ${asked}`)
  if (response.headers.get('X-Content-Type-Options') !== 'nosniff')
    leaks.push(`no nosniff in the answer to ${asked}`)
  inspections.push(leaksIn(asked, response.clone()).then((found) => void leaks.push(...found)))
  return response
}

/** A phrase for each secret that the answer to `asked`, such as `GET /manage/v1/sites`, must not contain. */
export async function leaksIn(asked: string, response: Response): Promise<string[]> {
  const head = JSON.stringify([...response.headers].filter(([name]) => !isHandedOn(asked, name)))
  const body = response.body ? await read(response.body) : ''
  const rest = response.status === 201 ? takeShown(asked, body) : body
  return secretsIn(`${head}\n${rest}`, known).map((name) => `${name} in the answer to ${asked}`)
}

/** A preview link redirects to the front end of its site with the token. */
const isHandedOn = (asked: string, header: string) =>
  header === 'location' && /^(GET|HEAD) \/drafts\//.test(asked)

// Output is buffered until the test has failed: vitest would process it line by line, with a stack trace for each.
const { log } = console
for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const) {
  console[level] = (...parts: unknown[]) => void printed.push(format(...parts))
}

/** Records the shown secrets, for the search of stored data after all tests. */
export async function reportShown() {
  const body = JSON.stringify(shown.splice(0))
  await globalThis.fetch(`${inject('receiver')}/shown/ok`, { method: 'POST', body })
}

/** @param hasFailed prints the output since the last call */
export async function expectNoLeaks(hasFailed: boolean) {
  await Promise.all(inspections.splice(0))
  const text = printed.splice(0).join('\n')
  if (hasFailed && text !== '') log(text)
  leaks.push(...secretsIn(text, known).map((name) => `${name} was printed`))
  expect(leaks.splice(0)).toEqual([])
}

/** The body without its permitted secret. */
function takeShown(asked: string, body: string): string {
  const showing = SHOWING.find((each) => each.asked.test(asked))
  if (!showing) return body
  const { [showing.field]: secret, ...rest } = JSON.parse(body)
  if (showing.within) rest[showing.within] = rest[showing.within].replace(secret, '')
  learn(known, showing.name, secret)
  shown.push([showing.name, secret])
  return JSON.stringify(rest)
}

async function read(body: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  try {
    for await (const piece of body.pipeThrough(new TextDecoderStream())) text += piece
  } catch {
    // An interrupted answer is checked as far as it got.
  }
  return text
}
