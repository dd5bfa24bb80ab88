/**
 * A read: authenticate → parse → admit (count, confirm the key, read the versions) → 304, or load → respond. Cached versions
 * decide how to count. If they are stale, Redis counts nothing, and we look up again and count with a second call. Postgres
 * loads a body only after Redis has admitted the request.
 */
import { admitRequest, type Counting, type PresentedKey } from '../../src/access/admission.ts'
import type { CachedBody, ConfirmedAuth, LoadedBody } from '../../src/caches.ts'
import type { Context } from '../../src/context.ts'
import { slugVersionIn, type Visibility, versionsVisible } from '../../src/db/content-version.ts'
import type { ContentScope } from '../../src/db/site-scope.ts'
import type { Versions } from '../../src/freshness/versions.ts'
import { authenticate, type RequiredAccess } from './api-key.ts'
import type { Http } from './env.ts'
import { entityTag, matchesEtag, tagOfStream, uniqueTag } from './etag.ts'
import { pageLinks } from './page.ts'
import { applyQuota } from './rate-limit.ts'
import { findSharedBody, shareBody, sharedUrl } from './shared-bodies.ts'
import { toBytes } from './stream.ts'

type View = { visibility: Visibility; postId?: string | undefined }

type Rendered = { body: string | AsyncIterable<string> }
/** `totalPages` becomes the `Link` header. */
type Loaded = Rendered & { totalPages?: number }

export type Loader<Result extends Rendered = Loaded> = (ctx: Context, site: ContentScope) => Promise<Result>

export type Resource<Input> = {
  /** Part of every tag. Change it when the response format changes in ways that the field tables don't show. */
  name: string
  access?: RequiredAccess
  /** Other routes refuse preview links like a wrong key. */
  isForLinks?: boolean
  /** Narrows the content that the key may see. Defaults to published content. */
  visibility?: (opened: Visibility, input: Input) => Visibility
  /** This slug's version tags the response, instead of the site's. */
  slugOf?: (input: Input) => string | null
  cacheControl: string
  contentType: string
  /** The response exists at every version, so `If-None-Match: *` gives 304 without loading it. */
  matchAny: (input: Input) => boolean
  /** Responses other than 304 use up quota. */
  counted: boolean
  load: (ctx: Context, site: ContentScope, view: View, input: Input) => ReturnType<Loader>
}

type Representation = Counting & {
  version: number
  key: string
  etag: string
  cached: CachedBody | undefined
  notModified: boolean
}

/** The response depends on `input`, the site's content and access to drafts only. @throws AppError */
export async function serveRead<Input>(c: Http, resource: Resource<Input>, input: Input): Promise<Response> {
  return serveCredential(c, await authenticate(c, resource), resource, input)
}

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
    counting: representation,
  } = await admitRequest(c.get('ctx'), presented, (versions) =>
    represent(c, resource, view, input, siteId, versions),
  )
  applyQuota(c, quota)
  c.header('ETag', representation.etag)
  c.header('Cache-Control', resource.cacheControl)
  if (representation.notModified) return c.body(null, 304)
  const loader: Loader = (ctx, site) => resource.load(ctx, site, view, input)
  const { body, totalPages, etag } =
    representation.cached ?? (await loadOnce(c, auth, representation, loader))
  c.header('ETag', etag)
  // `If-None-Match: *` needs the loaded response to know that it exists.
  if (matchesEtag(c.req.header('If-None-Match'), representation.etag, true)) return c.body(null, 304)
  c.header('Content-Type', resource.contentType)
  if (totalPages !== null) c.header('Link', pageLinks(c.req.url, totalPages))
  return c.body(body, 200)
}

/** Uses the cached access, because admission refuses a key whose access has changed. */
function viewOf<Input>(
  { access, postId }: PresentedKey,
  { visibility = () => 'published' }: Resource<Input>,
  input: Input,
): View {
  const opened = access === 'full' || postId !== undefined ? 'all' : 'published'
  return { visibility: visibility(opened, input), postId }
}

async function represent<Input>(
  c: Http,
  { name, matchAny, slugOf, counted }: Resource<Input>,
  view: View,
  input: Input,
  id: string,
  versions: Versions,
): Promise<Representation> {
  const { contentVersion, slugVersions } = versionsVisible(versions, view.visibility)
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
 * Caches a body only if Postgres read it at this version, because a write may come in between. A burst shares one load, but later
 * requests don't share a body that cannot be cached.
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
    const { loaded, body, isOfVersion } = await readAtVersion(ctx, auth, version, loader)
    const { totalPages = null } = loaded
    if (!isOfVersion) return { body, totalPages, etag: uniqueTag() }
    if (body instanceof ReadableStream) return { body, totalPages, etag: tagOfStream(etag) }
    ctx.defer(shareBody(url, { body, totalPages }))
    return keep({ body, totalPages, etag })
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

/** Streams a body too large to cache. `isOfVersion`: every statement so far read at `version`. @throws what `loader` throws */
export async function readAtVersion<Result extends Rendered>(
  ctx: Context,
  auth: ConfirmedAuth,
  version: number,
  loader: Loader<Result>,
) {
  const versionsRead: unknown[] = []
  const noteVersionRead = (each: unknown) => void versionsRead.push(each)
  const site = { ...auth.site, contentVersion: version }
  const loaded = await loader({ ...ctx, noteVersionRead }, site)
  const body = await toBytes(loaded.body, ctx.caches.bodies.maxEntryBytes)
  const isOfVersion = versionsRead.length > 0 && versionsRead.every((each) => Number(each) === version)
  return { loaded, body, isOfVersion }
}
