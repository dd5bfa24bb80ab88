import { Option } from 'commander'
import { listAll } from '../client.ts'
import { limitFlag, type Verb } from '../command.ts'
import { list } from '../output.ts'
import type { Schemas } from '../routes.ts'

type Entry = Schemas['AuditEntry']

const DEFAULT_ENTRIES = 100

export const AUDIT_LOG: Verb = {
  usage: 'audit-log [site]',
  description: 'list who did what, newest first: in a site, or in the workspace',
  flags: [
    new Option('--actor <name>', "part of the operator's name"),
    new Option('--action <action>', 'such as key.revoked, or key for all of keys'),
    new Option('--since <time>', 'RFC 3339 date-time'),
    new Option('--until <time>', 'RFC 3339 date-time'),
    limitFlag(),
  ],
  async work(_io, api, args, { limit = DEFAULT_ENTRIES, ...filter }) {
    const inSite = args.length > 0
    const columns = {
      at: (entry: Entry) => entry.at,
      who: (entry: Entry) => entry.actor ?? entry.door,
      what: (entry: Entry) => entry.action,
      subject: (entry: Entry) => entry.subject,
      changed: changes,
      ...(!inSite && { site: (entry: Entry) => entry.siteName }),
      door: (entry: Entry) => entry.door,
      address: (entry: Entry) => entry.address,
    }
    const route = inSite ? 'GET /sites/{siteId}/audit-log' : 'GET /audit-log'
    return list(await listAll(api, route, args, { ...filter, limit }), columns, 'No entries')
  },
}

function changes({ before, after }: Entry): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const text = (value: unknown) => (value === undefined ? 'none' : String(value))
  return names
    .map(
      (name) => `${name}=${before && name in before ? `${text(before[name])}→` : ''}${text(after?.[name])}`,
    )
    .join(' ')
}
