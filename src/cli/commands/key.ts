import { type Command, Option } from 'commander'
import { path } from '../client.ts'
import { verb } from '../command.ts'
import type { Io } from '../io.ts'
import { fieldLines, list } from '../output.ts'

type Key = {
  id: string
  name: string
  access: string
  prefix: string
  lastFour: string
  lastUsedAt: string | null
  expiresAt: string | null
  revokedAt: string | null
}

/** Adds `key create|list|revoke`. */
export function addKey(program: Command, io: Io): void {
  const noun = program.command('key').description('API keys of a site')

  verb<{ name: string; access?: string; expiresAt?: string }>(
    io,
    noun,
    'create <site>',
    'create a key; it is shown this once',
    async (api, [site = ''], { name, access, expiresAt }) => {
      const key = await api<Key & { key: string }>('POST', path`/sites/${site}/keys`, {
        name,
        access,
        expiresAt,
      })
      return { json: withKeyId(key), text: `${fieldLines(key)}\nKeep the key: it is not shown again.` }
    },
    [
      new Option('--name <name>', 'what the key is for').makeOptionMandatory(),
      new Option(
        '--access <access>',
        'what it opens: all, the drafts included; what is published; or the sitemap alone',
      ).choices(['full', 'published', 'sitemap']),
      new Option('--expires-at <time>', 'RFC 3339 date-time, such as 2027-01-31T00:00:00Z'),
    ],
  )

  verb(io, noun, 'list <site>', 'list the keys of a site', async (api, [site = '']) => {
    const { items: keys } = await api<{ items: Key[] }>('GET', path`/sites/${site}/keys`)
    const columns = {
      key: (key: Key) => key.id,
      name: (key: Key) => key.name,
      access: (key: Key) => key.access,
      begins: (key: Key) => `${key.prefix}…${key.lastFour}`,
      'last used': (key: Key) => key.lastUsedAt,
      expires: (key: Key) => key.expiresAt,
      revoked: (key: Key) => key.revokedAt,
    }
    return list(keys.map(withKeyId), columns, 'No keys yet')
  })

  verb(
    io,
    noun,
    'revoke <site> <key>',
    'revoke a key for good, by its id',
    async (api, [site = '', id = '']) => {
      const key = await api<Key>('PUT', path`/sites/${site}/keys/${id}/revocation`)
      return { json: withKeyId(key), text: `Revoked ${key.name} (${key.id})` }
    },
  )
}

function withKeyId<Shown extends Key>(key: Shown) {
  return { keyId: key.id, ...key }
}
