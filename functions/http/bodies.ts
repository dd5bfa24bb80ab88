/**
 * Bodies of answers, shared by all isolates. Each is made by the entrypoint `Bodies` of this Worker, and Workers Cache
 * stands in front of it: a body that any isolate has had made is not made again. Its key is the URL and the props, and
 * the URL has the version of what is read. Only what was read at that version is kept under it, so nothing is stale.
 */
import type { ContentScope } from '../../src/db/site-scope.ts'
import { AppError, type ErrorCode, type Issue } from '../../src/foundation/errors.ts'
import { describeError } from '../../src/foundation/log.ts'
import type { ConfirmedAuth } from '../../src/freshness/caches.ts'
import { createContext } from './context.ts'
import type { Bindings, Http } from './env.ts'
import type { Loader, LoaderName, Loaders } from './resource.ts'
import { byteStream, headOf, readUpTo, textStream } from './stream.ts'

/**
 * The last byte of each body, the second where the site changed while a large one was sent. No body has them elsewhere, so
 * one that ends otherwise was cut off on its way into a cache or out of it.
 */
const END = 0
const END_OF_MIXED = 1
/** Headers of a body. */
const PAGING = 'X-Paging'
const READ_AT = 'X-Read-At'
/** Of `READ_AT`: at the version that was asked for. */
const ASKED = 'asked'
/** Headers of a body that caches may keep. */
export const KEPT = { 'Cache-Control': 'public, max-age=31536000, immutable', [READ_AT]: ASKED }

const encoder = new TextEncoder()

export type BodyProps = { resource: LoaderName; site: ContentScope; input: unknown }

type Exports = { Bodies: (options: { props: BodyProps }) => Pick<Fetcher, 'fetch'> }
type Failure = { refusal: { code: ErrorCode; issues: readonly Issue[] } | null; message: string }

/** Whole, or as a stream if it is large. `paging` is what the route makes a `Link` of. */
export type FetchedBody = {
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  paging: string | null
  /** Whether it was read at the version in the site's scope; of a stream, as much of it as had been read by then. */
  isOfVersion: boolean
}

/**
 * The body at a version, as bytes, or as a stream if it has more than `maxBytes`. Where the cache has only a part of it, the body is made
 * anew and takes its place there.
 *
 * @throws whatever `load` throws: an AppError as it was, anything else as an error with its message
 */
export async function fetchBody<Input>(
  c: Http,
  loader: Loader<Input>,
  auth: ConfirmedAuth,
  { version, input }: { version: number; input: Input },
  maxBytes: number,
): Promise<FetchedBody> {
  const site = { ...auth.site, contentVersion: version }
  const ask = (method: Method) => askEntrypoint(c, loader, site, input, method)
  for (const method of ['GET', 'POST'] as const) {
    const response = await ask(method)
    const read = await readUpTo(response, maxBytes)
    const body = read instanceof Uint8Array ? withoutEnd(read) : byteStream(mended(read, ask))
    const { headers } = response
    if (body) return { body, paging: headers.get(PAGING), isOfVersion: headers.get(READ_AT) === ASKED }
  }
  throw cutOff()
}

type Method = 'GET' | 'POST'

/** Asks the cache; with POST, the entrypoint itself, which then removes what the cache has. */
async function askEntrypoint<Input>(
  c: Http,
  { name }: Loader<Input>,
  site: ContentScope,
  input: Input,
  method: Method,
): Promise<Response> {
  const { exports } = c.executionCtx as unknown as { exports: Exports }
  const { id, domain, defaultLanguage, postPath, guidePath, contentVersion } = site
  const scope = { id, domain, defaultLanguage, postPath, guidePath, contentVersion }
  // The props alone say it all, but not every way to call an entrypoint hands them on.
  const url = `https://bodies/${name}/${id}/${contentVersion}?${encodeURIComponent(JSON.stringify(input))}`
  const entrypoint = exports.Bodies({ props: { resource: name, site: scope, input } })
  const response = await entrypoint.fetch(url, { method, headers: { 'X-Request-Id': c.get('requestId') } })
  if (response.ok) return response
  const { refusal, message } = await response.json<Failure>()
  throw refusal ? new AppError(refusal.code, ...refusal.issues) : new Error(message)
}

/** Null if the body was cut off. */
function withoutEnd(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  return bytes.at(-1) === END ? bytes.subarray(0, -1) : null
}

const cutOff = () => new Error('The body was cut off')

/** All but the end. If that is missing, the rest of the body made anew, which at the same version has the same bytes. */
async function* mended(
  stream: ReadableStream<Uint8Array>,
  ask: (method: Method) => Promise<Response>,
): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const chunk of stream) {
    const isEnd = chunk.at(-1) === END || chunk.at(-1) === END_OF_MIXED
    const bytes = isEnd ? chunk.subarray(0, -1) : chunk
    sent += bytes.length
    if (bytes.length > 0) yield bytes
    if (isEnd) return
  }
  const { headers, body } = await ask('POST')
  if (headers.get(READ_AT) !== ASKED) throw cutOff()
  let last: number | undefined
  for await (const chunk of body!) {
    last = chunk.at(-1)
    const rest = chunk.subarray(sent, last === END ? -1 : undefined)
    sent = Math.max(0, sent - chunk.length)
    if (rest.length > 0) yield rest
  }
  if (last !== END) throw cutOff()
}

/** The entrypoint's side. */
export async function makeBody(
  loaders: Loaders,
  request: Request,
  env: Bindings,
  execution: { props: BodyProps } & Pick<ExecutionContext, 'waitUntil' | 'cache'>,
): Promise<Response> {
  const { resource, site, input } = execution.props
  const logFields = { requestId: request.headers.get('X-Request-Id'), siteId: site.id }
  const seen: unknown[] = []
  const sawContentVersion = (version: unknown) => void seen.push(version)
  const ctx = createContext(env, execution, { writes: false, logFields, sawContentVersion })
  const isOfVersion = () => seen.length > 0 && seen.every((each) => Number(each) === site.contentVersion)
  const tag = `bodies-${site.id}-${site.contentVersion}`
  // Only the entrypoint can purge what is kept of it.
  if (request.method === 'POST') ctx.defer(ctx.purgeCache([tag]))
  try {
    const loaded = await loaders[resource].load(ctx, site, input as never)
    const body = await headOf(loaded.body, ctx.caches.bodies.maxEntryBytes)
    const headers: Record<string, string> = isOfVersion()
      ? { ...KEPT, 'Cache-Tag': tag }
      : { 'Cache-Control': 'no-store' }
    if (loaded.paging) headers[PAGING] = loaded.paging
    if (typeof body !== 'string') return new Response(textStream(ended(body, isOfVersion)), { headers })
    const bytes = encoder.encode(body + String.fromCharCode(END))
    return new Response(bytes, { headers: { ...headers, 'Content-Length': String(bytes.length) } })
  } catch (error) {
    return Response.json(toFailure(error), { status: 500, headers: { 'Cache-Control': 'no-store' } })
  }
}

async function* ended(pieces: AsyncIterable<string>, isOfVersion: () => boolean): AsyncGenerator<string> {
  yield* pieces
  yield String.fromCharCode(isOfVersion() ? END : END_OF_MIXED)
}

function toFailure(error: unknown): Failure {
  if (error instanceof AppError) {
    const { code, issues, message } = error
    return { refusal: { code, issues }, message }
  }
  const { name, message } = describeError(error)
  return { refusal: null, message: `${name}: ${message}` }
}
