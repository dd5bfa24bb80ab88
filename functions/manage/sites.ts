/** `/sites` and `/sites/{siteId}`. */
import { createSite, getSite, listSites, Site, SiteInput, updateSite } from '../../src/sites.ts'
import { createApp, named } from '../http/openapi.ts'
import { json } from '../http/responses.ts'
import {
  body,
  createRoute,
  page,
  pageQuery,
  paging,
  refusals,
  siteIdOf,
  sitePath,
  tooLarge,
  written,
} from './route.ts'

export const sites = createApp()

const SiteAnswer = named('Site', Site)

const createSiteRoute = createRoute({
  method: 'post',
  path: '/sites',
  operationId: 'createSite',
  summary: 'Create a site',
  request: { body: body(SiteInput) },
  responses: { 201: json(SiteAnswer, 'The site'), ...refusals, ...tooLarge },
})

sites.openapi(createSiteRoute, async (c) => c.json(await createSite(c.get('ctx'), c.req.valid('json')), 201))

const listSitesRoute = createRoute({
  method: 'get',
  path: '/sites',
  operationId: 'listSites',
  summary: 'List sites, newest first',
  request: { query: pageQuery },
  responses: { 200: page(SiteAnswer, 'A page of sites'), ...refusals },
})

sites.openapi(listSitesRoute, async (c) =>
  c.json(await listSites(c.get('ctx'), paging(c.req.valid('query'))), 200),
)

const getSiteRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}',
  operationId: 'getSite',
  summary: 'Get a site',
  request: { params: sitePath },
  responses: { 200: json(SiteAnswer, 'The site'), ...refusals },
})

sites.openapi(getSiteRoute, async (c) => c.json(await getSite(c.get('ctx'), siteIdOf(c)), 200))

const updateSiteRoute = createRoute({
  method: 'patch',
  path: '/sites/{siteId}',
  operationId: 'updateSite',
  summary: 'Change some fields of a site',
  request: { params: sitePath, body: body(SiteInput.partial()) },
  responses: { 200: written(SiteAnswer, 'The site as it is now'), ...refusals, ...tooLarge },
})

sites.openapi(updateSiteRoute, async (c) =>
  c.json(await updateSite(c.get('ctx'), siteIdOf(c), c.req.valid('json')), 200),
)
