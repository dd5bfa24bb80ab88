import type { Schemas } from '../../transfer/routes.ts'
import type { Noun } from '../command.ts'
import { fieldLines } from '../output.ts'
import { call } from './calls.ts'

const text = (sitemap: Schemas['PublishedSitemap']) =>
  `${fieldLines(sitemap)}\nrobots.txt          Sitemap: ${sitemap.url}`

export const SITEMAP: Noun = {
  name: 'sitemap',
  description: 'the published sitemap of a site',
  verbs: [
    call({
      usage: 'publish <site>',
      description: 'publish the sitemap at a URL without a key',
      route: 'PUT /sites/{siteId}/sitemap',
      text,
    }),
    call({
      usage: 'show <site>',
      description: "show the sitemap's URLs",
      route: 'GET /sites/{siteId}/sitemap',
      text,
    }),
    call({
      usage: 'renew <site>',
      description: "replace the sitemap's URLs; the old ones stop working",
      route: 'POST /sites/{siteId}/sitemap/renewals',
      text,
    }),
    call({
      usage: 'stop <site>',
      description: 'stop publishing the sitemap',
      route: 'DELETE /sites/{siteId}/sitemap',
      json: () => ({ published: false }),
      text: () => 'The sitemap is no longer published.',
    }),
  ],
}
