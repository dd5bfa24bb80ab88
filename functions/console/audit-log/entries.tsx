/** The table of audit log entries. One request may write many entries, which `changeset` groups. */
import type { ListedEntry } from '../../../src/people/audit-log.ts'
import { webhookPath } from '../integrations/paths.ts'
import { itemPath } from '../parent-list.ts'
import { Avatar } from '../parts/avatar.tsx'
import { labelOf } from '../parts/fields/field-labels.ts'
import { oneLine } from '../parts/one-line.ts'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { changedIn, changesetOf, type Part, sentenceOf, valueText } from './sentence.ts'
import { OF_WORKSPACE } from './words.ts'

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
  withSource?: boolean
}

export function Entries({ entries, withSite, rows, changesetHref, withSource = true }: EntriesProps) {
  return (
    <Table
      isDense={rows !== 'entry'}
      label="Entries"
      columns={['What', ...(withSite ? ['Site'] : []), ...(withSource ? ['Source'] : []), 'When']}
      rows={entries.map((entry) => [
        <>
          <Avatar name={entry.actor ?? ''} />
          <Sentence
            entry={entry}
            parts={
              rows === 'changeset' && entry.changeset.entries > 1 ? changesetOf(entry) : sentenceOf(entry)
            }
            changeset={changesetHref(entry.changeset.id)}
          />
          {rows === 'entry' && <Values entry={entry} />}
          {rows === 'subject' && entry.changeset.entries > 1 && (
            <a class="below" href={changesetHref(entry.changeset.id)}>
              Part of a change with {entry.changeset.entries.toLocaleString('en')} entries
            </a>
          )}
        </>,
        ...(withSite ? [siteOf(entry)] : []),
        ...(withSource ? [<Source entry={entry} />] : []),
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

function Sentence({ entry, parts, changeset }: { entry: ListedEntry; parts: Part[]; changeset: string }) {
  return (
    <span class="plain sentence" title={oneLine(parts.map(({ text }) => text).join(''))}>
      {parts.map(({ text, of }) => {
        if (of === undefined) return text
        if (of === 'time') return <Time at={text} />
        const href = of === 'changeset' ? changeset : of === 'actor' ? actorHref(entry) : hrefOf(entry)
        return href ? (
          <a href={href}>
            <bdi>{oneLine(text)}</bdi>
          </a>
        ) : (
          <bdi>{oneLine(text)}</bdi>
        )
      })}
    </span>
  )
}

/** The page of the subject, if it still exists. */
function hrefOf({ names: { noun, target }, siteId, siteName }: ListedEntry): string | null {
  const site = siteId !== null && siteName !== null ? `/console/sites/${siteId}` : null
  if (site && noun === 'site') return `${site}/settings`
  if (site && noun === 'sitemap') return `${site}/settings/sitemap`
  if (noun === 'alerts') return '/console/alerts'
  if (target === null) return null
  if (OF_WORKSPACE.includes(noun)) return `/console/people/${target}`
  if (!site) return null
  if (noun === 'key') return `${site}/api#keys`
  if (noun === 'webhook') return site + webhookPath(target)
  return site + itemPath(noun === 'guide' ? 'guides' : 'posts', target)
}

function Source({ entry: { channel, address } }: { entry: ListedEntry }) {
  return (
    <>
      {SOURCES[channel]}
      {address && <span class="below">{address}</span>}
    </>
  )
}

function actorHref({ names: { actorTarget }, actorId, siteId }: ListedEntry): string | null {
  if (actorTarget === 'operator') return `/console/people/${actorId}`
  return actorTarget === 'key' ? `/console/sites/${siteId}/api#keys` : null
}

function siteOf({ siteId, siteName, names }: ListedEntry) {
  if (siteId === null) return null
  if (siteName === null) return <span class="muted">{names.site ?? 'Deleted'}</span>
  return (
    <a class="wraps" href={`/console/sites/${siteId}/audit-log`} dir="auto">
      {siteName}
    </a>
  )
}

/** The fields of an entry. */
function Values({ entry }: { entry: ListedEntry }) {
  const { action, before, after, names } = entry
  const article = hrefOf(entry)
  const value = (name: string, given: unknown) => {
    const { text, of } = valueText(name, given, names)
    return of === 'time' ? <Time at={text} /> : text
  }
  return (
    <>
      {changedIn({ before, after }).map((name) => (
        <span class="below" dir="auto">
          {name === 'fields' ? 'Changed' : labelOf(name)}:{' '}
          {before?.[name] !== undefined && <>{value(name, before[name])}</>}
          {before?.[name] !== undefined && !action.endsWith('.deleted') && ' → '}
          {!action.endsWith('.deleted') && value(name, after?.[name])}{' '}
          {name === 'fields' && article && entry.hasRevision && (
            <a href={`${article}/history/${Date.parse(entry.at)}`}>View changes</a>
          )}
        </span>
      ))}
    </>
  )
}
