/**
 * `/sitemaps/{sitemapId}`: published sitemaps. They need no key and count against no quota, since caches all over the world
 * answer most requests. A write of the site purges them there (src/freshness/purges.ts).
 */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { lookUp, type PresentedKey } from '../../src/access/admission.ts'
import { countOwnAttempt, judge } from '../../src/access/attempts.ts'
import { isRefused } from '../../src/access/credentials.ts'
import { findSharedAuth } from '../../src/access/shared-auths.ts'
import { sitemapCredential } from '../../src/content/sitemap/publication.ts'
import { AppError } from '../../src/foundation/errors.ts'
import { sitemapTag } from '../../src/freshness/purges.ts'
import { withContext } from '../http/context.ts'
import { createApp } from '../http/create-app.ts'
import type { Http } from '../http/env.ts'
import { notFound, onError } from '../http/errors.ts'
import { refuseMethods } from '../http/methods.ts'
import { refuseAttempt } from '../http/operator.ts'
import { serveHolder } from '../http/read.ts'
import { addressOf } from '../http/request.ts'
import type { Resource } from '../http/resource.ts'
import { pageParam, type SitemapInput, sitemapResource } from '../http/sitemap.ts'
import { refuseInvalid } from '../http/validation.ts'

/** Without the last, a cache would go on with what it has for ever while the service fails. */
const CACHE_CONTROL = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=86400'

/** Nothing appears at an id that was none, and a write that makes a page purges it. */
const MISSING_CACHE_CONTROL = 'public, max-age=60, stale-if-error=60'

const PublishedQuery = z.object({ page: pageParam })

const publishedSitemap: Resource<SitemapInput> = {
  ...sitemapResource,
  cacheControl: CACHE_CONTROL,
  counted: false,
}

export const sitemaps = createApp()

sitemaps.use(refuseMethods(sitemaps, onError))
sitemaps.use(withContext({ writes: false }))

/** For crawlers that read it here: the protocol wants the files of an index on the same host. */
sitemaps.get('/:sitemapId/sitemap.xml', zValidator('query', PublishedQuery, refuseInvalid), (c) => {
  // Caches do not tell the Worker's hosts apart without it.
  c.header('Vary', 'Host, Accept-Encoding')
  const page = c.req.valid('query').page ?? null
  // Of the id and not of the path, which may be percent-encoded in many ways.
  const filesAt = `${new URL(c.req.url).origin}/sitemaps/${c.req.param('sitemapId')}/sitemap.xml`
  // Only an index depends on where the files are.
  return servePublished(c, page === null ? { page, filesAt } : { page })
})

/** For a proxy at `/sitemap.xml` of the site's domain: the files of an index are there. */
sitemaps.get('/:sitemapId/proxied.xml', zValidator('query', PublishedQuery, refuseInvalid), (c) => {
  c.header('Vary', 'Accept-Encoding')
  return servePublished(c, { page: c.req.valid('query').page ?? null })
})

async function servePublished(c: Http, input: SitemapInput): Promise<Response> {
  const presented = await findPublished(c)
  const siteId = presented?.siteId
  if (siteId) c.get('ctx').logFields.siteId = siteId
  const response = presented
    ? await serveHolder(c, presented, publishedSitemap, input).catch((error) => missing(c, error))
    : await missing(c)
  if (siteId) response.headers.set('Cache-Tag', sitemapTag(siteId))
  // Of the request that the cache has it from, not of those that it answers.
  response.headers.delete('X-Request-Id')
  return response
}

/**
 * Null for an id of nothing. An address that guesses ids is refused before Postgres is asked, but not for an id that Redis
 * knows to be right. @throws AppError too_many_attempts
 */
async function findPublished(c: Http): Promise<PresentedKey | null> {
  const ctx = c.get('ctx')
  const credential = await sitemapCredential(c.req.param('sitemapId') ?? '')
  if (!credential || isRefused(ctx, credential)) return null
  const { hash } = credential
  const { auths, lookups } = ctx.caches
  // One that was right, or that another request is looking up, is no guess.
  if (auths.get(hash)) return lookUp(ctx, credential)
  const underWay = lookups.underWay(hash)
  if (underWay && (await underWay) !== undefined) return lookUp(ctx, credential)
  const attempt = countOwnAttempt('sitemaps', addressOf(c))
  if (attempt.exceeded && !(await findSharedAuth(ctx, credential).catch(() => null))) {
    refuseAttempt(c, attempt)
  }
  return judge(attempt, lookUp(ctx, credential))
}

/** The 404, which caches may keep too. @throws any other error */
async function missing(c: Http, error: unknown = new AppError('not_found')): Promise<Response> {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  const response = await notFound(c)
  response.headers.set('Cache-Control', MISSING_CACHE_CONTROL)
  return response
}
