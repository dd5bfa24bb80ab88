/** The answers that descriptions of management routes share. */
import * as z from 'zod'
import { EFFECTIVE_WITHIN } from '../http/context.ts'
import type { Answer } from '../http/document.ts'
import { always, failure, integer, internal, invalidInput, json, tooManyAttempts } from '../http/responses.ts'

export const refusals = {
  400: invalidInput,
  401: failure('Missing or invalid operator token'),
  404: failure('The site, or what the path names in it, does not exist'),
  ...tooManyAttempts,
  ...internal,
}

/** For methods that bring a body. */
export const tooLarge = { 413: failure('The body is larger than 8 MiB') }

const effect = {
  [EFFECTIVE_WITHIN]: integer(
    'Only where Redis could not be told of the write: seconds until all reads see it, and a revoked key opens nothing',
    60,
  ),
}

export const page = (item: z.ZodType, description: string) =>
  json(z.object({ items: z.array(item), next: z.string().nullable() }), description)

/** The answer to a write of what the API shows, or of who may read it. */
export const written = (schema: z.ZodType, description: string) => json(schema, description, effect)

export const deleted: Answer = { description: 'Done', headers: { ...always, ...effect } }
export const noContent: Answer = { description: 'Done', headers: always }
