/**
 * A read, from request to response:
 *
 *     authenticate → one call to Redis: count, confirm the key, read the versions → 304, or the body
 *
 * What this isolate has cached decides how the request is counted, and what is loaded while Redis is asked. Redis then
 * says whether that was current; where it was not, the key, the tag and the count are corrected before anything is sent.
 */
import { admitRequest, type PresentedKey } from '../../src/admission.ts'
import type { ApiKeyAuth, Body } from '../../src/caches.ts'
import type { Context } from '../../src/context.ts'
import type { SiteScope } from '../../src/db/site-scope.ts'
import { countRequest, isExhausted, type Quota, type QuotaMode, refundRequest } from '../../src/quota.ts'
import { authenticate, type RequiredAccess } from './api-key.ts'
import type { Http } from './env.ts'
import { entityTag, matchesEtag } from './etag.ts'
import { applyQuota } from './rate-limit.ts'
import { textStream } from './stream.ts'

/** What a route reads, and how it may be cached. */
export type Read<Input> = Cacheable & { input: Input } & (Prefetched<Input> | AfterAdmission<Input>)

type Cacheable = {
  access?: RequiredAccess
  resource: string
  /** All that the answer depends on besides the site's content, as JSON. `load` is given nothing else. */
  input: unknown
  cacheControl: string
  contentType: string
  /** Whether every version of the site has an answer, so that `If-None-Match: *` is 304 without one being loaded. */
  matchAny: boolean
  /** Whether an answer other than 304 uses up quota. */
  counted: boolean
}

/** Needs nothing of the site but its id, so that it can be loaded while Redis is asked. */
type Prefetched<Input> = {
  prefetch: true
  load: (ctx: Context, site: { id: string }, input: Input) => Promise<Loaded & { contentVersion: number }>
}
type AfterAdmission<Input> = {
  prefetch?: false
  load: (ctx: Context, site: SiteScope, input: Input) => Promise<Loaded>
}

/** Whole, or in pieces. */
type Loaded = { body: string | AsyncIterable<string> }

/** The answer at a content version: its tag, its body if this isolate has it, and whether the client has it. */
type Representation = { etag: string; cached: Body | undefined; notModified: boolean }

const encoder = new TextEncoder()

/**
 * The body is at least as new as its tag says: it was loaded after Redis was asked, or at a version no older.
 *
 * @throws AppError api_key_refused; quota_exceeded; whatever `load` throws
 */
export async function serveRead<Input>(c: Http, request: Read<Input>): Promise<Response> {
  const ctx = c.get('ctx')
  const presented = await authenticate(c, request.access ?? 'full')
  const expected = await represent(c, request, presented.unconfirmed)
  const prefetched = prefetch(c, request, presented, expected)
  const mode = quotaMode(request, expected)
  const { auth, quota } = await admitRequest(ctx, presented, mode)
  applyQuota(c, quota)

  const current = auth === presented.unconfirmed ? expected : await represent(c, request, auth)
  c.header('ETag', current.etag)
  c.header('Cache-Control', request.cacheControl)
  const recounting = recount(c, auth, { quota, from: mode, to: quotaMode(request, current) })
  const loading = current.notModified ? null : (current.cached ?? load(ctx, request, auth.site, prefetched))
  if (loading instanceof Promise) loading.catch(() => {})
  await recounting

  if (!loading) return c.body(null, 304)
  const body = loading instanceof Uint8Array ? loading : await send(ctx, auth, current, (await loading).body)
  // `If-None-Match: *`, and only loading the answer has shown that there is one.
  if (matchesEtag(c.req.header('If-None-Match'), current.etag, true)) return c.body(null, 304)
  c.header('Content-Type', request.contentType)
  return c.body(body, 200)
}

async function represent(c: Http, request: Cacheable, { site }: ApiKeyAuth): Promise<Representation> {
  const etag = await entityTag(site, [request.resource, request.input])
  const cached = c.get('ctx').caches.bodies.get(bodyKey(site, etag))
  const matchAny = request.matchAny || cached !== undefined
  return { etag, cached, notModified: matchesEtag(c.req.header('If-None-Match'), etag, matchAny) }
}

const bodyKey = (site: { id: string }, etag: string) => `${site.id}:${etag}`

function quotaMode({ counted }: Cacheable, { notModified }: Representation): QuotaMode {
  return counted ? (notModified ? 'peek' : 'consume') : 'skip'
}

/** Loads while Redis is asked, if the answer will probably be needed. Its failure counts only if the request is let in. */
function prefetch<Input>(
  c: Http,
  request: Read<Input>,
  { unconfirmed }: PresentedKey,
  { cached }: Representation,
) {
  if (!request.prefetch || cached || c.req.header('If-None-Match') !== undefined) return null
  if (request.counted && isExhausted(c.get('ctx'), unconfirmed)) return null
  const prefetched = request.load(c.get('ctx'), unconfirmed.site, request.input)
  prefetched.catch(() => {})
  return prefetched
}

/** Corrects the count of a request whose answer turned out to be another than expected. @throws AppError quota_exceeded */
async function recount(
  c: Http,
  auth: ApiKeyAuth,
  { quota, from, to }: { quota: Quota | null; from: QuotaMode; to: QuotaMode },
): Promise<void> {
  // With Redis out of reach nothing was counted, and nothing would be.
  if (from === to || !quota) return
  const ctx = c.get('ctx')
  if (to === 'peek') applyQuota(c, await refundRequest(ctx, auth, quota))
  else applyQuota(c, (await countRequest(ctx, auth, to)).quota)
}

async function load<Input>(
  ctx: Context,
  request: Read<Input>,
  site: SiteScope,
  prefetched: ReturnType<typeof prefetch>,
): Promise<Loaded> {
  const early = await prefetched
  return early && early.contentVersion >= site.contentVersion ? early : request.load(ctx, site, request.input)
}

/** The body to send, which is cached once it is complete. */
async function send(ctx: Context, { site }: ApiKeyAuth, { etag }: Representation, body: Loaded['body']) {
  const cache = (bytes: Body) => ctx.caches.bodies.set(bodyKey(site, etag), bytes)
  if (typeof body !== 'string') return textStream(whenComplete(body, ctx.caches.bodies.maxEntryBytes, cache))
  const bytes = encoder.encode(body) as Body
  cache(bytes)
  return bytes
}

/** The same pieces. Once all have been sent, `done` is given the whole, unless it is larger than `maxBytes`. */
async function* whenComplete(pieces: AsyncIterable<string>, maxBytes: number, done: (body: Body) => void) {
  let buffered: string[] | null = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > maxBytes) buffered = null
    buffered?.push(piece)
    yield piece
  }
  if (buffered) done(encoder.encode(buffered.join('')) as Body)
}
