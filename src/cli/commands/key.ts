import { Option } from 'commander'
import { keyAccesses } from '../../core/enums.ts'
import type { Schemas } from '../../transfer/routes.ts'
import type { Noun } from '../command.ts'
import { fieldLines, list } from '../output.ts'
import { call } from './calls.ts'

type Key = Schemas['Key']

const withKeyId = <Shown extends Key>(key: Shown) => ({ keyId: key.id, ...key })

const COLUMNS = {
  key: (key: Key) => key.id,
  name: (key: Key) => key.name,
  access: (key: Key) => key.access,
  begins: (key: Key) => `${key.prefix}…${key.lastFour}`,
  'last used': (key: Key) => key.lastUsedAt,
  expires: (key: Key) => key.expiresAt,
  revoked: (key: Key) => key.revokedAt,
}

export const KEY: Noun = {
  name: 'key',
  description: 'API keys of a site',
  verbs: [
    call({
      usage: 'create <site>',
      description: 'create a key; it is shown this once',
      flags: [
        new Option('--name <name>', 'what the key is for').makeOptionMandatory(),
        new Option(
          '--access <access>',
          'what it opens: all, the drafts included; what is published; or the sitemap alone',
        ).choices(keyAccesses),
        new Option('--expires-at <time>', 'RFC 3339 date-time, such as 2027-01-31T00:00:00Z'),
      ],
      route: 'POST /sites/{siteId}/keys',
      json: withKeyId,
      text: (key) => `${fieldLines(key)}\nKeep the key: it is not shown again.`,
    }),
    {
      usage: 'list <site>',
      description: 'list the keys of a site',
      async work(_io, api, args) {
        const { items } = await api('GET /sites/{siteId}/keys', args)
        return list(items.map(withKeyId), COLUMNS, 'No keys yet')
      },
    },
    call({
      usage: 'revoke <site> <key>',
      description: 'revoke a key for good, by its id',
      route: 'PUT /sites/{siteId}/keys/{keyId}/revocation',
      json: withKeyId,
      text: (key) => `Revoked ${key.name} (${key.id})`,
    }),
  ],
}
