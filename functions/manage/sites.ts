/** `/sites` and `/sites/{siteId}`. */
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { createSite, getSite, listSites, Site, SiteInput, updateSite } from '../../src/sites.ts'
import type { Operation } from '../http/document.ts'
import type { Env } from '../http/env.ts'
import { json } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { page, refusals, tooLarge, written } from './responses.ts'
import { PageQuery, paging, siteIdOf } from './route.ts'

export const sites = new Hono<Env>()

export const createSiteOperation = (): Operation => ({
  route: 'POST /sites',
  operationId: 'createSite',
  summary: 'Create a site',
  body: SiteInput,
  responses: { 201: json(Site, 'The site'), ...refusals, ...tooLarge },
})

sites.post('/sites', zValidator('json', SiteInput, refuseInvalid), async (c) =>
  c.json(await createSite(c.get('ctx'), c.req.valid('json')), 201),
)

export const listSitesOperation = (): Operation => ({
  route: 'GET /sites',
  operationId: 'listSites',
  summary: 'List sites, newest first',
  query: PageQuery,
  responses: { 200: page(Site, 'A page of sites'), ...refusals },
})

sites.get('/sites', zValidator('query', PageQuery, refuseInvalid), async (c) =>
  c.json(await listSites(c.get('ctx'), paging(c.req.valid('query')))),
)

export const getSiteOperation = (): Operation => ({
  route: 'GET /sites/:siteId',
  operationId: 'getSite',
  summary: 'Get a site',
  responses: { 200: json(Site, 'The site'), ...refusals },
})

sites.get('/sites/:siteId', async (c) => c.json(await getSite(c.get('ctx'), siteIdOf(c))))

const SiteChanges = SiteInput.partial()

export const updateSiteOperation = (): Operation => ({
  route: 'PATCH /sites/:siteId',
  operationId: 'updateSite',
  summary: 'Change some fields of a site',
  body: SiteChanges,
  responses: { 200: written(Site, 'The site as it is now'), ...refusals, ...tooLarge },
})

sites.patch('/sites/:siteId', zValidator('json', SiteChanges, refuseInvalid), async (c) =>
  c.json(await updateSite(c.get('ctx'), siteIdOf(c), c.req.valid('json'))),
)
