/**
 * `/sitemaps/{sitemapId}`: published sitemaps. They need no key and count against no quota, since caches all over the world
 * answer most requests. A write of the site purges them there (src/purges.ts).
 */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { lookUp } from '../src/admission.ts'
import { AppError } from '../src/errors.ts'
import { sitemapTag } from '../src/purges.ts'
import { sitemapCredential } from '../src/sitemap/publication.ts'
import { withContext } from './http/context.ts'
import { createApp } from './http/create-app.ts'
import type { Http } from './http/env.ts'
import { onError } from './http/errors.ts'
import { refuseMethods } from './http/methods.ts'
import { serveRead } from './http/read.ts'
import type { Resource } from './http/resource.ts'
import { pageParam, type SitemapInput, sitemapResource } from './http/sitemap.ts'
import { refuseInvalid } from './http/validation.ts'

/** Without the last, a cache would go on with what it has for ever while the service fails. */
const CACHE_CONTROL = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=86400'

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
  const ctx = c.get('ctx')
  const presented = await lookUp(ctx, await sitemapCredential(c.req.param('sitemapId') ?? ''))
  if (!presented) throw new AppError('not_found')
  const { id } = presented.unconfirmed.site
  ctx.logFields.siteId = id
  const response = await serveRead(c, publishedSitemap, input, presented)
  response.headers.set('Cache-Tag', sitemapTag(id))
  // Of the request that the cache has it from, not of those that it answers.
  response.headers.delete('X-Request-Id')
  return response
}
