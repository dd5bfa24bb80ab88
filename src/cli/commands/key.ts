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
      description: 'create a key, which is shown only once',
      flags: [
        new Option('--name <name>', 'purpose of the key').makeOptionMandatory(),
        new Option(
          '--access <access>',
          'access: everything including drafts, published content, or only the sitemap',
        ).choices(keyAccesses),
        new Option('--expires-at <time>', 'RFC 3339 date-time, for example 2027-01-31T00:00:00Z'),
      ],
      route: 'POST /sites/{siteId}/keys',
      json: withKeyId,
      text: (key) => `${fieldLines(key)}\nSave the key: it is not shown again.`,
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
      description: 'revoke a key by its id, permanently',
      route: 'PUT /sites/{siteId}/keys/{keyId}/revocation',
      json: withKeyId,
      text: (key) => `Revoked ${key.name} (${key.id})`,
    }),
  ],
}
