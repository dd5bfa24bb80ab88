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
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
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
    '`next` of the previous page',
    z.refine((cursor) => parseRedirectCursor(cursor) !== null, NEXT_OF_A_PAGE),
  ),
})

export const listRedirectsOperation = (): Operation => ({
  route: `GET ${REDIRECTS}`,
  operationId: 'listRedirects',
  summary: 'List redirects, newest first',
  description:
    'Includes redirects from renamed slugs and redirects that were put. If `next` is not null, pass it as `cursor` to get the next page.',
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
  summary: `Create or update up to ${MAX_REDIRECTS} redirects`,
  description:
    "If one redirect breaks a rule, none is written. `from` is a path, or a URL of the site's domain, without query and fragment. The target is either a post or guide, given by `resource` and `slug`, or `to`. A redirect to a post or guide follows its renames and is deleted with it; `suffix` adds a query and a fragment to its path. `to` is a path or a URL of another host, with an optional query and fragment. If `to` is the path of a post or guide, the redirect is stored as one to that post or guide. Chains are resolved: if the target is itself redirected, the redirect leads to the final target. Loops are refused. If `from` exists, its target is updated, or left as it is with `onlyNew`.",
  body: RedirectsInput,
  responses: {
    200: writtenResponse(PutRedirects, 'The number of new and changed redirects'),
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
  description: 'Works for redirects from renamed slugs, too. The path then leads nowhere.',
  query: From,
  responses: { 204: deletedResponse, ...invalidQueryResponse, ...siteErrors },
})

redirects.delete(REDIRECTS, zValidator('query', From, refuseInvalid), async (c) => {
  await removeRedirect(c.get('ctx'), await siteOf(c), c.req.valid('query').from ?? '')
  return c.body(null, 204)
})
