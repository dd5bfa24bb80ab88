/** The table of audit log entries. One request may write many entries, which `changeset` groups. */
import { parseInstant } from '../../../src/core/instant.ts'
import type { AuditEntry, ListedEntry } from '../../../src/people/audit-log.ts'
import { webhookPath } from '../integrations/paths.ts'
import { itemPath } from '../parent-list.ts'
import { labelOf } from '../parts/fields/field-labels.ts'
import { formatQuantity } from '../parts/quantity.ts'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { describeAction, describeChangeset } from './words.ts'

const TIME = /^\d{4}-\d\d-\d\dT/

const SOURCES = {
  console: 'Console',
  cli: 'Command line',
  management: 'Management API',
  mcp: 'MCP',
  api: 'API',
  schedule: 'Schedule',
  database: 'Database',
}

type EntriesProps = {
  entries: ListedEntry[]
  withSite: boolean
  /** `changeset`: one row for all entries of a request. `subject`: also names the entry that a search found. */
  rows: 'entry' | 'changeset' | 'subject'
  changesetHref: (id: string) => string
}

export function Entries({ entries, withSite, rows, changesetHref }: EntriesProps) {
  return (
    <Table
      isDense={rows !== 'entry'}
      label="Entries"
      columns={['What', 'Who', ...(withSite ? ['Site'] : []), 'Source', 'When']}
      rows={entries.map((entry) => [
        rows === 'changeset' && entry.changeset.entries > 1 ? (
          <a href={changesetHref(entry.changeset.id)}>{describeChangeset(entry.changeset.actions)}</a>
        ) : (
          <>
            {describeAction(entry.action)}
            <Subject entry={entry} />
            <div>
              {entry.title && entry.title !== entry.subject && (
                <span class="below" dir="auto">
                  {entry.title}
                </span>
              )}
              <Changes entry={entry} isWhole={rows === 'entry'} />
              {rows === 'subject' && entry.changeset.entries > 1 && (
                <a class="below" href={changesetHref(entry.changeset.id)}>
                  Part of a change with {entry.changeset.entries.toLocaleString('en')} entries
                </a>
              )}
            </div>
          </>
        ),
        <Who entry={entry} />,
        ...(withSite ? [siteOf(entry)] : []),
        <>
          {SOURCES[entry.channel]}
          {entry.address && <span class="below">{entry.address}</span>}
        </>,
        rows === 'entry' ? (
          <Time at={entry.at} />
        ) : (
          <a href={changesetHref(entry.changeset.id)}>
            <Time at={entry.at} isRelative />
          </a>
        ),
      ])}
    />
  )
}

function Subject({ entry }: { entry: ListedEntry }) {
  const { subject } = entry
  if (!subject) return null
  const href = hrefOf(entry)
  const name = (
    <code class="slug" dir="auto">
      {subject}
    </code>
  )
  return href ? <a href={href}>{name}</a> : name
}

/** The page of the subject, if it still exists. */
function hrefOf({ noun, siteId, siteName, target }: ListedEntry): string | null {
  const site = siteId !== null && siteName !== null ? `/console/sites/${siteId}` : null
  if (site && ['site', 'sitemap'].includes(noun)) return `${site}/settings`
  if (target === null) return null
  if (['operator', 'token', 'link'].includes(noun)) return `/console/people/${target}`
  if (!site) return null
  if (noun === 'key') return `${site}/api#keys`
  if (noun === 'webhook') return site + webhookPath({ id: siteId! }, { id: target })
  return site + itemPath(noun === 'guide' ? 'guides' : 'posts', target)
}

function Who({ entry }: { entry: ListedEntry }) {
  const { actor, actorId, actorTarget, siteId } = entry
  if (!actor) {
    const who =
      actorTarget === 'key' ? <a href={`/console/sites/${siteId}/api#keys`}>{whoOf(entry)}</a> : whoOf(entry)
    return <span class="muted">{who}</span>
  }
  return (
    <span class="wraps" dir="auto">
      {actorTarget === 'operator' ? <a href={`/console/people/${actorId}`}>{actor}</a> : actor}
    </span>
  )
}

export function whoOf({ actor, channel }: Pick<AuditEntry, 'actor' | 'channel'>): string {
  if (actor) return actor
  if (channel === 'database') return 'SQL or the service itself'
  return channel === 'api' ? 'An API key' : 'Unknown'
}

function siteOf({ siteId, siteName }: AuditEntry) {
  if (siteId === null) return <span class="muted">None</span>
  if (siteName === null) return <span class="muted">Deleted</span>
  return (
    <a class="wraps" href={`/console/sites/${siteId}/audit-log`} dir="auto">
      {siteName}
    </a>
  )
}

/** The action says the same, or only a program reads them. The management API has them. */
const UNSHOWN = [
  ...['id', 'lastFour', 'makerId', 'operatorId', 'postId', 'resourceId', 'siteId', 'targetResource'],
  ...['deletionStartedAt', 'keyHash', 'revokedAt', 'secretRotatedAt', 'tokenHash', 'usedAt'],
]
/** Shown of a new resource where a row has one line; the page of the entry has the others. */
const SHOWN_AT_CREATION = ['role', 'access', 'events', 'expiresAt', 'publishAt', 'sentTo', 'target']

/** The changed fields in words. Skips a name that the subject already shows. */
function Changes({
  entry: { action, before, after, subject },
  isWhole,
}: {
  entry: AuditEntry
  isWhole: boolean
}) {
  const isCreation = action.endsWith('.created')
  const all = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const names = all.filter(
    (name) =>
      !UNSHOWN.includes(name) &&
      (before?.[name] !== undefined || after?.[name] !== subject) &&
      (!isCreation || isWhole || SHOWN_AT_CREATION.includes(name)),
  )
  return (
    <>
      {names.map((name) => (
        <span class="below" dir="auto">
          {name === 'fields' ? 'Changed' : labelOf(name)}:{' '}
          {!isCreation && name !== 'fields' && <>{shown(name, before?.[name])} → </>}
          {shown(name, after?.[name])}
        </span>
      ))}
    </>
  )
}

function shown(name: string, value: unknown) {
  if (name === 'fields' && Array.isArray(value))
    return value.map((field) => labelOf(String(field))).join(', ')
  if (value === undefined) return name === 'sites' ? 'all sites' : 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return value.toLocaleString('en')
  if (Array.isArray(value)) return name === 'sites' ? formatQuantity(value.length, 'site') : value.join(', ')
  if (typeof value !== 'string') return JSON.stringify(value)
  if (TIME.test(value) && parseInstant(value)) return <Time at={value} />
  return name === 'reviewStatus' ? value.replaceAll('_', ' ') : value
}
