import { Option } from 'commander'
import type { Schemas } from '../../transfer/routes.ts'
import type { Verb } from '../command.ts'
import { fieldLines, list } from '../output.ts'
import { call } from './calls.ts'

type Link = Schemas['PreviewLink']

const withLinkId = <Shown extends Link>(link: Shown) => ({ linkId: link.id, ...link })

const COLUMNS = {
  link: (link: Link) => link.id,
  'ends with': (link: Link) => link.lastFour,
  created: (link: Link) => link.createdAt,
  expires: (link: Link) => link.expiresAt,
  revoked: (link: Link) => link.revokedAt,
}

export const PREVIEW_LINK_VERBS: Verb[] = [
  call({
    usage: 'preview-link <site> <slug>',
    description: 'create a link that shows a draft to anyone who has it; the link is shown only once',
    flags: [new Option('--expires-at <time>', 'RFC 3339 date-time within 30 days (default: in 7 days)')],
    route: 'POST /sites/{siteId}/posts/{slug}/preview-links',
    json: withLinkId,
    text: (link) => `${fieldLines(link)}\nSave the link: it is not shown again.`,
  }),
  {
    usage: 'preview-links <site> <slug>',
    description: 'list the preview links of a post',
    async work(_io, api, args) {
      const { items } = await api('GET /sites/{siteId}/posts/{slug}/preview-links', args)
      return list(items.map(withLinkId), COLUMNS, 'No links yet')
    },
  },
  call({
    usage: 'revoke-link <site> <slug> <link>',
    description: 'revoke a preview link by its id, permanently',
    route: 'PUT /sites/{siteId}/posts/{slug}/preview-links/{linkId}/revocation',
    json: withLinkId,
    text: (link) => `Revoked …${link.lastFour} (${link.id})`,
  }),
]
