/**
 * A read, from request to response:
 *
 *     authenticate → parse → admit: count, confirm the key, read the versions → 304, or load → respond
 *
 * The versions that are cached with the key decide how the request is counted. Redis then says whether they were current; where
 * they were not, the key, the tag and the count are corrected before anything is sent. A body comes from this isolate, from those
 * of its data centre or from Postgres, which is not asked before Redis has let the request in. It is kept, and gets the tag of a
 * version, only if Postgres read it at that version: a write may come between the two.
 */
import { admitRequest, type PresentedKey } from '../../src/access/admission.ts'
import { countRequest, type Quota, type QuotaMode, refundRequest } from '../../src/access/quota.ts'
import type { CachedBody, ConfirmedAuth, LoadedBody } from '../../src/caches.ts'
import type { Context } from '../../src/context.ts'
import { type Seen, slugVersionIn, versionsSeen } from '../../src/db/content-version.ts'
import type { ContentScope } from '../../src/db/site-scope.ts'
import { authenticate, type RequiredAccess } from './api-key.ts'
import type { Http } from './env.ts'
import { entityTag, matchesEtag, tagOfStream, uniqueTag } from './etag.ts'
import { pageLinks } from './page.ts'
import { applyQuota } from './rate-limit.ts'
import { findSharedBody, shareBody, sharedUrl } from './shared-bodies.ts'
import { bytesOf } from './stream.ts'

/** A key, or a link to one post, shows this in the answer. */
type View = { seen: Seen; postId?: string | undefined }

/** The body is whole, or in pieces. `paging` is what the route makes a `Link` of. */
export type Loader = (
  ctx: Context,
  site: ContentScope,
) => Promise<{ body: string | AsyncIterable<string>; paging?: string | null }>

/** A route of the API states how to load its answer, and how to cache it. `Input` is JSON. */
export type Resource<Input> = {
  /** Part of every tag: another one when the form of the answer changes by something else than fields of posts and guides. */
  name: string
  access?: RequiredAccess
  /** The token of a link to a post may ask, and is refused like a wrong key otherwise. */
  isForLinks?: boolean
  /** How much the answer shows of what the key opens. Missing: published content alone. */
  seen?: (opened: Seen, input: Input) => Seen
  /** By which slug it is read, for the answer to have the version of that. Missing, or null: that of the whole site. */
  slugOf?: (input: Input) => string | null
  cacheControl: string
  contentType: string
  /** Every version of the site has an answer, so `If-None-Match: *` is 304 without loading one. */
  matchAny: (input: Input) => boolean
  /** An answer other than 304 uses up quota. */
  counted: boolean
  load: (ctx: Context, site: ContentScope, view: View, input: Input) => ReturnType<Loader>
}

/** The answer at a version: its tag, its body if this isolate has it under `key`, and whether the client has it. */
type Representation = {
  version: number
  key: string
  etag: string
  cached: CachedBody | undefined
  notModified: boolean
}

/**
 * Answers a request with a key, or for one post a link to it. `input` is all that the answer depends on besides the site's
 * content, and whether the key opens drafts.
 *
 * @throws AppError api_key_refused; quota_exceeded; whatever `load` throws
 */
export async function serveRead<Input>(c: Http, resource: Resource<Input>, input: Input): Promise<Response> {
  return serveHolder(c, await authenticate(c, resource), resource, input)
}

/** The same for a key, or another credential, that has been looked up. */
export async function serveHolder<Input>(
  c: Http,
  presented: PresentedKey,
  resource: Resource<Input>,
  input: Input,
): Promise<Response> {
  const { siteId, versions } = presented
  const view = viewOf(presented, resource, input)
  const expected = await represent(c, resource, view, input, siteId, versions)
  const mode = quotaMode(resource, expected)
  const { auth, quota } = await admitRequest(c.get('ctx'), presented, mode)
  applyQuota(c, quota)

  const isExpected = auth.site.contentVersion === versions.contentVersion
  const current = isExpected ? expected : await represent(c, resource, view, input, siteId, auth.site)
  c.header('ETag', current.etag)
  c.header('Cache-Control', resource.cacheControl)
  const recounting = recount(c, auth, { quota, from: mode, to: quotaMode(resource, current) })
  const loader: Loader = (ctx, site) => resource.load(ctx, site, view, input)
  const loading = current.notModified ? null : (current.cached ?? load(c, auth, current, loader))
  if (loading instanceof Promise) loading.catch(() => {})
  await recounting

  if (!loading) return c.body(null, 304)
  const { body, paging, etag } = await loading
  c.header('ETag', etag)
  // `If-None-Match: *`, and only loading the answer has shown that there is one.
  if (matchesEtag(c.req.header('If-None-Match'), current.etag, true)) return c.body(null, 304)
  c.header('Content-Type', resource.contentType)
  if (paging) c.header('Link', pageLinks(c.req.url, Number(paging)))
  return c.body(body, 200)
}

/** Admission refuses a key whose access has changed. */
function viewOf<Input>(
  { access, postId }: PresentedKey,
  { seen = () => 'published' }: Resource<Input>,
  input: Input,
): View {
  const opened = access === 'full' || postId !== undefined ? 'all' : 'published'
  return { seen: seen(opened, input), postId }
}

async function represent<Input>(
  c: Http,
  { name, matchAny, slugOf }: Resource<Input>,
  view: View,
  input: Input,
  id: string,
  versions: PresentedKey['versions'],
): Promise<Representation> {
  const { contentVersion, slugVersions } = versionsSeen(versions, view.seen)
  const question = [name, view, input]
  const slug = view.postId === undefined ? (slugOf?.(input) ?? null) : null
  const version = slug === null ? contentVersion : await slugVersionIn(slugVersions, slug)
  const key = `${id} ${version} ${JSON.stringify(question)}`
  const cached = c.get('ctx').caches.bodies.get(key)
  const etag = cached?.etag ?? (await entityTag({ id, version }, question))
  const notModified = matchesEtag(
    c.req.header('If-None-Match'),
    etag,
    cached !== undefined || matchAny(input),
  )
  return { version, key, etag, cached, notModified }
}

function quotaMode({ counted }: { counted: boolean }, { notModified }: Representation): QuotaMode {
  return counted ? (notModified ? 'peek' : 'consume') : 'skip'
}

/** Corrects the count of a request whose answer turned out to be another than expected. @throws AppError quota_exceeded */
async function recount(
  c: Http,
  auth: ConfirmedAuth,
  { quota, from, to }: { quota: Quota | null; from: QuotaMode; to: QuotaMode },
): Promise<void> {
  // With Redis out of reach nothing was counted, and nothing would be.
  if (from === to || !quota) return
  const ctx = c.get('ctx')
  if (to === 'peek') applyQuota(c, await refundRequest(ctx, auth, quota))
  else applyQuota(c, (await countRequest(ctx, auth, to)).quota)
}

/**
 * The body with its tag. This isolate keeps it, unless it is large or of another version than it was asked for. Of a burst
 * that asks for the same, one loads it; of one that may not be kept, others get what was loaded after they had asked.
 */
async function load(
  c: Http,
  auth: ConfirmedAuth,
  { version, key, etag }: Representation,
  loader: Loader,
): Promise<LoadedBody> {
  const ctx = c.get('ctx')
  const { bodies, loads } = ctx.caches
  const url = sharedUrl(c.req.url, `${key} ${etag}`)
  const load = async (): Promise<LoadedBody> => {
    const shared = await findSharedBody(url)
    if (shared) return keep({ ...shared, etag })
    const { body, paging, isOfVersion } = await loadBody(ctx, auth, version, loader)
    if (!isOfVersion) return { body, paging, etag: uniqueTag() }
    if (body instanceof ReadableStream) return { body, paging, etag: tagOfStream(etag) }
    ctx.defer(shareBody(url, { body, paging }))
    return keep({ body, paging, etag })
  }
  const keep = (whole: CachedBody) => {
    bodies.set(key, whole)
    return whole
  }
  const before = await loads.underWay(key)
  if (before && isStreamed(before)) return load()
  let own: LoadedBody | undefined
  const lead = async () => {
    own = bodies.get(key) ?? (await load())
    return own
  }
  const loaded = bodies.get(key) ?? (await loads.share(key, lead, ctx.defer))
  return loaded !== own && isStreamed(loaded) ? load() : loaded
}

const isStreamed = ({ body }: LoadedBody) => body instanceof ReadableStream

/**
 * The body, as a stream if an isolate may not keep it. `isOfVersion`: all statements so far have read at `version`.
 *
 * @throws whatever `loader` throws
 */
export async function loadBody(ctx: Context, auth: ConfirmedAuth, version: number, loader: Loader) {
  const seen: unknown[] = []
  const sawContentVersion = (each: unknown) => void seen.push(each)
  const site = { ...auth.site, contentVersion: version }
  const { body, paging = null } = await loader({ ...ctx, sawContentVersion }, site)
  const bytes = await bytesOf(body, ctx.caches.bodies.maxEntryBytes)
  const isOfVersion = seen.length > 0 && seen.every((each) => Number(each) === version)
  return { body: bytes, paging, isOfVersion }
}
