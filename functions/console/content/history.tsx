/** The timeline of a post or guide: changes, and a post's events with the outcome at each webhook. */
import type { Child } from 'hono/jsx'
import type { InspectedGuide } from '../../../src/content/guides/inspect.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import type { InspectedPost } from '../../../src/content/posts/inspect.ts'
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
import { OUTCOMES } from '../../../src/webhooks/outcome.ts'
import type { Http } from '../../http/env.ts'
import { whoOf } from '../audit-log/sentence.ts'
import { describeOutcome, isDelivered } from '../integrations/outcome.ts'
import { refusalText } from '../integrations/refusals.ts'
import { itemPath } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { Notice, Section } from '../parts/page.tsx'
import { formatCounted } from '../parts/quantity.ts'
import { SiteLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { Timeline, type TimelineEntry } from '../parts/timeline.tsx'
import { useRequestContext } from '../site.ts'
import { KINDS } from './article.tsx'
import { describeEdit, revisionPath } from './revision.tsx'

/** Entries this close together are the same write. */
const SAME_MOMENT_MS = 1_000
/** Shown before the rest is unfolded. */
const FIRST_ENTRIES = 10

const deliveryPath = ({ id }: PostAttempt) => itemPath('deliveries', id)
const isOpen = ({ state }: PostReceiver) => state === 'pending' || state === 'sending'

/** The state of the `article.ready` event of a ready draft. */
export function ReadinessNotice({ post, readyAt, events, webhooks }: InspectedPost) {
  const { config } = useRequestContext().get('ctx')
  if (post.status !== 'draft' || readyAt === null) return null
  const event = events.find(({ event, createdAt }) => event === 'article.ready' && createdAt >= readyAt)
  if (!event) {
    if (Date.now() - readyAt.getTime() > config.RETENTION_DELIVERY_DAYS * DAY_MS) return null
    return (
      <Notice tone="warning">
        Marked ready, but no webhook was set up at the time, so no event was sent. To send one, edit the draft
        and mark it ready again.{' '}
        {webhooks.length === 0 && <SiteLink to="/integrations">Add webhook</SiteLink>}
      </Notice>
    )
  }
  const { receivers } = event
  const missing = receivers.filter(({ attempts }) => !attempts.some(isDelivered))
  const [arrived] = receivers.flatMap(({ attempts }) => attempts.filter(isDelivered))
  if (missing.length === 0) {
    return (
      <Notice tone="success">
        Ready. The article.ready event was delivered.{' '}
        {receivers.length === 1 && <SiteLink to={deliveryPath(arrived!)}>View delivery</SiteLink>}
      </Notice>
    )
  }
  if (missing.some(isOpen)) return <Notice tone="info">Ready. The article.ready event is being sent.</Notice>
  const [last] = missing[0]!.attempts
  const names = nameWebhooks(webhooks)
  return (
    <Notice tone="warning">
      Ready, but the article.ready event failed
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
      <Timeline entries={timelineOf(inspected)} first={FIRST_ENTRIES} />
    </Section>
  )
}

export function GuideHistorySection({ guide, ...inspected }: InspectedGuide) {
  return (
    <Section id="history" title="History">
      <Timeline entries={changesOf('guides', guide, inspected)} first={FIRST_ENTRIES} />
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
  const { tone, name, happened } = describeOutcome(last)
  return (
    <Notice tone={tone === 'neutral' ? 'info' : tone}>
      Resent. {tone === 'danger' && `${name}. `}
      {happened}
    </Notice>
  )
}

/** In causal order, since times may be equal. An event is part of the change that caused it. */
function timelineOf(inspected: InspectedPost): TimelineEntry[] {
  const changes = changesOf('posts', inspected.post, inspected)
  const entries = [...changes]
  for (const event of inspected.events.toReversed()) {
    const distance = ({ at }: TimelineEntry) => Math.abs(+event.createdAt - +new Date(at))
    const [nearest] = changes.toSorted((a, b) => distance(a) - distance(b))
    const isCause = nearest !== undefined && distance(nearest) < SAME_MOMENT_MS
    const entry: TimelineEntry = isCause ? nearest : { at: event.createdAt, what: null }
    if (!isCause) entries.push(entry)
    entry.below = (
      <>
        {entry.below}
        <Receivers {...{ event, inspected }} time={!isCause && <Time at={event.createdAt} isRelative />} />
      </>
    )
    if (event.receivers.some(({ state }) => state === 'failed')) entry.tone = 'danger'
    else if (event.receivers.every(({ state }) => state === 'delivered')) entry.tone ??= 'success'
  }
  return entries
}

type ReceiversProps = { event: PostEvent; inspected: InspectedPost; time?: Child }

/** One line, with its time if no change is above it. An event of several webhooks folds them. */
function Receivers({ event, inspected, time }: ReceiversProps) {
  const { receivers } = event
  if (receivers.length === 1) return <ReceiverList {...{ event, inspected, time }} />
  const missing = receivers.filter(({ state }) => state === 'failed').length
  const [tone, text] =
    missing > 0
      ? (['danger', `${missing} of ${receivers.length} failed`] as const)
      : receivers.some(isOpen)
        ? (['neutral', OUTCOMES.under_way] as const)
        : (['success', OUTCOMES.delivered] as const)
  return (
    <details class="event">
      <summary>
        {event.event} <Badge tone={tone} text={text} /> {time}
      </summary>
      <ReceiverList {...{ event, inspected }} />
    </details>
  )
}

/** The outcome at each webhook. Its delivery has all attempts. */
function ReceiverList({ event, inspected, time }: ReceiversProps) {
  const { post, webhooks, entries } = inspected
  const { receivers } = event
  const names = nameWebhooks(webhooks)
  return (
    <ul class="receivers" aria-label={event.event}>
      {receivers.map((receiver) => {
        const { id, endpointId, attempts } = receiver
        const [last] = attempts
        const name = nameOf(receiver, names)
        const { tone, name: outcome } = describeOutcome(isOpen(receiver) || !last ? OPEN : last)
        const resend = entries.find((entry) => entry.action === 'event.resent' && entry.resourceId === id)
        return (
          <li class="row">
            <div dir="auto">
              {receivers.length === 1 && `${event.event} `}
              {last ? <SiteLink to={deliveryPath(last)}>{name}</SiteLink> : name}
              {last && <span class="muted"> {describeAttempts(attempts, resend)}</span>}
            </div>
            <Badge tone={tone} text={outcome} />
            {time}
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
  )
}

const OPEN = { status: null, error: null }

type Logged = Pick<InspectedPost, 'createdAt' | 'entries' | 'revisions'> & { readyAt?: Date | null }

/** Changes from the audit log, and older ones from the article itself. */
function changesOf(
  kind: ArticleKind,
  { slug, status, publishedAt }: InspectedPost['post'] | InspectedGuide['guide'],
  { createdAt, readyAt = null, entries, revisions }: Logged,
): TimelineEntry[] {
  const { noun } = KINDS[kind]
  const kept = new Set(revisions.map(Number))
  const logged = entries.filter(({ action }) => action.startsWith(`${noun}.`))
  const changes: TimelineEntry[] = logged.toReversed().map((entry) => {
    const what = describeAction(noun, entry)
    const hasChanges = entry.after?.fields !== undefined && kept.has(+entry.at)
    return {
      at: entry.at,
      what: hasChanges ? <SiteLink to={revisionPath(kind, slug, entry.at)}>{what}</SiteLink> : what,
      by: whoOf(entry),
    }
  })
  const add = (at: Date | string, what: string, ...actions: string[]) => {
    const isLogged = logged.some(
      (entry) =>
        actions.includes(entry.action.slice(noun.length + 1)) &&
        Math.abs(+entry.at - +new Date(at)) < SAME_MOMENT_MS,
    )
    if (!isLogged) changes.push({ at, what })
  }
  const isLoggedWhole = logged.some(({ action }) => action === `${noun}.created`)
  if (!isLoggedWhole) changes.push({ at: createdAt, what: 'Created' })
  // A draft may have a date without having been published.
  const wasPublished = logged.some(({ before, after }) =>
    [before?.status, after?.status].includes('published'),
  )
  if (publishedAt && (wasPublished || !isLoggedWhole))
    add(
      publishedAt,
      status === 'published' ? 'Published' : 'First published',
      'published',
      'created',
      'updated',
    )
  if (readyAt) add(readyAt, 'Marked ready', 'marked_ready')
  return changes
}

/** `Marked ready` for `post.marked_ready`, and the fields of an edit. */
function describeAction(noun: string, { action, after }: Pick<ResourceEntry, 'action' | 'after'>): string {
  const name = action.slice(noun.length + 1)
  if (name === 'updated' && typeof after?.fields === 'string') return describeEdit(after.fields)
  const words = name === 'renamed' ? 'slug changed' : name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `2 attempts, resent by Ada`. `resend` is the audit log entry of the last manual resend. */
function describeAttempts([last, ...earlier]: PostAttempt[], resend: ResourceEntry | undefined): string {
  const how = last!.resendId === null ? resend && ` by ${whoOf(resend)}` : ' with all failed events'
  return [
    earlier.length > 0 && formatCounted(earlier.length + 1, MAX_ATTEMPTS, 'attempt'),
    last!.manual && `resent${how ?? ''}`,
  ]
    .filter(Boolean)
    .join(', ')
}
