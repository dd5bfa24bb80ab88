/**
 * A read, from request to response:
 *
 *     authenticate → one call to Redis: count, confirm the key, read the versions → 304, or the body
 *
 * What this isolate has cached decides how the request is counted. Redis then says whether that was current; where it was
 * not, the key, the tag and the count are corrected before anything is sent. A body comes from this isolate, from Workers
 * Cache or from Postgres, which is not asked before Redis has let the request in.
 */
import { admitRequest, type PresentedKey } from '../../src/admission.ts'
import type { ApiKeyAuth, Body, CachedBody } from '../../src/caches.ts'
import { countRequest, type Quota, type QuotaMode, refundRequest } from '../../src/quota.ts'
import { authenticate } from './api-key.ts'
import { fetchBody } from './bodies.ts'
import type { Http } from './env.ts'
import { entityTag, matchesEtag } from './etag.ts'
import { pageLinks } from './page.ts'
import { applyQuota } from './rate-limit.ts'
import type { Resource } from './resource.ts'

/** The answer at a content version: its tag, its body if this isolate has it under `key`, and whether the client has it. */
type Representation = { key: string; etag: string; cached: CachedBody | undefined; notModified: boolean }

/**
 * `input` is all that the answer depends on besides the site's content. A `credential` takes the place of the request's
 * key. The body is at least as new as its tag says: it is loaded after Redis has told the version.
 *
 * @throws AppError api_key_refused; quota_exceeded; whatever `load` throws
 */
export async function serveRead<Input>(
  c: Http,
  resource: Resource<Input>,
  input: Input,
  credential: PresentedKey | Promise<PresentedKey> = authenticate(c, resource.access ?? 'full'),
): Promise<Response> {
  const ctx = c.get('ctx')
  const presented = await credential
  const expected = await represent(c, resource, input, presented.unconfirmed)
  const mode = quotaMode(resource, expected)
  const { auth, quota } = await admitRequest(ctx, presented, mode)
  applyQuota(c, quota)

  const current = auth === presented.unconfirmed ? expected : await represent(c, resource, input, auth)
  c.header('ETag', current.etag)
  c.header('Cache-Control', resource.cacheControl)
  const recounting = recount(c, auth, { quota, from: mode, to: quotaMode(resource, current) })
  const loading = current.notModified ? null : (current.cached ?? load(c, resource, input, auth, current))
  if (loading instanceof Promise) loading.catch(() => {})
  await recounting

  if (!loading) return c.body(null, 304)
  const { body, paging } = await loading
  // `If-None-Match: *`, and only loading the answer has shown that there is one.
  if (matchesEtag(c.req.header('If-None-Match'), current.etag, true)) return c.body(null, 304)
  c.header('Content-Type', resource.contentType)
  if (paging) c.header('Link', pageLinks(c.req.url, Number(paging)))
  return c.body(body, 200)
}

async function represent<Input>(
  c: Http,
  { name, matchAny }: Resource<Input>,
  input: Input,
  { site }: ApiKeyAuth,
): Promise<Representation> {
  const question = [name, input]
  const key = `${site.id} ${site.contentVersion} ${JSON.stringify(question)}`
  const cached = c.get('ctx').caches.bodies.get(key)
  const etag = cached?.etag ?? (await entityTag(site, question))
  const notModified = matchesEtag(
    c.req.header('If-None-Match'),
    etag,
    cached !== undefined || matchAny(input),
  )
  return { key, etag, cached, notModified }
}

function quotaMode({ counted }: { counted: boolean }, { notModified }: Representation): QuotaMode {
  return counted ? (notModified ? 'peek' : 'consume') : 'skip'
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

const isWhole = (loaded: Body | Body<ReadableStream>): loaded is Body => loaded.body instanceof Uint8Array

/** The body, which this isolate then keeps unless it is large. */
async function load<Input>(
  c: Http,
  resource: Resource<Input>,
  input: Input,
  { site }: ApiKeyAuth,
  { key, etag }: Representation,
): ReturnType<typeof fetchBody> {
  const { bodies } = c.get('ctx').caches
  const loaded = await fetchBody(c, resource, site, input, bodies.maxEntryBytes)
  if (isWhole(loaded)) bodies.set(key, { ...loaded, etag })
  return loaded
}
