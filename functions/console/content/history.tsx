/** The timeline of a post: changes, and their events with the outcome at each webhook. */

import type { InspectedPost } from '../../../src/content/posts/inspect.ts'
import { RETENTION_DAYS } from '../../../src/core/limits.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import type { ResourceEntry } from '../../../src/people/audit-log.ts'
import { webhookHost } from '../../../src/webhooks/endpoint.ts'
import {
  MAX_ATTEMPTS,
  type PostAttempt,
  type PostEvent,
  type PostReceiver,
} from '../../../src/webhooks/history.ts'
import { nameWebhooks } from '../../../src/webhooks/names.ts'
import type { Http } from '../../http/env.ts'
import { whoOf } from '../audit-log/sentence.ts'
import { describeOutcome, isDelivered } from '../integrations/outcome.ts'
import { refusalText } from '../integrations/refusals.ts'
import { formatDuration } from '../integrations/result.tsx'
import { itemPath } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { labelOf } from '../parts/fields/field-labels.ts'
import { PostButton } from '../parts/fields/form.tsx'
import { Section } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { formatCounted } from '../parts/quantity.ts'
import { SiteLink } from '../parts/site-link.tsx'
import { Timeline, type TimelineEntry } from '../parts/timeline.tsx'
import { useRequestContext } from '../request-context.ts'

/** Entries this close together are the same write. */
const SAME_MOMENT_MS = 1_000
const EVENTS_KEPT_MS = RETENTION_DAYS * DAY_MS

const deliveryPath = ({ id }: PostAttempt) => itemPath('deliveries', id)
const isOpen = ({ state }: PostReceiver) => state === 'pending' || state === 'sending'

/** The state of the `article.ready` event of a ready draft. */
export function ReadinessNotice({ post, readyAt, events, webhooks }: InspectedPost) {
  if (post.status !== 'draft' || readyAt === null) return null
  const event = events.find(({ event, createdAt }) => event === 'article.ready' && createdAt >= readyAt)
  if (!event) {
    if (Date.now() - readyAt.getTime() > EVENTS_KEPT_MS) return null
    return (
      <Notice tone="warning">
        Marked ready, but no webhook was set up at the time, so no event was sent.{' '}
        {webhooks.length === 0 && <SiteLink to="/integrations">Set up a webhook</SiteLink>}
      </Notice>
    )
  }
  const { receivers } = event
  const missing = receivers.filter(({ attempts }) => !attempts.some(isDelivered))
  const [arrived] = receivers.flatMap(({ attempts }) => attempts.filter(isDelivered))
  if (missing.length === 0) {
    return (
      <Notice tone="success">
        Ready. The article.ready event has arrived.{' '}
        {receivers.length === 1 && <SiteLink to={deliveryPath(arrived!)}>View delivery</SiteLink>}
      </Notice>
    )
  }
  if (missing.some(isOpen)) return <Notice tone="info">Ready. The article.ready event is being sent.</Notice>
  const [last] = missing[0]!.attempts
  const names = nameWebhooks(webhooks)
  return (
    <Notice tone="warning">
      Ready, but the article.ready event has not arrived
      {receivers.length > 1 && ` at ${missing.map((each) => nameOf(each, names)).join(', ')}`}
      {last && `: ${describeOutcome(last).name}`}.{' '}
      {last && <SiteLink to={deliveryPath(last)}>View delivery and next steps</SiteLink>}
    </Notice>
  )
}

/** A removed webhook is named by the host of its last delivery. */
const nameOf = ({ endpointId, attempts: [last] }: PostReceiver, names: Map<string, string>) =>
  names.get(endpointId) ?? webhookHost(last?.url ?? '')

export function HistorySection({ inspected }: { inspected: InspectedPost }) {
  const c = useRequestContext()
  const { events, isCut } = inspected
  return (
    <Section id="history" title="History" lead={isCut && 'Shows the latest events.'}>
      <ResendNotice c={c} events={events} />
      <Timeline entries={timelineOf(inspected)} />
    </Section>
  )
}

/** The outcome after a resend. */
function ResendNotice({ c, events }: { c: Http; events: PostEvent[] }) {
  const refusal = refusalText(c)
  if (refusal) return <Notice tone="warning">{refusal}</Notice>
  if (c.req.query('done') !== 'resent') return null
  const [last] = events
    .flatMap(({ receivers }) => receivers.flatMap(({ attempts }) => attempts))
    .filter(({ manual }) => manual)
    .sort((a, b) => +b.attemptedAt - +a.attemptedAt)
  if (!last) return null
  const { tone, happened } = describeOutcome(last)
  return <Notice tone={tone === 'neutral' ? 'info' : tone}>Resent. {happened}</Notice>
}

/** In causal order, since times may be equal. An event is part of the change that caused it. */
function timelineOf(inspected: InspectedPost): TimelineEntry[] {
  const changes = changesOf(inspected)
  const entries = [...changes]
  for (const event of inspected.events.toReversed()) {
    const distance = ({ at }: TimelineEntry) => Math.abs(+event.createdAt - +new Date(at))
    const [nearest] = changes.toSorted((a, b) => distance(a) - distance(b))
    const isCause = nearest !== undefined && distance(nearest) < SAME_MOMENT_MS
    const entry: TimelineEntry = isCause ? nearest : { at: event.createdAt, what: 'Event' }
    if (!isCause) entries.push(entry)
    entry.below = (
      <>
        {entry.below}
        <Receivers event={event} inspected={inspected} />
      </>
    )
    if (event.receivers.some(({ state }) => state === 'failed')) entry.tone = 'danger'
    else if (event.receivers.every(({ state }) => state === 'delivered')) entry.tone ??= 'success'
  }
  return entries
}

/** The outcome at each webhook. Its delivery has all attempts. */
function Receivers({ event, inspected }: { event: PostEvent; inspected: InspectedPost }) {
  const { post, webhooks, entries } = inspected
  const names = nameWebhooks(webhooks)
  return (
    <>
      <span class="below">{event.event}</span>
      <ul class="receivers" aria-label={event.event}>
        {event.receivers.map((receiver) => {
          const { id, endpointId, attempts } = receiver
          const [last] = attempts
          const name = nameOf(receiver, names)
          const { tone, name: outcome } = describeOutcome(isOpen(receiver) || !last ? OPEN : last)
          const resend = entries.find((entry) => entry.action === 'event.resent' && entry.resourceId === id)
          return (
            <li>
              <div dir="auto">
                {last ? <SiteLink to={deliveryPath(last)}>{name}</SiteLink> : name}
                {last && <span class="below">{describeAttempts(attempts, resend)}</span>}
              </div>
              <Badge tone={tone} text={outcome} />
              {last && names.has(endpointId) && !isOpen(receiver) && (
                <PostButton
                  needs="editor"
                  class="button small"
                  action={`${deliveryPath(last)}/resends`}
                  name="post"
                  value={post.slug}
                  data-busy="Sending…"
                >
                  Resend
                </PostButton>
              )}
            </li>
          )
        })}
      </ul>
    </>
  )
}

const OPEN = { status: null, error: null }

/** Changes from the audit log, and older ones from the post itself. */
function changesOf({ post, createdAt, readyAt, entries }: InspectedPost): TimelineEntry[] {
  const logged = entries.filter(({ action }) => action.startsWith('post.'))
  const changes: TimelineEntry[] = logged
    .toReversed()
    .map((entry) => ({ at: entry.at, what: describeAction(entry), by: whoOf(entry) }))
  const add = (at: Date | string, what: string, ...actions: string[]) => {
    const isLogged = logged.some(
      (entry) => actions.includes(entry.action) && Math.abs(+entry.at - +new Date(at)) < SAME_MOMENT_MS,
    )
    if (!isLogged) changes.push({ at, what })
  }
  const isLoggedWhole = logged.some(({ action }) => action === 'post.created')
  if (!isLoggedWhole) changes.push({ at: createdAt, what: 'Created' })
  // A draft may have a date without having been published.
  const wasPublished = logged.some(({ before, after }) =>
    [before?.status, after?.status].includes('published'),
  )
  if (post.publishedAt && (wasPublished || !isLoggedWhole)) {
    const what = post.status === 'published' ? 'Published' : 'First published'
    add(post.publishedAt, what, 'post.published', 'post.created', 'post.updated')
  }
  if (readyAt) add(readyAt, 'Marked ready', 'post.marked_ready')
  const updatedAt = new Date(post.updatedAt ?? createdAt)
  if (changes.every(({ at }) => Math.abs(+new Date(at) - +updatedAt) > SAME_MOMENT_MS))
    changes.push({ at: updatedAt, what: 'Last updated' })
  return changes
}

/** `Marked ready` for `post.marked_ready`, plus the edited fields. */
function describeAction({ action, after }: Pick<ResourceEntry, 'action' | 'after'>): string {
  const words = action.replace(/^post\./, '').replaceAll('_', ' ')
  const fields = typeof after?.fields === 'string' ? after.fields.split(', ').map(fieldInWords) : []
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${fields.length > 0 ? `: ${fields.join(', ')}` : ''}`
}

const fieldInWords = (name: string) => (name === 'seo' ? 'SEO' : labelOf(name).toLowerCase())

/** `40 ms, 2 attempts, resent by Ada`. `resend` is the audit log entry of the last manual resend. */
function describeAttempts([last, ...earlier]: PostAttempt[], resend: ResourceEntry | undefined): string {
  const how = last!.resendId === null ? resend && ` by ${whoOf(resend)}` : ' with all failed events'
  return [
    last!.durationMs !== null && formatDuration(last!),
    earlier.length > 0 && formatCounted(earlier.length + 1, MAX_ATTEMPTS, 'attempt'),
    last!.manual && `resent${how ?? ''}`,
  ]
    .filter(Boolean)
    .join(', ')
}
