/**
 * Checks everything that the Worker answers or prints in a test: a secret in it fails the test, and so does an answer that
 * does not say how it may be cached.
 */

import { env } from 'cloudflare:workers'
import { format } from 'node:util'
import { expect, inject } from 'vitest'
import { Known, learn, learnBindings, secretsIn } from './secrets.ts'

/** `within`: a field that has it too. */
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

/** Returns the answer unchanged, and checks a copy of it. */
export function inspected(request: Request, response: Response): Response {
  const asked = `${request.method} ${new URL(request.url).pathname}`
  // Workers Cache would keep it for as long as it likes.
  if (!response.headers.has('Cache-Control')) leaks.push(`no Cache-Control in the answer to ${asked}`)
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

/** A link to a draft leads to the front end of its site with the token. */
const isHandedOn = (asked: string, header: string) =>
  header === 'location' && /^(GET|HEAD) \/drafts\//.test(asked)

// What a test prints is kept until it has failed: vitest would take it over line by line, with the place of each.
const { log } = console
for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const) {
  console[level] = (...parts: unknown[]) => void printed.push(format(...parts))
}

/** Records the shown secrets, for the search of stored data after all tests. */
export async function reportShown() {
  const body = JSON.stringify(shown.splice(0))
  await globalThis.fetch(`${inject('receiver')}/shown/ok`, { method: 'POST', body })
}

/** @param hasFailed whether what was printed since the last call is shown */
export async function expectNoLeaks(hasFailed: boolean) {
  await Promise.all(inspections.splice(0))
  const text = printed.splice(0).join('\n')
  if (hasFailed && text !== '') log(text)
  leaks.push(...secretsIn(text, known).map((name) => `${name} was printed`))
  expect(leaks.splice(0)).toEqual([])
}

/** The body without the secret that it may show. */
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
