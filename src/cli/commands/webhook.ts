import { Option } from 'commander'
import type { Noun } from '../command.ts'
import { fieldLines } from '../output.ts'
import { call } from './calls.ts'

const KEEP = 'Keep the secret: it is not shown again.'

export const WEBHOOK: Noun = {
  name: 'webhook',
  description: 'the webhook of a site',
  verbs: [
    call({
      usage: 'set <site>',
      description: 'set the URL; the secret is shown when there was none before',
      flags: [new Option('--url <url>', 'https URL that events are posted to').makeOptionMandatory()],
      route: 'PUT /sites/{siteId}/webhook',
      json: ({ secret, ...rest }) => ({ ...rest, secret: secret ?? null }),
      text: ({ secret, ...rest }) =>
        `${fieldLines(rest)}\n${secret ? `secret  ${secret}\n${KEEP}` : 'The secret is kept as it was.'}`,
    }),
    call({
      usage: 'show <site>',
      description: 'show the URL',
      route: 'GET /sites/{siteId}/webhook',
      text: fieldLines,
    }),
    call({
      usage: 'rotate <site>',
      description: 'make a new secret; for 24 hours deliveries are signed with the old one as well',
      route: 'POST /sites/{siteId}/webhook/secret-rotations',
      text: (rotation) => `${fieldLines(rotation)}\n${KEEP}`,
    }),
    call({
      usage: 'remove <site>',
      description: 'remove the webhook',
      route: 'DELETE /sites/{siteId}/webhook',
      json: () => ({ removed: true }),
      text: () => 'Removed',
    }),
  ],
}
