/** `GET /sites/{siteId}/redirects`. */
import * as z from 'zod/mini'
import {
  contentTypeOf,
  type RedirectFormat,
  RedirectList,
  redirectFormats,
  renderRedirects,
} from '../../src/content/redirects.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { oneOfParam } from '../http/query.ts'
import { type Resource, serveRead } from '../http/read.ts'
import {
  ifNoneMatch,
  internalErrorResponse,
  invalidQueryResponse,
  jsonResponse,
  keyRefusedResponse,
  tagHeaders,
  uncountedNotModifiedResponse,
} from '../http/responses.ts'
import { validQuery } from '../http/validation.ts'

export const redirects = createApp()

const RedirectsQuery = z.object({
  format: oneOfParam(redirectFormats, {
    fallback: 'json',
    description: '`cloudflare` for a `_redirects` file, `nginx` for `location` blocks of a server',
  }),
})

export const listRedirectsOperation = (): Operation => {
  const answer = jsonResponse(RedirectList, 'The redirects, newest first', tagHeaders)
  const text = { schema: z.string(), example: '/blog/bike-chains /blog/how-to-clean-a-chain 301\n' }
  return {
    route: 'GET /sites/:siteId/redirects',
    operationId: 'listRedirects',
    summary: 'List redirects from old slugs and other old paths',
    description:
      'A slug that was renamed twice leads directly to the current one. Old paths that are in use again and redirects to drafts are left out. Uses no quota.',
    addition: true,
    headers: ifNoneMatch,
    query: RedirectsQuery,
    responses: {
      200: { ...answer, content: { ...answer.content, 'text/plain': text } },
      304: uncountedNotModifiedResponse,
      ...invalidQueryResponse,
      ...keyRefusedResponse,
      ...internalErrorResponse,
    },
  }
}

export const redirectList: Resource<{ format: RedirectFormat }> = {
  name: 'redirects',
  access: 'published',
  cacheControl: 'private, no-cache',
  contentType: 'application/json',
  alwaysExists: () => true,
  counted: false,
  load: async (ctx, site, _view, { format }) => ({ body: renderRedirects(ctx, site, format) }),
}

redirects.get('/sites/:siteId/redirects', validQuery(RedirectsQuery, redirectList), (c) => {
  const { format = 'json' } = c.req.valid('query')
  return serveRead(c, { ...redirectList, contentType: contentTypeOf(format) }, { format })
})
