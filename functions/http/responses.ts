import * as z from 'zod/mini'
import { responseSchema } from '../../src/core/zod.ts'
import type { Header, Operation, ResponseDescription } from './document.ts'
import { VARY } from './request.ts'

const ErrorBody = /* @__PURE__ */ responseSchema(() =>
  z.object({ error: z.string() }).register(z.globalRegistry, { id: 'Error' }),
)
const InvalidInput = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      error: z.string(),
      issues: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
    })
    .register(z.globalRegistry, { id: 'InvalidInput' }),
)

type Headers = Record<string, Header>

export const textHeader = (description: string, example: string): Header => ({
  description,
  schema: { type: 'string' },
  example,
})
export const integerHeader = (description: string, example: number): Header => ({
  description,
  schema: { type: 'integer' },
  example,
})

/** Every operation needs a credential, so responses vary by it. */
export const commonHeaders = /* @__PURE__ */ responseSchema(() => ({
  Vary: textHeader('Request headers that the response depends on', VARY),
  'X-Request-Id': textHeader(
    'The id of this request, also found in the log',
    '3f0c1a52-7d56-4f3c-9a0e-3f1e7e1c9b11',
  ),
}))

export const rateHeaders = /* @__PURE__ */ responseSchema(() => ({
  'X-RateLimit-Limit': integerHeader(
    "Requests per UTC day for this credential: the site's quota, or that of its sitemap keys or preview links",
    1000,
  ),
  'X-RateLimit-Remaining': integerHeader('Requests left until the reset', 987),
  'X-RateLimit-Reset': integerHeader('Unix seconds of the next UTC midnight', 1795305600),
}))

export const tagHeaders = /* @__PURE__ */ responseSchema(() => ({
  ETag: textHeader('A weak entity tag for If-None-Match', 'W/"mwr0tby3-0a1b2c3d4e5f6071"'),
  'Cache-Control': textHeader('How the response may be cached', 'private, no-cache'),
}))

export const linkHeader = /* @__PURE__ */ responseSchema(() => ({
  Link: {
    ...textHeader(
      'The first, previous, next and last page. Left out if the query is too long to repeat',
      '<https://api.example.com/api/v1/sites/0b9c1d2e-3f40-4a51-8b62-7c8d9e0f1a2b/posts?page=2>; rel="next"',
    ),
    'x-addition': true as const,
  },
}))

/** Not validated, because every value is valid. */
export const ifNoneMatch: Operation['headers'] = [
  {
    name: 'If-None-Match',
    description: 'Entity tags that the client has. A match returns 304',
    schema: { type: 'string' },
  },
]

export const jsonResponse = (
  schema: z.core.$ZodType,
  description: string,
  headers: Headers = {},
): ResponseDescription => ({
  description,
  headers: { ...commonHeaders, ...headers },
  content: { 'application/json': { schema } },
})

/** `withFields` is for requests with `fields`. With an `anyOf` of both, generated clients would lose types. */
export const jsonWithFields = (
  schema: z.core.$ZodType,
  withFields: z.core.$ZodType,
  ...rest: [string, Headers]
): ResponseDescription => ({
  ...jsonResponse(schema, ...rest),
  content: { 'application/json': { schema, withFields } },
})

export const notModifiedResponse = /* @__PURE__ */ responseSchema(() => ({
  description:
    'Not modified: If-None-Match contains the current ETag or is `*`. Uses no quota, except for `*` if the response had to be built first.',
  headers: { ...commonHeaders, ...tagHeaders, ...rateHeaders },
}))

/** For operations that use no quota. */
export const uncountedNotModifiedResponse = /* @__PURE__ */ responseSchema(() => ({
  description: 'Not modified',
  headers: { ...commonHeaders, ...tagHeaders },
}))

const noStore = /* @__PURE__ */ responseSchema(() => ({
  'Cache-Control': textHeader('Errors are not cached', 'no-store'),
}))
export const errorResponse = (description: string, headers: Headers = {}) =>
  jsonResponse(ErrorBody, description, { ...noStore, ...headers })

export const invalidQueryResponse = /* @__PURE__ */ responseSchema(() => ({
  400: errorResponse('A query parameter is invalid. `error` names each one'),
}))
export const invalidInputResponse = /* @__PURE__ */ responseSchema(() =>
  jsonResponse(
    InvalidInput,
    'The body or the path is invalid. `error` names each problem, and `issues` lists them by path',
    noStore,
  ),
)
export const unauthorizedResponse = (description: string) => ({
  401: errorResponse(description, { 'WWW-Authenticate': textHeader('The authentication scheme', 'Bearer') }),
})
export const keyRefusedResponse = /* @__PURE__ */ responseSchema(() =>
  unauthorizedResponse('The API key is missing, malformed, unknown, revoked, expired or of another site'),
)
export const notFoundResponse = (what: string, headers: Headers = {}) => ({
  404: errorResponse(`${what} not found`, headers),
})
export const overQuotaResponse = /* @__PURE__ */ responseSchema(() => ({
  429: errorResponse('The daily request quota is exceeded', {
    ...rateHeaders,
    'Retry-After': integerHeader('Seconds until the quota resets', 3600),
  }),
}))
export const tooManyAttemptsResponse = /* @__PURE__ */ responseSchema(() => ({
  429: errorResponse('Too many wrong tokens from this IP address', {
    'Retry-After': integerHeader('Seconds until you can try again', 42),
  }),
}))
export const internalErrorResponse = /* @__PURE__ */ responseSchema(() => ({
  500: errorResponse('Internal error'),
}))
