/**
 * A read, from request to response:
 *
 *     authenticate → parse → admit: count, confirm the key, read the versions → 304, or load → respond
 *
 * The versions that are cached with the key decide how the request is counted, and Redis counts it only if they are current.
 * Otherwise the key and the tag are found out first, and the request is counted by a second call. A body comes from this isolate, from those
 * of its data centre or from Postgres, which is not asked before Redis has let the request in. It is kept, and gets the tag of a
 * version, only if Postgres read it at that version: a write may come between the two.
 */
import { admitRequest, type Counting, type PresentedKey } from '../../src/access/admission.ts'
import type { CachedBody, ConfirmedAuth, LoadedBody } from '../../src/caches.ts'
import type { Context } from '../../src/context.ts'
import { type Seen, slugVersionIn, versionsSeen } from '../../src/db/content-version.ts'
import type { ContentScope } from '../../src/db/site-scope.ts'
import type { Versions } from '../../src/freshness/versions.ts'
import { authenticate, type RequiredAccess } from './api-key.ts'
import type { Http } from './env.ts'
import { entityTag, matchesEtag, tagOfStream, uniqueTag } from './etag.ts'
import { pageLinks } from './page.ts'
import { applyQuota } from './rate-limit.ts'
import { findSharedBody, shareBody, sharedUrl } from './shared-bodies.ts'
import { toBytes } from './stream.ts'

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
type Representation = Counting & {
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
  return serveCredential(c, await authenticate(c, resource), resource, input)
}

/** The same for a key, or another credential, that has been looked up. */
export async function serveCredential<Input>(
  c: Http,
  presented: PresentedKey,
  resource: Resource<Input>,
  input: Input,
): Promise<Response> {
  const { siteId } = presented
  const view = viewOf(presented, resource, input)
  const {
    auth,
    quota,
    counting: answer,
  } = await admitRequest(c.get('ctx'), presented, (versions) =>
    represent(c, resource, view, input, siteId, versions),
  )
  applyQuota(c, quota)
  c.header('ETag', answer.etag)
  c.header('Cache-Control', resource.cacheControl)
  if (answer.notModified) return c.body(null, 304)
  const loader: Loader = (ctx, site) => resource.load(ctx, site, view, input)
  const { body, paging, etag } = answer.cached ?? (await loadOnce(c, auth, answer, loader))
  c.header('ETag', etag)
  // `If-None-Match: *`, and only loading the answer has shown that there is one.
  if (matchesEtag(c.req.header('If-None-Match'), answer.etag, true)) return c.body(null, 304)
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
  { name, matchAny, slugOf, counted }: Resource<Input>,
  view: View,
  input: Input,
  id: string,
  versions: Versions,
): Promise<Representation> {
  const { contentVersion, slugVersions } = versionsSeen(versions, view.seen)
  const asked = [name, view, input]
  const slug = view.postId === undefined ? (slugOf?.(input) ?? null) : null
  const version = slug === null ? contentVersion : await slugVersionIn(slugVersions, slug)
  const key = `${id} ${version} ${JSON.stringify(asked)}`
  const cached = c.get('ctx').caches.bodies.get(key)
  const etag = cached?.etag ?? (await entityTag({ id, version }, asked))
  const ifNoneMatch = c.req.header('If-None-Match')
  const notModified = matchesEtag(ifNoneMatch, etag, cached !== undefined || matchAny(input))
  const mode = counted ? (notModified ? 'peek' : 'consume') : 'skip'
  const dependsOnContent = counted && ifNoneMatch !== undefined
  return { version, key, etag, cached, notModified, mode, dependsOnContent }
}

/**
 * The body with its tag. This isolate keeps it, unless it is large or was read at another version. In a burst that asks for the same,
 * one request loads it. A body that may not be kept is handed to those that had asked before it was loaded.
 */
async function loadOnce(
  c: Http,
  auth: ConfirmedAuth,
  { version, key, etag }: Representation,
  loader: Loader,
): Promise<LoadedBody> {
  const ctx = c.get('ctx')
  const { bodies, loads } = ctx.caches
  const url = sharedUrl(c.req.url, `${key} ${etag}`)
  const keep = (whole: CachedBody) => {
    bodies.set(key, whole)
    return whole
  }
  const fetchBody = async (): Promise<LoadedBody> => {
    const shared = await findSharedBody(url)
    if (shared) return keep({ ...shared, etag })
    const { body, paging, isOfVersion } = await readAtVersion(ctx, auth, version, loader)
    if (!isOfVersion) return { body, paging, etag: uniqueTag() }
    if (body instanceof ReadableStream) return { body, paging, etag: tagOfStream(etag) }
    ctx.defer(shareBody(url, { body, paging }))
    return keep({ body, paging, etag })
  }
  const earlier = await loads.underWay(key)
  if (earlier && isStreamed(earlier)) return fetchBody()
  let own: LoadedBody | undefined
  const lead = async () => {
    own = bodies.get(key) ?? (await fetchBody())
    return own
  }
  const body = bodies.get(key) ?? (await loads.share(key, lead, ctx.defer))
  return body !== own && isStreamed(body) ? fetchBody() : body
}

const isStreamed = ({ body }: LoadedBody) => body instanceof ReadableStream

/**
 * The body, as a stream if an isolate may not keep it. `isOfVersion`: all statements so far have read at `version`.
 *
 * @throws whatever `loader` throws
 */
export async function readAtVersion(ctx: Context, auth: ConfirmedAuth, version: number, loader: Loader) {
  const seen: unknown[] = []
  const sawContentVersion = (each: unknown) => void seen.push(each)
  const site = { ...auth.site, contentVersion: version }
  const { body, paging = null } = await loader({ ...ctx, sawContentVersion }, site)
  const bytes = await toBytes(body, ctx.caches.bodies.maxEntryBytes)
  const isOfVersion = seen.length > 0 && seen.every((each) => Number(each) === version)
  return { body: bytes, paging, isOfVersion }
}
