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
      description: 'publish it at a URL that needs no key',
      route: 'PUT /sites/{siteId}/sitemap',
      text,
    }),
    call({
      usage: 'show <site>',
      description: 'show its URLs',
      route: 'GET /sites/{siteId}/sitemap',
      text,
    }),
    call({
      usage: 'renew <site>',
      description: 'give it new URLs; the old ones stop working',
      route: 'POST /sites/{siteId}/sitemap/renewals',
      text,
    }),
    call({
      usage: 'stop <site>',
      description: 'stop publishing it',
      route: 'DELETE /sites/{siteId}/sitemap',
      json: () => ({ published: false }),
      text: () => 'The sitemap is no longer published.',
    }),
  ],
}
