/** The answers and headers that descriptions of routes share. */
import * as z from 'zod'
import { VARY } from './api-key.ts'
import type { Answer, Header, Operation } from './document.ts'

const ErrorBody = z.object({ error: z.string() }).meta({ id: 'Error' })
const InvalidInput = z
  .object({
    error: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'InvalidInput' })

type Headers = Record<string, Header>

export const text = (description: string, example: string): Header => ({
  description,
  schema: { type: 'string' },
  example,
})
export const integer = (description: string, example: number): Header => ({
  description,
  schema: { type: 'integer' },
  example,
})

/** Every operation is for the holder of a key or token, so its answers depend on who asks. */
export const always = {
  Vary: text('Request headers the answer depends on', VARY),
  'X-Request-Id': text('Id of this request, also on the log line', '3f0c1a52-7d56-4f3c-9a0e-3f1e7e1c9b11'),
}

export const rateHeaders = {
  'X-RateLimit-Limit': integer(
    'Requests per UTC day: of the site, or for a sitemap-only key of all such keys of the site',
    1000,
  ),
  'X-RateLimit-Remaining': integer('Requests left until the reset', 987),
  'X-RateLimit-Reset': integer('Unix seconds of the next UTC midnight', 1795305600),
}

export const tagHeaders = {
  ETag: text('Weak entity tag, for If-None-Match', 'W/"mwr0tby3-0a1b2c3d4e5f6071"'),
  'Cache-Control': text('How long the answer may be kept', 'private, no-cache'),
}

/** Described alone: there is nothing to refuse in it. */
export const ifNoneMatch: Operation['headers'] = [
  {
    name: 'If-None-Match',
    description: 'Entity tags the client has; a match gives 304',
    schema: { type: 'string' },
  },
]

export const json = (schema: z.ZodType, description: string, headers: Headers = {}): Answer => ({
  description,
  headers: { ...always, ...headers },
  content: { 'application/json': { schema } },
})

export const notModifiedAnswer = {
  description:
    'Not modified: If-None-Match named the current ETag, or was `*`. Costs no quota, unless the answer to `*` had to be built to know.',
  headers: { ...always, ...tagHeaders, ...rateHeaders },
}

const unkept = { 'Cache-Control': text('Errors are not kept', 'no-store') }
export const failure = (description: string, headers: Headers = {}) =>
  json(ErrorBody, description, { ...unkept, ...headers })

export const invalidQuery = { 400: failure('A query parameter breaks its rule; the text names each one') }
export const invalidInput = json(
  InvalidInput,
  'The body or a parameter breaks a rule; the text names each one, and `issues` those of a body by its path',
  unkept,
)
export const unauthorized = {
  401: failure('No key, a malformed, unknown, revoked or expired one, or one of another site', {
    'WWW-Authenticate': text('The scheme to use', 'Bearer'),
  }),
}
export const missing = (what: string, headers: Headers = {}) => ({
  404: failure(`${what} not found`, headers),
})
export const overQuota = {
  429: failure('The daily quota is used up', {
    ...rateHeaders,
    'Retry-After': integer('Seconds until the reset', 3600),
  }),
}
export const tooManyAttempts = {
  429: failure('Too many wrong tokens from this address', {
    'Retry-After': integer('Seconds until the next attempt', 42),
  }),
}
export const internal = { 500: failure('Internal error') }
