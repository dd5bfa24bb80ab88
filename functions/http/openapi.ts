/** One way to make an app whose routes are described, validated and refused alike. */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { AppError } from '../../src/errors.ts'
import { issuesOf } from '../../src/zod-messages.ts'
import type { Env, Http } from './env.ts'

export { createRoute, z }

/** Gives a schema its name in the document. Cloned, since schemas made before `.openapi` was there do not have it. */
export function named<Schema extends z.ZodType>(name: string, schema: Schema): Schema {
  return schema.clone().openapi(name)
}

export const ErrorBody = z.object({ error: z.string() }).openapi('Error')
export const InvalidInput = z
  .object({
    error: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .openapi('InvalidInput')

/** An app that answers invalid input with 400, naming each field and its rule, to whoever `mayAsk`. */
export function createApp(mayAsk?: (c: Http) => Promise<unknown>) {
  return new OpenAPIHono<Env>({
    defaultHook: async (result, c) => {
      if (result.success) return
      await mayAsk?.(c)
      // What stands in the path and is malformed names nothing.
      if (result.target === 'param') throw new AppError('not_found')
      throw new AppError(
        result.target === 'query' ? 'invalid_query' : 'invalid_body',
        ...issuesOf(result.error),
      )
    },
  })
}

/** Said once: as operations of their own, they would give each generated client every read twice. */
export const HEAD =
  'Every path that answers GET answers HEAD too: with the same status and headers, and without a body.'

/** `{siteId}` and the like; any text, since a malformed one is refused like an unknown one. */
export function pathParameter(description: string, format?: 'uuid') {
  return z.string().openapi({ description, ...(format && { format }) })
}

/**
 * The document, made once per isolate but for the origin, which is the request's; `headers` are those that every answer
 * of the app has.
 */
export function describe(
  app: OpenAPIHono<Env>,
  path: string,
  info: { title: string; description: string },
  root: string,
  { security, headers = {} }: { security?: Record<string, string[]>[]; headers?: Record<string, object> },
) {
  let document: object | undefined
  app.get(path, (c) => {
    document ??= withHeaders(headers, {
      ...app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: { ...info, version: '1.0.0' },
        ...(security && { security }),
      }),
    })
    // Not public: there are shared caches whose keys know no host.
    c.header('Cache-Control', 'private, max-age=300')
    c.header('Vary', 'Accept-Encoding')
    return c.json({ ...document, servers: [{ url: new URL(c.req.url).origin + root }] })
  })
}

type Described = {
  paths?: Record<string, Record<string, { responses?: Record<string, { headers?: object }> }>>
}

function withHeaders(headers: Record<string, object>, document: object): object {
  const operations = Object.values((document as Described).paths ?? {}).flatMap((path) => Object.values(path))
  for (const answer of operations.flatMap((operation) => Object.values(operation.responses ?? {}))) {
    answer.headers = { ...answer.headers, ...headers }
  }
  return document
}
