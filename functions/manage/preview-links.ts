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
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
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
  summary: 'Create a link that shows a draft to whoever has it',
  description:
    "For 7 days, or until `expiresAt`, within 30. `url` shows the draft, or leads to the `previewUrl` of the site with the token. `token` opens this post alone, as a Bearer token of the API's `getPost`. It is stored as a hash: who loses it creates another.",
  body: PreviewLinkInput,
  responses: {
    201: jsonResponse(
      z
        .extend(PreviewLink, { token: z.string(), url: z.url() })
        .register(z.globalRegistry, { id: 'NewPreviewLink' }),
      'The link, shown this once',
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
  summary: 'List the links to a post, newest first',
  description: 'Revoked ones too, and those that expired within 30 days.',
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
  summary: 'Revoke a link for ever',
  description: 'The next request with it is refused. Revoked again, it keeps its first `revokedAt`.',
  responses: {
    200: writtenResponse(PreviewLink, 'The link with the time it was first revoked'),
    ...siteErrors,
    ...bodyErrors,
  },
})

previewLinks.put(`${PATH}/:linkId/revocation`, async (c) => {
  const linkId = idOf(c, 'linkId', 'preview_link_not_found')
  const site = await siteOf(c)
  return c.json(await revokePreviewLink(c.get('ctx'), site, c.req.param('slug'), linkId))
})
