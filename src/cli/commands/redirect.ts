import { Option } from 'commander'
import { limitFlag, type Noun } from '../command.ts'
import { listed } from './calls.ts'

type Flags = { post?: string; guide?: string }

export const REDIRECT: Noun = {
  name: 'redirect',
  description: 'old addresses of a site, and where they lead',
  verbs: [
    listed({
      usage: 'list <site>',
      description: 'list redirects, newest first, those of renames included',
      flags: [limitFlag()],
      route: 'GET /sites/{siteId}/redirects',
      columns: {
        created: (redirect) => redirect.createdAt,
        from: (redirect) => redirect.from,
        to: (redirect) => redirect.to,
        served: (redirect) => (redirect.served ? 'yes' : 'no'),
      },
      none: 'No redirects yet',
    }),
    {
      usage: 'add <site> <from> [to]',
      description:
        'send visitors of a path to another path, a URL, or a post or guide; again it changes where',
      flags: [
        new Option('--post <slug>', 'to this post, whatever it is renamed to').conflicts('guide'),
        new Option('--guide <slug>', 'to this guide'),
      ],
      async work(_io, api, [site = '', from = '', to], { post, guide }: Flags) {
        const article = post ?? guide
        const target = article && { resource: post === undefined ? 'guide' : 'post', slug: article }
        const redirect = { from, ...(to !== undefined && { to }), ...target }
        const json = await api('PUT /sites/{siteId}/redirects', [site], { body: { redirects: [redirect] } })
        const done = json.created > 0 ? 'leads' : json.updated > 0 ? 'now leads' : 'led already'
        return { json, text: `${from} ${done} to ${article ?? to}` }
      },
    },
    {
      usage: 'remove <site> <from>',
      description: 'remove the redirect of a path, one that a rename has left too',
      async work(_io, api, [site = '', from = '']) {
        await api('DELETE /sites/{siteId}/redirects', [site], { query: { from } })
        return { json: { removed: from }, text: `Removed ${from}` }
      },
    },
  ],
}
