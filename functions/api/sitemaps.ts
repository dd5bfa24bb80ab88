/** `/sitemaps/{sitemapId}`: published sitemaps and feeds, without key and quota. Writes purge their caches (src/freshness/purges.ts). */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { sitemapCredential } from '../../src/content/sitemap/publication.ts'
import { AppError } from '../../src/core/errors.ts'
import { sitemapTag } from '../../src/freshness/purges.ts'
import { lookUpWithinBudget } from '../http/api-key.ts'
import { withContext } from '../http/context.ts'
import { createApp, type Http } from '../http/env.ts'
import { notFound, onError } from '../http/errors.ts'
import { refuseMethods } from '../http/methods.ts'
import { type Resource, serveCredential } from '../http/read.ts'
import { refuseInvalid } from '../http/validation.ts'
import { jsonFeedResource, rssResource } from './feeds.ts'
import { isCanonical, type PublishedFile, respondFromCache, urlOf } from './published-files.ts'
import { pageParam, type SitemapInput, sitemapResource } from './sitemap.ts'

/** `stale-if-error` limits how long caches serve old copies while the service fails. */
const CACHE_CONTROL = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=86400'

/** A short max-age is safe: unknown ids never start to exist, and a write that adds a page purges its 404. */
const MISSING_CACHE_CONTROL = 'public, max-age=60, stale-if-error=60'

const PublishedQuery = z.object({ page: pageParam })

const PUBLISHED = { cacheControl: CACHE_CONTROL, counted: false }
const publishedSitemap: Resource<SitemapInput> = { ...sitemapResource, ...PUBLISHED }

export const sitemaps = createApp()

sitemaps.use(refuseMethods(sitemaps, onError))
sitemaps.use(withContext)

/** For crawlers of this host. The protocol requires an index and its files on one host. */
sitemaps.get('/:sitemapId/sitemap.xml', zValidator('query', PublishedQuery, refuseInvalid), (c) => {
  varyByHost(c)
  const page = c.req.valid('query').page ?? null
  const filesAt = urlOf(c, 'sitemap.xml')
  // Only an index contains file URLs.
  const input = page === null ? { page, filesAt } : { page }
  return servePublished(c, { file: 'sitemap.xml', page }, publishedSitemap, input)
})

/** For a proxy at `/sitemap.xml` of the site's domain. The index points to files on that domain. */
sitemaps.get('/:sitemapId/proxied.xml', zValidator('query', PublishedQuery, refuseInvalid), (c) => {
  c.header('Vary', 'Accept-Encoding')
  const page = c.req.valid('query').page ?? null
  return servePublished(c, { file: 'proxied.xml', page }, publishedSitemap, { page })
})

for (const [file, resource] of [
  ['feed.xml', rssResource],
  ['feed.json', jsonFeedResource],
] as const) {
  sitemaps.get(`/:sitemapId/${file}`, (c) => {
    varyByHost(c)
    return servePublished(c, { file, page: null }, { ...resource, ...PUBLISHED }, { self: urlOf(c, file) })
  })
  const proxied = `proxied-${file}`
  sitemaps.get(`/:sitemapId/${proxied}`, (c) => {
    c.header('Vary', 'Accept-Encoding')
    return servePublished(c, { file: proxied, page: null }, { ...resource, ...PUBLISHED }, { self: null })
  })
}

/** Without it, caches mix up the Worker's hosts. */
const varyByHost = (c: Http) => c.header('Vary', 'Host, Accept-Encoding')

async function servePublished<Input>(
  c: Http,
  asked: PublishedFile,
  resource: Resource<Input>,
  input: Input,
): Promise<Response> {
  if (!isCanonical(c)) return respondFromCache(c, asked).catch((error) => missing(c, error))
  const presented = await lookUpWithinBudget(
    c,
    'sitemaps',
    await sitemapCredential(c.req.param('sitemapId') ?? ''),
  )
  const siteId = presented?.siteId
  if (siteId) c.get('ctx').logFields.siteId = siteId
  const response = presented
    ? await serveCredential(c, presented, resource, input).catch((error) => missing(c, error))
    : await missing(c)
  if (siteId) response.headers.set('Cache-Tag', sitemapTag(siteId))
  // The id belongs to the request that filled the cache.
  response.headers.delete('X-Request-Id')
  return response
}

/** Caches may store this 404. @throws any other error */
async function missing(c: Http, error: unknown = new AppError('not_found')): Promise<Response> {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  const response = await notFound(c)
  response.headers.set('Cache-Control', MISSING_CACHE_CONTROL)
  return response
}
