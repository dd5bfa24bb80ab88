/** `/sites` and `/sites/{siteId}`. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { responseSchema } from '../../src/core/zod.ts'
import { deleteSite } from '../../src/sites/deletion.ts'
import { createSite, getSite, listSites, Site, SiteInput, updateSite } from '../../src/sites/sites.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { requiredParam } from '../http/query.ts'
import { siteIdOf } from '../http/request.ts'
import { invalidQueryResponse, jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import {
  bodyErrors,
  commonErrors,
  deletedResponse,
  pageResponse,
  siteErrors,
  writtenResponse,
} from './responses.ts'
import { PageQuery, paging } from './route.ts'

export const sites = createApp()

export const createSiteOperation = (): Operation => ({
  route: 'POST /sites',
  operationId: 'createSite',
  summary: 'Create a site',
  description:
    "`plan` defaults to `free`. `postPath` and `guidePath` are the paths of posts and guides on the site's domain, with `{slug}` in them.",
  body: SiteInput,
  responses: { 201: jsonResponse(Site, 'The site'), ...commonErrors, ...bodyErrors },
})

sites.post('/sites', zValidator('json', SiteInput, refuseInvalid), async (c) =>
  c.json(await createSite(c.get('ctx'), c.req.valid('json')), 201),
)

export const listSitesOperation = (): Operation => ({
  route: 'GET /sites',
  operationId: 'listSites',
  summary: 'List sites, newest first',
  description: 'If `next` is not null, pass it as `cursor` to get the next page.',
  query: PageQuery,
  responses: { 200: pageResponse(Site, 'A page of sites'), ...commonErrors },
})

sites.get('/sites', zValidator('query', PageQuery, refuseInvalid), async (c) =>
  c.json(await listSites(c.get('ctx'), paging(c.req.valid('query')))),
)

export const getSiteOperation = (): Operation => ({
  route: 'GET /sites/:siteId',
  operationId: 'getSite',
  summary: 'Get a site',
  description: 'Returns the settings of the site, without its content.',
  responses: { 200: jsonResponse(Site, 'The site'), ...siteErrors },
})

sites.get('/sites/:siteId', async (c) => c.json(await getSite(c.get('ctx'), siteIdOf(c))))

const SiteChanges = z.partial(SiteInput)

export const updateSiteOperation = (): Operation => ({
  route: 'PATCH /sites/:siteId',
  operationId: 'updateSite',
  summary: 'Update a site',
  description:
    'Fields that you leave out stay the same. Existing posts keep the URLs in their `schemaBundle` until you call `rebuildSchemaBundles`.',
  body: SiteChanges,
  responses: { 200: writtenResponse(Site, 'The updated site'), ...siteErrors, ...bodyErrors },
})

sites.patch('/sites/:siteId', zValidator('json', SiteChanges, refuseInvalid), async (c) =>
  c.json(await updateSite(c.get('ctx'), siteIdOf(c), c.req.valid('json'))),
)

const Confirmation = z.object({ confirm: requiredParam("The site's name") })

const Deletion = /* @__PURE__ */ responseSchema(() => z.object({ state: z.literal('deleting') }))

export const deleteSiteOperation = (): Operation => ({
  route: 'DELETE /sites/:siteId',
  operationId: 'deleteSite',
  summary: 'Delete a site and everything in it',
  description:
    'Deletes its content, keys, events and usage. This cannot be undone. Its keys are refused from the next request on. A large site is deleted in the background: the response is 202, and `getSite` returns 404 once the site is gone. If the request fails or gets no response, send it again.',
  query: Confirmation,
  responses: {
    202: writtenResponse(Deletion, 'The site is no longer accessible. Its content is being deleted'),
    204: deletedResponse,
    ...invalidQueryResponse,
    ...siteErrors,
  },
})

sites.delete('/sites/:siteId', zValidator('query', Confirmation, refuseInvalid), async (c) => {
  const isGone = await deleteSite(c.get('ctx'), siteIdOf(c), c.req.valid('query').confirm)
  return isGone ? c.body(null, 204) : c.json({ state: 'deleting' } satisfies z.infer<typeof Deletion>, 202)
})
