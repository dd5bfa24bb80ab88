/** The table of audit log entries. One request may write many entries, which `changeset` groups. */
import type { Child } from 'hono/jsx'
import type { ListedEntry } from '../../../src/people/audit-log.ts'
import type { Values } from '../forms/form.ts'
import { webhookPath } from '../integrations/paths.ts'
import { addQuery, itemPath } from '../parent-list.ts'
import { Avatar } from '../parts/avatar.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { labelOf } from '../parts/fields/field-labels.ts'
import { oneLine } from '../parts/one-line.ts'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { changesetOf, foldChangesets, foldOf, kindsOf } from './changesets.ts'
import { changedIn, hasValues, type Part, sentenceOf, valueText, withoutActor } from './sentence.ts'
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

const MINUTE_MS = 60_000

type EntriesProps = {
  entries: ListedEntry[]
  withSite: boolean
  withActor?: boolean
  withSource?: boolean
  /** `changeset`: one row for all entries of a request. `fold`: also for those that repeat it. `subject`: names the entry that a search found. */
  rows: 'changeset' | 'fold' | 'subject'
  /** The log with these filters. */
  hrefOf: (filters: Values) => string
}

export function Entries({
  entries,
  withSite,
  withActor = true,
  withSource = true,
  rows,
  hrefOf,
}: EntriesProps) {
  const folds = rows === 'fold' ? foldChangesets(entries) : entries.map((entry) => [entry])
  return (
    <Table
      isDense
      label="Entries"
      columns={['Change', withSite && 'Site', withSource && 'Source', 'When']}
      rows={folds.map((fold) => {
        const entry = fold[0]!
        const { changeset, actor, channel, at } = entry
        const isGroup = rows !== 'subject' && changeset.entries > 1
        const parts = fold.length > 1 ? foldOf(fold) : isGroup ? changesetOf(entry) : sentenceOf(entry)
        const href = fold.length > 1 ? foldHref(fold, hrefOf) : hrefOf({ changesetId: changeset.id })
        return [
          <>
            {withActor && <Avatar name={actor ?? ''} />}
            <Sentence entry={entry} parts={withActor ? parts : withoutActor(parts)} />
            {rows === 'subject' && changeset.entries > 1 && (
              <span class="below"> in a change with {changeset.entries.toLocaleString('en')} entries</span>
            )}
          </>,
          <SiteName entry={entry} />,
          <span class="muted">{SOURCES[channel]}</span>,
          <a class="row-link" href={href} title={textOf(parts)}>
            <Time at={at} isRelative />
          </a>,
        ]
      })}
    />
  )
}

/** Finds exactly the changesets of a fold: what one person did between its oldest and its newest is in it. */
function foldHref(fold: ListedEntry[], hrefOf: EntriesProps['hrefOf']): string {
  const { actorId, actor, at, siteId, siteName } = fold[0]!
  const filters = {
    ...(actorId ? { actorId } : actor && { actor }),
    action: kindsOf(fold)[0]![0],
    since: fold.at(-1)!.at,
    until: new Date(Date.parse(at) + 1).toISOString(),
  }
  return siteId && siteName !== null
    ? addQuery(`/console/sites/${siteId}/audit-log`, filters)
    : hrefOf(filters)
}

/** The filters of a fold, whose changesets are shown one by one. */
export const isOfFold = ({ since, until }: Values) =>
  Boolean(since && until) && Date.parse(until!) - Date.parse(since!) <= MINUTE_MS

type ChangesetProps = {
  entries: ListedEntry[]
  withSite: boolean
  hrefOf: EntriesProps['hrefOf']
  /** The page shows the old and the new texts, too. */
  hasDifferences: boolean
}

/** The page of a changeset, below its sentence as the heading. */
export function Changeset({ entries, withSite, hasDifferences, hrefOf }: ChangesetProps) {
  const [entry, ...others] = entries
  if (!entry) return null
  const { changeset, at, channel, address, siteId, actorId, actor, resourceId } = entry
  const isGroup = changeset.entries > 1
  const parts = isGroup ? changesetOf(entry) : sentenceOf(entry)
  const values = hasDifferences ? [] : valuesOf(entry)
  const { noun } = entry.names
  const thing = noun === 'post' || noun === 'guide' ? noun : 'record'
  return (
    <>
      <div class="heading">
        <div>
          <h1 class="plain">
            <Sentence entry={entry} parts={parts} />
          </h1>
          <p class="lead">
            <Time at={at} /> · {SOURCES[channel]}
            {address && ` from ${address}`}
            {withSite && siteId !== null && others.every((each) => each.siteId === siteId) && (
              <>
                {' · '}
                <SiteName entry={entry} />
              </>
            )}
          </p>
        </div>
      </div>
      {isGroup ? (
        <Table
          label="Entries of this change"
          columns={['']}
          rows={entries.map((each) => [
            <>
              <Sentence entry={each} parts={withoutActor(sentenceOf(each))} />
              <ValueFacts values={valuesOf(each)} />
              <ChangesLink entry={each} />
            </>,
          ])}
        />
      ) : (
        <ValueFacts boxed values={values} />
      )}
      {!isGroup && !hasDifferences && entry.after?.fields && (
        <p class="muted">The texts before this edit are no longer kept.</p>
      )}
      <p class="row">
        {!isGroup && resourceId && <a href={hrefOf({ subject: resourceId })}>All changes to this {thing}</a>}
        {actorId && <a href={hrefOf({ actorId })}>All changes by {actor}</a>}
      </p>
    </>
  )
}

function ValueFacts({ boxed, values }: { boxed?: boolean; values: Shown[] }) {
  if (values.length === 0) return null
  return (
    <Facts boxed={boxed}>
      {values.map(({ label, value }) => (
        <Fact label={label}>{value}</Fact>
      ))}
    </Facts>
  )
}

const textOf = (parts: Part[]) => oneLine(parts.map(({ text }) => text).join(''))

function Sentence({ entry, parts }: { entry: ListedEntry; parts: Part[] }) {
  return (
    <span class="plain sentence" title={textOf(parts)}>
      {parts.map(({ text, of }) => {
        if (of === undefined) return text
        if (of === 'time') return <Time at={text} />
        const href = of === 'actor' ? actorHref(entry) : subjectHref(entry)
        const name = <bdi class={of === 'actor' ? 'actor' : undefined}>{oneLine(text)}</bdi>
        return href ? <a href={href}>{name}</a> : name
      })}
    </span>
  )
}

/** The page of the subject, if it still exists. */
function subjectHref({ names: { noun, target }, siteId, siteName }: ListedEntry): string | null {
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

function actorHref({ names: { actorTarget }, actorId, siteId }: ListedEntry): string | null {
  if (actorTarget === 'operator') return `/console/people/${actorId}`
  return actorTarget === 'key' ? `/console/sites/${siteId}/api#keys` : null
}

function SiteName({ entry: { siteId, siteName, names } }: { entry: ListedEntry }) {
  if (siteId === null) return null
  if (siteName === null) return <span class="muted">{names.site ?? 'Deleted'}</span>
  return (
    <a href={`/console/sites/${siteId}/audit-log`} dir="auto">
      {siteName}
    </a>
  )
}

type Shown = { label: string; value: Child }

/** The values that the sentence does not have. */
function valuesOf(entry: ListedEntry): Shown[] {
  const { action, before, after, names } = entry
  if (hasValues(entry)) return []
  const show = (name: string, given: unknown) => {
    const { text, of } = valueText(name, given, names)
    return of === 'time' ? <Time at={text} /> : text
  }
  const isDeletion = action.endsWith('.deleted')
  return changedIn(entry)
    .filter((name) => name !== 'fields')
    .map((name) => ({
      label: labelOf(name),
      value: (
        <>
          {before?.[name] !== undefined && show(name, before[name])}
          {before?.[name] !== undefined && !isDeletion && ' → '}
          {!isDeletion && show(name, after?.[name])}
        </>
      ),
    }))
}

function ChangesLink({ entry }: { entry: ListedEntry }) {
  const article = subjectHref(entry)
  if (!entry.after?.fields || !article || !entry.hasRevision) return null
  return (
    <a class="below" href={`${article}/history/${Date.parse(entry.at)}`}>
      View changes
    </a>
  )
}
