/** `/sites` and `/sites/{siteId}`. */
import { create, get, list, Site, SiteInput, update } from '../../src/sites.ts'
import { json } from '../http/answers.ts'
import { createApp, named } from '../http/openapi.ts'
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

const createSite = createRoute({
  method: 'post',
  path: '/sites',
  operationId: 'createSite',
  summary: 'Create a site',
  request: { body: body(SiteInput) },
  responses: { 201: json(SiteAnswer, 'The site'), ...refusals, ...tooLarge },
})

sites.openapi(createSite, async (c) => c.json(await create(c.get('ctx'), c.req.valid('json')), 201))

const listSites = createRoute({
  method: 'get',
  path: '/sites',
  operationId: 'listSites',
  summary: 'List sites, newest first',
  request: { query: pageQuery },
  responses: { 200: page(SiteAnswer, 'A page of sites'), ...refusals },
})

sites.openapi(listSites, async (c) => c.json(await list(c.get('ctx'), paging(c.req.valid('query'))), 200))

const getSite = createRoute({
  method: 'get',
  path: '/sites/{siteId}',
  operationId: 'getSite',
  summary: 'Get a site',
  request: { params: sitePath },
  responses: { 200: json(SiteAnswer, 'The site'), ...refusals },
})

sites.openapi(getSite, async (c) => c.json(await get(c.get('ctx'), siteIdOf(c)), 200))

const updateSite = createRoute({
  method: 'patch',
  path: '/sites/{siteId}',
  operationId: 'updateSite',
  summary: 'Change some fields of a site',
  request: { params: sitePath, body: body(SiteInput.partial()) },
  responses: { 200: written(SiteAnswer, 'The site as it is now'), ...refusals, ...tooLarge },
})

sites.openapi(updateSite, async (c) =>
  c.json(await update(c.get('ctx'), siteIdOf(c), c.req.valid('json')), 200),
)
