/** Who did what: in the workspace, and in one site. */
import * as z from 'zod/mini'
import { parseInstant } from '../../src/foundation/instant.ts'
import { parsePosition } from '../../src/foundation/paging.ts'
import { UUID } from '../../src/foundation/uuid.ts'
import { type AuditEntry, listAuditEntries } from '../../src/people/audit-log.ts'
import { createApp } from '../http/create-app.ts'
import type { Http } from '../http/env.ts'
import { textParam, timeParam, wordsParam } from '../http/query.ts'
import { readCursor } from './cursor.ts'
import { type Errors, fieldsOf, submit, type Values } from './form.ts'
import { EmptyState } from './parts/empty-state.tsx'
import { SelectField, TextField } from './parts/field.tsx'
import { PageHeading } from './parts/heading.tsx'
import { InstantField, toInstantText } from './parts/instant-field.tsx'
import { Notice } from './parts/notice.tsx'
import { Pager } from './parts/pager.tsx'
import { Table } from './parts/table.tsx'
import { Time } from './parts/time.tsx'
import { sitePath } from './site.ts'

const ENTRIES_A_PAGE = 50
const PATH = '/audit-log'

export const workspaceAuditLog = createApp()
export const siteAuditLog = createApp()

workspaceAuditLog.get('/', (c) => auditPage(c, null))
siteAuditLog.get(PATH, (c) => auditPage(c, c.get('site').id))

const Filters = z.object({
  actor: wordsParam('Part of a name'),
  action: wordsParam('An action or a noun'),
  actorId: textParam(
    'An operator',
    z.refine((id) => UUID.test(id), 'must be a UUID'),
  ),
  since: timeParam('From then on'),
  until: timeParam('Before then'),
})

const NOUNS = {
  post: 'Posts',
  guide: 'Guides',
  redirect: 'Redirects',
  training: 'Training rows',
  event: 'Events',
  webhook: 'Webhooks',
  key: 'Keys',
  preview_link: 'Preview links',
  sitemap: 'Sitemaps',
  site: 'Sites',
  operator: 'People',
  token: 'Tokens of people',
  link: 'Sign-in links',
}
/** Those that belong to no site. */
const OF_WORKSPACE = ['operator', 'token', 'link']
const TIME = /^\d{4}-\d\d-\d\dT/

const VERBS: Record<string, string> = {
  'site.deletion_started': 'Began to delete the site',
  'operator.signed_in': 'Signed in to the console',
  'operator.signed_out': 'Signed out of the console',
  'operator.session_ended': 'Ended a session of a person',
  'link.created': 'Created a sign-in link',
  'link.used': 'Signed in with a link',
  'link.revoked': 'Revoked a sign-in link',
  'operator.sign_in_failed': 'Failed to sign in',
  'operator.refused': 'Was refused a write',
  'webhook.tested': 'Sent a test event',
  'webhook.secret_rotated': "Rotated the webhook's secret",
  'event.resent': 'Sent an event again',
  'post.scheduled': 'Scheduled a post',
  'post.schedule_cancelled': 'Cancelled the schedule of a post',
  'post.changes_requested': 'Requested changes of a post',
  'post.changes_resolved': 'Resolved the change request of a post',
  'post.rebuilt': 'Rebuilt the schema bundle of a post',
  'training.added': 'Added training rows',
  'training.deleted': 'Deleted training rows',
  'training.opted_in': 'Opted a training row in',
  'training.opted_out': 'Opted a training row out',
}

const DOORS = {
  console: 'Console',
  cli: 'Command line',
  management: 'Management API',
  mcp: 'MCP',
  api: 'API',
  schedule: 'Schedule',
  database: 'Database',
}

async function auditPage(c: Http, siteId: string | null) {
  const cursor = readCursor(c, parsePosition)
  const given = Object.entries(c.req.query()).filter(([name, text]) => name in Filters.shape && text !== '')
  const values: Values = Object.fromEntries(given)
  const input = Object.fromEntries(given.map(([name, text]) => [name, toInstantText(text)]))
  const { result, errors } = await submit(Filters, input, (filter) =>
    listAuditEntries(c.get('ctx'), { limit: ENTRIES_A_PAGE, cursor }, { siteId, ...filter }),
  )
  if (errors) c.status(400)
  const path = siteId ? sitePath(c, PATH) : `/console${PATH}`
  const pageOf = (next: string | null) => {
    const query = new URLSearchParams(next ? { ...values, cursor: next } : values)
    return query.size > 0 ? `${path}?${query}` : path
  }
  return c.render(
    <>
      <PageHeading
        title="Audit log"
        lead="Who did what, when and from where. Nothing can change it. It is kept for 400 days."
      />
      {errors?.[''] && <Notice tone="danger">{errors['']}.</Notice>}
      <FilterForm path={path} values={values} errors={errors ?? {}} isOfSite={siteId !== null} />
      {result && values.actorId && (
        <p>
          Only what <bdi>{result.items[0]?.actor ?? 'one person'}</bdi> did.
        </p>
      )}
      {result?.items.length === 0 && (
        <EmptyState title="Nothing found">
          <p>No write matches. Change the filter, or clear it.</p>
        </EmptyState>
      )}
      {result && result.items.length > 0 && <AuditTable entries={result.items} withSite={siteId === null} />}
      <Pager
        label="Pages of the audit log"
        previous={cursor === null ? null : { text: 'Newest', href: pageOf(null) }}
        next={result?.next ? { text: 'Older', href: pageOf(result.next) } : null}
      />
    </>,
    siteId ? { tab: 'Audit log' } : { workspace: 'Audit log' },
  )
}

type FilterFormProps = { path: string; values: Values; errors: Errors; isOfSite: boolean }

function FilterForm({ path, values, errors, isOfSite }: FilterFormProps) {
  const field = fieldsOf(values, errors)
  const { action } = values
  // One that a link has, such as `key.revoked`.
  const single = action && !(action in NOUNS) ? [{ value: action, text: describe({ action }) }] : []
  const nouns = Object.entries(NOUNS).filter(([noun]) => !isOfSite || !OF_WORKSPACE.includes(noun))
  return (
    <form method="get" action={path} class="filters">
      <TextField label="Who" type="search" placeholder="Part of a name" {...field('actor')} />
      {values.actorId && <input type="hidden" name="actorId" value={values.actorId} />}
      <SelectField
        label="What"
        {...field('action')}
        options={[{ value: '', text: 'All' }, ...nouns.map(([value, text]) => ({ value, text })), ...single]}
      />
      <InstantField label="From" {...field('since')} />
      <InstantField label="Before" {...field('until')} />
      <div class="actions">
        <button type="submit" class="button">
          Filter
        </button>
        {Object.keys(values).length > 0 && (
          <a class="button quiet" href={path}>
            Clear
          </a>
        )}
      </div>
    </form>
  )
}

function AuditTable({ entries, withSite }: { entries: AuditEntry[]; withSite: boolean }) {
  return (
    <Table
      label="Entries"
      columns={['What', 'Who', ...(withSite ? ['Site'] : []), 'Source', 'When']}
      rows={entries.map((entry) => [
        <>
          {describe(entry)}
          {entry.subject && (
            <code class="slug" dir="auto">
              {entry.subject}
            </code>
          )}
          <div>
            <Changes entry={entry} />
          </div>
        </>,
        <span class="wraps" dir="auto">
          {entry.actor ?? <span class="muted">{whoOf(entry)}</span>}
        </span>,
        ...(withSite ? [siteOf(entry)] : []),
        <>
          {DOORS[entry.door]}
          {entry.address && <span class="below">{entry.address}</span>}
        </>,
        <Time at={entry.at} />,
      ])}
    />
  )
}

/** `Revoked a key` for `key.revoked`. */
function describe({ action }: Pick<AuditEntry, 'action'>): string {
  const [noun = '', verb = ''] = action.split('.')
  const inWords = (name: string) => name.replaceAll('_', ' ')
  const said = VERBS[action] ?? `${inWords(verb)} ${noun === 'operator' ? 'person' : inWords(noun)}`
  return said.charAt(0).toUpperCase() + said.slice(1)
}

export function whoOf({ actor, door }: Pick<AuditEntry, 'actor' | 'door'>): string {
  if (actor) return actor
  if (door === 'database') return 'SQL, or the service itself'
  return door === 'api' ? 'An API key' : 'Unknown'
}

function siteOf({ siteId, siteName }: AuditEntry) {
  if (siteId === null) return <span class="muted">None</span>
  if (siteName === null) return <span class="muted">Deleted</span>
  return (
    <a class="wraps" href={`/console/sites/${siteId}${PATH}`} dir="auto">
      {siteName}
    </a>
  )
}

/** A name that is the subject's own is not repeated. */
function Changes({ entry: { before, after, subject } }: { entry: AuditEntry }) {
  const all = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const names = all.filter((name) => before?.[name] !== undefined || after?.[name] !== subject)
  return (
    <>
      {names.map((name) => (
        <span class="below" dir="auto">
          {name}: {before && name in before && <>{shown(before[name])} → </>}
          {after && name in after ? shown(after[name]) : 'none'}
        </span>
      ))}
    </>
  )
}

function shown(value: unknown) {
  if (typeof value !== 'string') return JSON.stringify(value)
  return TIME.test(value) && parseInstant(value) ? <Time at={value} /> : value
}
