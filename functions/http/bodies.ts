/**
 * Bodies of answers, shared by all isolates. Each is made by the entrypoint `Bodies` of this Worker, and Workers Cache
 * stands in front of it: a body that any isolate has had made is not made again. Its key is the URL and the props, and
 * the URL has the site's content version, so nothing is ever purged and nothing is stale.
 */

import type { ContentScope } from '../../src/db/site-scope.ts'
import { AppError, type ErrorCode, type Issue } from '../../src/errors.ts'
import { describeError } from '../../src/log.ts'
import { createContext } from './context.ts'
import type { Bindings, Http } from './env.ts'
import type { Loader } from './resource.ts'
import { textStream } from './stream.ts'

const FOREVER = 'public, max-age=31536000, immutable'
/** Header of a body: where its page goes on. */
const NEXT = 'X-Next'

export type BodyProps = { resource: string; site: ContentScope; input: unknown }

type Exports = { Bodies: (options: { props: BodyProps }) => Pick<Fetcher, 'fetch'> }
type Failure = { refusal: { code: ErrorCode; issues: readonly Issue[] } | null; message: string }

/** @throws whatever `load` throws: an AppError as it was, anything else as an error with its message */
export async function fetchBody<Input>(
  c: Http,
  { name }: Loader<Input>,
  site: ContentScope,
  input: Input,
): Promise<{ body: ReadableStream<Uint8Array>; next: string | null }> {
  const { exports } = c.executionCtx as unknown as { exports: Exports }
  const { id, domain, defaultLanguage, postPath, guidePath, contentVersion } = site
  const scope = { id, domain, defaultLanguage, postPath, guidePath, contentVersion }
  // The props alone say it all, but not every way to call an entrypoint hands them on.
  const url = `https://bodies/${name}/${id}/${contentVersion}?${encodeURIComponent(JSON.stringify(input))}`
  const entrypoint = exports.Bodies({ props: { resource: name, site: scope, input } })
  const response = await entrypoint.fetch(url, { headers: { 'X-Request-Id': c.get('requestId') } })
  if (response.ok) return { body: response.body!, next: response.headers.get(NEXT) }
  const { refusal, message } = await response.json<Failure>()
  throw refusal ? new AppError(refusal.code, ...refusal.issues) : new Error(message)
}

/** The entrypoint's side. */
export async function makeBody(
  loaders: Loader<never>[],
  request: Request,
  env: Bindings,
  execution: { props: BodyProps; waitUntil: (work: Promise<unknown>) => void },
): Promise<Response> {
  const { resource, site, input } = execution.props
  const logFields = { requestId: request.headers.get('X-Request-Id'), siteId: site.id }
  const ctx = createContext(env, execution, { writes: false, logFields })
  try {
    const loader = loaders.find(({ name }) => name === resource)!
    const { body, next } = await loader.load(ctx, site, input as never)
    const headers = { 'Cache-Control': FOREVER, ...(next && { [NEXT]: next }) }
    return new Response(typeof body === 'string' ? body : textStream(body), { headers })
  } catch (error) {
    return Response.json(toFailure(error), { status: 500, headers: { 'Cache-Control': 'no-store' } })
  }
}

function toFailure(error: unknown): Failure {
  if (error instanceof AppError) {
    const { code, issues, message } = error
    return { refusal: { code, issues }, message }
  }
  const { name, message } = describeError(error)
  return { refusal: null, message: `${name}: ${message}` }
}
