/** The answers that descriptions of management routes share. */
import * as z from 'zod/mini'
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

export const errorResponses = {
  400: invalidInputResponse,
  ...unauthorizedResponse('Missing or invalid operator token'),
  404: errorResponse('The site, or what the path names in it, does not exist'),
  ...tooManyAttemptsResponse,
  ...internalErrorResponse,
}

/** For methods that bring a body. */
export const tooLargeResponse = { 413: errorResponse('The body is larger than 8 MiB') }

const effect = {
  [EFFECTIVE_WITHIN]: integerHeader(
    'Only if Redis was unreachable: once it can be reached again, seconds until every read sees the write and a revoked key is refused',
    60,
  ),
}

export const pageResponse = (item: z.core.$ZodType, description: string) =>
  jsonResponse(z.object({ items: z.array(item), next: z.nullable(z.string()) }), description)

/** The answer to a write of what the API shows, or of who may read it. */
export const writtenResponse = (schema: z.core.$ZodType, description: string) =>
  jsonResponse(schema, description, effect)

export const deletedResponse: ResponseDescription = {
  description: 'Done',
  headers: { ...commonHeaders, ...effect },
}
export const noContentResponse: ResponseDescription = { description: 'Done', headers: commonHeaders }
