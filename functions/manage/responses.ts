/** Responses that management route descriptions share. */
import * as z from 'zod/mini'
import { responseSchema } from '../../src/core/zod.ts'
import { EFFECTIVE_WITHIN } from '../http/context.ts'
import type { ResponseDescription } from '../http/document.ts'
import {
  commonHeaders,
  errorResponse,
  integerHeader,
  internalErrorResponse,
  invalidInputResponse,
  jsonResponse,
  tooManyAttemptsResponse,
  unauthorizedResponse,
} from '../http/responses.ts'

export const commonErrors = /* @__PURE__ */ responseSchema(() => ({
  ...unauthorizedResponse('Missing or invalid operator token'),
  ...tooManyAttemptsResponse,
  ...internalErrorResponse,
}))

/** For bodies that are already JSON text. */
export const JSON_HEADERS = { 'Content-Type': 'application/json' }

/** For paths with a site. */
export const siteErrors = /* @__PURE__ */ responseSchema(() => ({
  ...commonErrors,
  404: errorResponse('The site or its resource was not found'),
}))

/** For methods that may have a body, even if the operation needs none. */
export const bodyErrors = /* @__PURE__ */ responseSchema(() => ({
  400: invalidInputResponse,
  413: errorResponse('The body is larger than 8 MiB'),
}))

const effect = /* @__PURE__ */ responseSchema(() => ({
  [EFFECTIVE_WITHIN]: integerHeader(
    'Set only if Redis was unreachable, or if a cache refused to purge content that the write removed from the public. Once they are reachable again, every read sees the write and revoked keys are refused within this many seconds',
    60,
  ),
}))

export const pageResponse = (item: z.core.$ZodType, description: string) =>
  jsonResponse(z.object({ items: z.array(item), next: z.nullable(z.string()) }), description)

/** For writes that change API content or access. */
export const writtenResponse = (schema: z.core.$ZodType, description: string) =>
  jsonResponse(schema, description, effect)

export const deletedResponse: ResponseDescription = /* @__PURE__ */ responseSchema(() => ({
  description: 'Done',
  headers: { ...commonHeaders, ...effect },
}))
export const noContentResponse: ResponseDescription = /* @__PURE__ */ responseSchema(() => ({
  description: 'Done',
  headers: commonHeaders,
}))
