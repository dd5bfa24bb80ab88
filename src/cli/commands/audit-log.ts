import { Option } from 'commander'
import type { Schemas } from '../../transfer/routes.ts'
import { listAll } from '../client.ts'
import { limitFlag, type Verb } from '../command.ts'
import { list } from '../output.ts'

type Entry = Schemas['AuditEntry']

const DEFAULT_ENTRIES = 100

export const AUDIT_LOG: Verb = {
  usage: 'audit-log [site]',
  description: 'list changes and who made them, newest first: of a site, or of the workspace',
  flags: [
    new Option('--subject <id or words>', 'only with this id, slug, title or name, current or former'),
    new Option('--actor <name>', 'only by operators whose name contains this'),
    new Option('--action <action>', 'for example key.revoked, or key for all actions on keys'),
    new Option('--actor-id <id>', 'only by this operator or API key, whatever its name was'),
    new Option('--changeset-id <id>', 'all entries of one command or request'),
    new Option('--per <what>', 'one line for each').choices(['changeset', 'entry']),
    new Option('--since <time>', 'RFC 3339 date-time'),
    new Option('--until <time>', 'RFC 3339 date-time'),
    limitFlag(),
  ],
  async work(_io, api, args, { limit = DEFAULT_ENTRIES, per, ...filter }) {
    const rows = per ?? (filter.changesetId ? 'entry' : 'changeset')
    const inSite = args.length > 0
    const columns = {
      at: (entry: Entry) => entry.at,
      who: (entry: Entry) => entry.actor ?? entry.channel,
      what: (entry: Entry) => (isGroup(entry) ? actions(entry) : entry.action),
      subject: (entry: Entry) => (isGroup(entry) ? '' : entry.subject),
      changed: (entry: Entry) => (isGroup(entry) ? `--changeset-id ${entry.changeset.id}` : changes(entry)),
      ...(!inSite && { site: (entry: Entry) => entry.siteName }),
      channel: (entry: Entry) => entry.channel,
      address: (entry: Entry) => entry.address,
    }
    const isGroup = (entry: Entry) => rows === 'changeset' && entry.changeset.entries > 1
    const route = inSite ? 'GET /sites/{siteId}/audit-log' : 'GET /audit-log'
    return list(await listAll(api, route, args, { ...filter, per: rows, limit }), columns, 'No entries')
  },
}

function actions({ changeset }: Entry): string {
  return Object.entries(changeset.actions)
    .map(([action, count]) => `${action} ${count}`)
    .join(', ')
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
