/** `GET /sites/{siteId}/guides` and `GET /sites/{siteId}/guides/{slug}`. */
import * as z from 'zod/mini'
import { getArticle, type ListInput, listArticles } from '../../src/content/articles/read.ts'
import { GUIDE, Guide, GuideList } from '../../src/content/guides/guide.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { filterParams, filtersIn, pageBody, pageInput, pageParams } from '../http/list.ts'
import { type Resource, serveRead } from '../http/read.ts'
import {
  ifNoneMatch,
  internalErrorResponse,
  invalidQueryResponse,
  jsonResponse,
  keyRefusedResponse,
  linkHeader,
  notFoundResponse,
  tagHeaders,
  uncountedNotModifiedResponse,
} from '../http/responses.ts'
import { validQuery } from '../http/validation.ts'

export const guides = createApp()

const ListQuery = z.object({ ...pageParams, ...filterParams('api', 'guides') })

export const listGuidesOperation = (): Operation => ({
  route: 'GET /sites/:siteId/guides',
  operationId: 'listGuides',
  summary: 'List published guides',
  description: 'Sorted like `listPosts`. Uses no quota.',
  addition: true,
  headers: ifNoneMatch,
  query: ListQuery,
  responses: {
    200: jsonResponse(GuideList, 'A page of guides', { ...tagHeaders, ...linkHeader }),
    304: uncountedNotModifiedResponse,
    ...invalidQueryResponse,
    ...keyRefusedResponse,
    ...internalErrorResponse,
  },
})

export const guideList: Resource<ListInput> = {
  name: 'guides',
  access: 'published',
  cacheControl: 'private, no-cache',
  contentType: 'application/json',
  alwaysExists: () => true,
  counted: false,
  load: async (ctx, site, { visibility }, input) =>
    pageBody(await listArticles(ctx, GUIDE, site, visibility, input), input),
}

guides.get('/sites/:siteId/guides', validQuery(ListQuery, guideList), (c) => {
  const query = c.req.valid('query')
  return serveRead(c, guideList, { ...pageInput(query), ...filtersIn('api', 'guides', query) })
})

export const getGuideOperation = (): Operation => ({
  route: 'GET /sites/:siteId/guides/:slug',
  operationId: 'getGuide',
  summary: 'Get a published guide',
  description: 'Returns 404 for a draft. Uses no quota.',
  headers: ifNoneMatch,
  responses: {
    200: jsonResponse(Guide, 'The guide', tagHeaders),
    304: uncountedNotModifiedResponse,
    ...keyRefusedResponse,
    ...notFoundResponse('Guide'),
    ...internalErrorResponse,
  },
})

export const guide: Resource<{ slug: string }> = {
  name: 'guide',
  access: 'published',
  slugOf: ({ slug }) => slug,
  cacheControl: 'private, no-cache',
  contentType: 'application/json',
  alwaysExists: () => false,
  counted: false,
  load: async (ctx, site, { visibility }, { slug }) => ({
    body: await getArticle(ctx, GUIDE, site, slug, { status: visibility }),
  }),
}

guides.get('/sites/:siteId/guides/:slug', (c) => serveRead(c, guide, { slug: c.req.param('slug') }))
