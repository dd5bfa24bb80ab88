/**
 * Bodies of answers, shared by all isolates. Each is made by the entrypoint `Bodies` of this Worker, and Workers Cache
 * stands in front of it: a body that any isolate has had made is not made again. Its key is the URL and the props, and
 * the URL has the site's content version, so nothing is ever purged and nothing is stale.
 */
import type { Body } from '../../src/caches.ts'
import type { ContentScope } from '../../src/db/site-scope.ts'
import { AppError, type ErrorCode, type Issue } from '../../src/errors.ts'
import { describeError } from '../../src/log.ts'
import { createContext } from './context.ts'
import type { Bindings, Http } from './env.ts'
import type { Loader } from './resource.ts'
import { readUpTo, textStream } from './stream.ts'

const FOREVER = 'public, max-age=31536000, immutable'
/** The last byte of each body. None has it elsewhere, so a body without it was cut off on its way into a cache or out of it. */
const END = 0
/** Header of a body. */
const PAGING = 'X-Paging'

const encoder = new TextEncoder()

export type BodyProps = { resource: string; site: ContentScope; input: unknown }

type Exports = { Bodies: (options: { props: BodyProps }) => Pick<Fetcher, 'fetch'> }
type Failure = { refusal: { code: ErrorCode; issues: readonly Issue[] } | null; message: string }

/**
 * The body as bytes, or as a stream if it has more than `maxBytes`.
 *
 * @throws whatever `load` throws: an AppError as it was, anything else as an error with its message
 */
export async function fetchBody<Input>(
  c: Http,
  loader: Loader<Input>,
  site: ContentScope,
  input: Input,
  maxBytes: number,
): Promise<Body | Body<ReadableStream<Uint8Array>>> {
  const response = await askEntrypoint(c, loader, site, input, '')
  const read = await readUpTo(response, maxBytes)
  const paging = response.headers.get(PAGING)
  if (!(read instanceof Uint8Array)) return { body: read.pipeThrough(untilEnd()), paging }
  if (isEnded(read)) return { body: read.subarray(0, -1), paging }
  // Past the cache, which may have kept it like that.
  const again = await askEntrypoint(c, loader, site, input, `&${crypto.randomUUID()}`)
  return { body: again.body!.pipeThrough(untilEnd()), paging: again.headers.get(PAGING) }
}

async function askEntrypoint<Input>(
  c: Http,
  { name }: Loader<Input>,
  site: ContentScope,
  input: Input,
  suffix: string,
): Promise<Response> {
  const { exports } = c.executionCtx as unknown as { exports: Exports }
  const { id, domain, defaultLanguage, postPath, guidePath, contentVersion } = site
  const scope = { id, domain, defaultLanguage, postPath, guidePath, contentVersion }
  // The props alone say it all, but not every way to call an entrypoint hands them on.
  const question = encodeURIComponent(JSON.stringify(input)) + suffix
  const url = `https://bodies/${name}/${id}/${contentVersion}?${question}`
  const entrypoint = exports.Bodies({ props: { resource: name, site: scope, input } })
  const response = await entrypoint.fetch(url, { headers: { 'X-Request-Id': c.get('requestId') } })
  if (response.ok) return response
  const { refusal, message } = await response.json<Failure>()
  throw refusal ? new AppError(refusal.code, ...refusal.issues) : new Error(message)
}

const isEnded = (bytes: Uint8Array) => bytes.at(-1) === END

/** Passes on all but the end mark, and fails without it. */
function untilEnd(): TransformStream<Uint8Array, Uint8Array> {
  let ended = false
  return new TransformStream({
    transform(chunk, controller) {
      ended = isEnded(chunk)
      const bytes = ended ? chunk.subarray(0, -1) : chunk
      if (bytes.length > 0) controller.enqueue(bytes)
    },
    flush(controller) {
      if (!ended) controller.error(new Error('The body was cut off'))
    },
  })
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
    const { body, paging } = await loader.load(ctx, site, input as never)
    const headers = { 'Cache-Control': FOREVER, ...(paging && { [PAGING]: paging }) }
    const end = String.fromCharCode(END)
    if (typeof body !== 'string') return new Response(textStream(followedBy(body, end)), { headers })
    const bytes = encoder.encode(body + end)
    return new Response(bytes, { headers: { ...headers, 'Content-Length': String(bytes.length) } })
  } catch (error) {
    return Response.json(toFailure(error), { status: 500, headers: { 'Cache-Control': 'no-store' } })
  }
}

async function* followedBy(pieces: AsyncIterable<string>, last: string): AsyncGenerator<string> {
  yield* pieces
  yield last
}

function toFailure(error: unknown): Failure {
  if (error instanceof AppError) {
    const { code, issues, message } = error
    return { refusal: { code, issues }, message }
  }
  const { name, message } = describeError(error)
  return { refusal: null, message: `${name}: ${message}` }
}
