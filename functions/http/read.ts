/**
 * A read: validate the query → look up the key → admit (count, confirm the key, read the versions) → 304, or load → respond.
 * Cached versions decide how to count. If they are stale, Redis counts nothing, and we look up again and count with a second
 * call. A body is loaded only for an admitted request, which without Redis is one whose key Postgres has just confirmed.
 */
import { admitRequest, type Plan, type PresentedKey } from '../../src/access/admission.ts'
import type { Quota } from '../../src/access/quota.ts'
import type { CachedBody } from '../../src/caches.ts'
import { apiFormat } from '../../src/content/articles/field-table.ts'
import { GUIDE_FIELDS } from '../../src/content/guides/guide.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'
import type { Context } from '../../src/context.ts'
import { AppError } from '../../src/core/errors.ts'
import { sha256Hex } from '../../src/core/ids.ts'
import { secondsUntil } from '../../src/core/time.ts'
import { slugVersionIn, type Visibility, versionsVisible } from '../../src/db/content-version.ts'
import type { ContentScope } from '../../src/db/site-scope.ts'
import type { Versions } from '../../src/freshness/versions.ts'
import { authenticate, type RequiredAccess } from './api-key.ts'
import { type Loader, loadBody, loadOnce } from './bodies.ts'
import type { Http } from './env.ts'
import { pageLinks } from './list.ts'

/** Changes with the response format, so that clients drop responses in the old one. */
const RESPONSE_FORMAT = [POST_FIELDS, GUIDE_FIELDS].map(apiFormat).join()
let formatDigest: string | undefined

type View = { visibility: Visibility; postId?: string | undefined }

export type Resource<Input> = {
  /** Part of every tag. Change it when the response format changes in ways that the field tables don't show. */
  name: string
  access?: RequiredAccess
  /** Other routes refuse preview links like a wrong key. */
  isForLinks?: boolean
  /** Narrows the content that the key may see. Defaults to published content. */
  visibility?: (granted: Visibility, input: Input) => Visibility
  /** This slug's version tags the response, instead of the site's. */
  slugOf?: (input: Input) => string | null
  cacheControl: string
  contentType: string
  /** The response exists at every version, so `If-None-Match: *` gives 304 without loading it. */
  alwaysExists: (input: Input) => boolean
  /** Responses other than 304 use up quota. */
  counted: boolean
  load: (ctx: Context, site: ContentScope, view: View, input: Input) => ReturnType<Loader>
}

type ReadPlan = Plan & {
  version: number
  key: string
  etag: string
  cached: CachedBody | undefined
  notModified: boolean
  load: Loader
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
  const ctx = c.get('ctx')
  const { siteId } = presented
  const view = viewOf(presented, resource, input)
  const { auth, quota, plan } = await admitRequest(ctx, presented, (versions) =>
    planRead(c, resource, view, input, siteId, versions),
  )
  applyQuota(c, quota)
  c.header('ETag', plan.etag)
  c.header('Cache-Control', resource.cacheControl)
  if (plan.notModified) return c.body(null, 304)
  const load = () => loadBody(ctx, c.req.url, auth, plan)
  const { body, totalPages, etag } = plan.cached ?? (await loadOnce(ctx, plan.key, load))
  c.header('ETag', etag)
  // `If-None-Match: *` needs the loaded response to know that it exists.
  if (matchesEtag(c.req.header('If-None-Match'), plan.etag, true)) return c.body(null, 304)
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
  const granted = access === 'full' || postId !== undefined ? 'all' : 'published'
  return { visibility: visibility(granted, input), postId }
}

async function planRead<Input>(
  c: Http,
  { name, alwaysExists, slugOf, counted, load }: Resource<Input>,
  view: View,
  input: Input,
  id: string,
  versions: Versions,
): Promise<ReadPlan> {
  const { contentVersion, slugVersions } = versionsVisible(versions, view.visibility)
  const asked = [name, view, input]
  const slug = view.postId === undefined ? (slugOf?.(input) ?? null) : null
  const version = slug === null ? contentVersion : await slugVersionIn(slugVersions, slug)
  const key = `${id} ${version} ${JSON.stringify(asked)}`
  const cached = c.get('ctx').caches.bodies.get(key)
  const etag = cached?.etag ?? (await entityTag({ id, version }, asked))
  const ifNoneMatch = c.req.header('If-None-Match')
  const notModified = matchesEtag(ifNoneMatch, etag, cached !== undefined || alwaysExists(input))
  const mode = counted ? (notModified ? 'peek' : 'consume') : 'skip'
  const dependsOnContent = counted && ifNoneMatch !== undefined
  return {
    version,
    key,
    etag,
    cached,
    notModified,
    mode,
    dependsOnContent,
    load: (ctx, site) => load(ctx, site, view, input),
  }
}

async function entityTag(site: { id: string; version: number }, cacheKey: unknown): Promise<string> {
  formatDigest ??= await sha256Hex(RESPONSE_FORMAT)
  const digest = await sha256Hex(JSON.stringify([formatDigest, site.id, cacheKey]))
  return `W/"${site.version.toString(36)}-${digest.slice(0, 16)}"`
}

/** Compares weakly: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2. `*` matches any response that exists. */
export function matchesEtag(header: string | undefined, etag: string, exists: boolean): boolean {
  const value = header?.trim()
  if (value === undefined) return false
  if (value === '*') return exists
  const wanted = opaque(etag)
  const streamPrefix = wanted.replace(/"$/, '-')
  return (value.match(/(?:W\/)?"[^"]*"/g) ?? []).some(
    (tag) => opaque(tag) === wanted || opaque(tag).startsWith(streamPrefix),
  )
}

const opaque = (tag: string) => tag.replace(/^W\//, '')

/** Null means that the request was not counted. @throws AppError quota_exceeded */
export function applyQuota(c: Http, quota: Quota | null): void {
  if (!quota) return
  c.header('X-RateLimit-Limit', String(quota.limit))
  c.header('X-RateLimit-Remaining', String(quota.remaining))
  c.header('X-RateLimit-Reset', String(quota.reset))
  if (!quota.exceeded) return
  c.header('Retry-After', String(secondsUntil(quota.reset * 1_000)))
  throw new AppError('quota_exceeded')
}
