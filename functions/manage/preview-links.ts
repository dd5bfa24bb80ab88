/** `/sites/{siteId}/posts/{slug}/preview-links`. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import {
  createPreviewLink,
  listPreviewLinks,
  PreviewLink,
  PreviewLinkInput,
  previewLinkUrl,
  revokePreviewLink,
} from '../../src/content/posts/preview-links.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { idOf } from '../http/request.ts'
import { jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, pageResponse, siteErrors, writtenResponse } from './responses.ts'
import { siteOf } from './route.ts'

const PATH = '/sites/:siteId/posts/:slug/preview-links'

export const previewLinks = createApp()

export const createPreviewLinkOperation = (): Operation => ({
  route: `POST ${PATH}`,
  operationId: 'createPreviewLink',
  summary: 'Create a preview link',
  description:
    "Anyone with the link can see the draft. It expires after 7 days, or at `expiresAt`, at most 30 days from now. `url` shows the draft, or leads to the site's `previewUrl` with the token. `token` is a Bearer token for `getPost` of `/api/v1` and opens only this post. Only a hash is stored. If you lose the link, create another.",
  body: PreviewLinkInput,
  responses: {
    201: jsonResponse(
      z
        .extend(PreviewLink, { token: z.string(), url: z.url() })
        .register(z.globalRegistry, { id: 'NewPreviewLink' }),
      'The link, shown only once',
    ),
    ...siteErrors,
    ...bodyErrors,
  },
})

previewLinks.post(PATH, zValidator('json', PreviewLinkInput, refuseInvalid), async (c) => {
  const input = c.req.valid('json')
  const link = await createPreviewLink(c.get('ctx'), await siteOf(c), c.req.param('slug'), input)
  return c.json({ ...link, url: previewLinkUrl(link.token, new URL(c.req.url).origin) }, 201)
})

export const listPreviewLinksOperation = (): Operation => ({
  route: `GET ${PATH}`,
  operationId: 'listPreviewLinks',
  summary: 'List the preview links of a post, newest first',
  description: 'Includes revoked links and links that expired within the last 30 days.',
  responses: { 200: pageResponse(PreviewLink, 'The newest 100; `next` is always null'), ...siteErrors },
})

previewLinks.get(PATH, async (c) =>
  c.json({
    items: await listPreviewLinks(c.get('ctx'), await siteOf(c), c.req.param('slug')),
    next: null,
  }),
)

export const revokePreviewLinkOperation = (): Operation => ({
  route: `PUT ${PATH}/:linkId/revocation`,
  operationId: 'revokePreviewLink',
  summary: 'Revoke a preview link permanently',
  description: 'The link is refused from the next request on. Revoking it again keeps the first `revokedAt`.',
  responses: {
    200: writtenResponse(PreviewLink, 'The revoked link'),
    ...siteErrors,
    ...bodyErrors,
  },
})

previewLinks.put(`${PATH}/:linkId/revocation`, async (c) => {
  const linkId = idOf(c, 'linkId', 'preview_link_not_found')
  const site = await siteOf(c)
  return c.json(await revokePreviewLink(c.get('ctx'), site, c.req.param('slug'), linkId))
})
