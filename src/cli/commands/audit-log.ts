import { type Command, Option } from 'commander'
import { listAll, path } from '../client.ts'
import { limitFlag, verb } from '../command.ts'
import type { Io } from '../io.ts'
import { list } from '../output.ts'

type Entry = {
  at: string
  siteName: string | null
  action: string
  subject: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  actor: string | null
  door: string
  address: string | null
}

type Flags = { actor?: string; action?: string; since?: string; until?: string; limit?: number }

const DEFAULT_ENTRIES = 100

/** Adds `audit-log [site]`. */
export function addAuditLog(program: Command, io: Io): void {
  verb<Flags>(
    io,
    program,
    'audit-log [site]',
    'list who did what, newest first: in a site, or in the workspace',
    async (api, [site], { limit = DEFAULT_ENTRIES, ...filter }) => {
      const below = site === undefined ? '/audit-log' : path`/sites/${site}/audit-log`
      const columns = {
        at: (entry: Entry) => entry.at,
        who: (entry: Entry) => entry.actor ?? entry.door,
        what: (entry: Entry) => entry.action,
        subject: (entry: Entry) => entry.subject,
        changed: changes,
        ...(site === undefined && { site: (entry: Entry) => entry.siteName }),
        door: (entry: Entry) => entry.door,
        address: (entry: Entry) => entry.address,
      }
      const { json, url, token, ...query } = filter as Flags & Record<string, string>
      return list(
        await listAll<Entry>(api, below, limit, query as Record<string, string>),
        columns,
        'No entries',
      )
    },
    [
      new Option('--actor <name>', "part of the operator's name"),
      new Option('--action <action>', 'such as key.revoked, or key for all of keys'),
      new Option('--since <time>', 'RFC 3339 date-time'),
      new Option('--until <time>', 'RFC 3339 date-time'),
      limitFlag(),
    ],
  )
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
