/** `/sites/{siteId}/redirects`. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import {
  ListedRedirect,
  listRedirects,
  PutRedirects,
  parseRedirectCursor,
  putRedirects,
  RedirectsInput,
  removeRedirect,
} from '../../src/content/redirects/addresses.ts'
import { MAX_REDIRECTS } from '../../src/core/limits.ts'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
import { requiredParam, textParam } from '../http/query.ts'
import { invalidQueryResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, deletedResponse, pageResponse, siteErrors, writtenResponse } from './responses.ts'
import { DEFAULT_PAGE_ROWS, NEXT_OF_A_PAGE, PageQuery, siteOf } from './route.ts'

export const redirects = createApp()

const REDIRECTS = '/sites/:siteId/redirects'

const RedirectPage = z.object({
  limit: PageQuery.shape.limit,
  cursor: textParam(
    '`next` of the page before',
    z.refine((cursor) => parseRedirectCursor(cursor) !== null, NEXT_OF_A_PAGE),
  ),
})

export const listRedirectsOperation = (): Operation => ({
  route: `GET ${REDIRECTS}`,
  operationId: 'listRedirects',
  summary: 'List redirects, newest first',
  description:
    'Those of old slugs, which renames leave, and those that were put. While `next` is not null, it is the `cursor` of the next page.',
  query: RedirectPage,
  responses: { 200: pageResponse(ListedRedirect, 'A page of redirects'), ...siteErrors },
})

redirects.get(REDIRECTS, zValidator('query', RedirectPage, refuseInvalid), async (c) => {
  const { limit = DEFAULT_PAGE_ROWS, cursor = '' } = c.req.valid('query')
  const page = { limit, cursor: parseRedirectCursor(cursor) }
  return c.json(await listRedirects(c.get('ctx'), await siteOf(c), page))
})

export const putRedirectsOperation = (): Operation => ({
  route: `PUT ${REDIRECTS}`,
  operationId: 'putRedirects',
  summary: `Put up to ${MAX_REDIRECTS} redirects, all or none`,
  description:
    "`from` is a path, or a URL of the site's domain, with neither query nor fragment. It leads to the post or guide that `resource` and `slug` name, and follows its renames, or to `to`, a path or a URL of another host, which may have a query and a fragment; `suffix` is these behind the path of the post or guide. A path that is that of a post or guide is kept as this one. Where a target is an old address itself, all that leads there leads on to its target, and what would lead back to itself is refused. The same `from` again changes where it leads, or with `onlyNew` nothing. With its post or guide a redirect is deleted.",
  body: RedirectsInput,
  responses: {
    200: writtenResponse(PutRedirects, 'How many were new, and led elsewhere'),
    ...siteErrors,
    ...bodyErrors,
  },
})

redirects.put(REDIRECTS, zValidator('json', RedirectsInput, refuseInvalid), async (c) => {
  const { redirects, onlyNew } = c.req.valid('json')
  return c.json(await putRedirects(c.get('ctx'), await siteOf(c), redirects, { onlyNew }))
})

const From = z.object({ from: requiredParam("The path, or a URL of the site's domain") })

export const removeRedirectOperation = (): Operation => ({
  route: `DELETE ${REDIRECTS}`,
  operationId: 'removeRedirect',
  summary: 'Delete a redirect',
  description: 'One of an old slug too. Its path then leads nowhere.',
  query: From,
  responses: { 204: deletedResponse, ...invalidQueryResponse, ...siteErrors },
})

redirects.delete(REDIRECTS, zValidator('query', From, refuseInvalid), async (c) => {
  await removeRedirect(c.get('ctx'), await siteOf(c), c.req.valid('query').from ?? '')
  return c.body(null, 204)
})
