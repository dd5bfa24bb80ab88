/** The timeline of a post: changes, events and delivery attempts. */

import type { InspectedPost } from '../../../src/content/posts/inspect.ts'
import { RETENTION_DAYS } from '../../../src/core/limits.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import type { ResourceEntry } from '../../../src/people/audit-log.ts'
import type { PostAttempt, PostEvent } from '../../../src/webhooks/history.ts'
import type { Http } from '../../http/env.ts'
import { whoOf } from '../audit-log/sentence.ts'
import { describeOutcome, isDelivered } from '../integrations/outcome.ts'
import { refusalText } from '../integrations/refusals.ts'
import { formatDuration } from '../integrations/result.tsx'
import { itemPath } from '../parent-list.ts'
import { labelOf } from '../parts/fields/field-labels.ts'
import { PostButton } from '../parts/fields/form.tsx'
import { Section } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { Timeline, type TimelineEntry } from '../parts/timeline.tsx'
import { useRequestContext } from '../request-context.ts'

/** Entries this close together are the same write. */
const SAME_MOMENT_MS = 1_000
const EVENTS_KEPT_MS = RETENTION_DAYS * DAY_MS

const deliveryPath = ({ id }: PostAttempt) => itemPath('deliveries', id)
const isOpen = ({ state }: PostEvent) => state === 'pending' || state === 'sending'

/** The state of the `article.ready` event of a ready draft. */
export function ReadinessNotice({ post, readyAt, events, hasWebhook }: InspectedPost) {
  if (post.status !== 'draft' || readyAt === null) return null
  const event = events.find(({ event, createdAt }) => event === 'article.ready' && createdAt >= readyAt)
  if (!event) {
    if (Date.now() - readyAt.getTime() > EVENTS_KEPT_MS) return null
    return (
      <Notice tone="warning">
        Marked ready, but no webhook was set up at the time, so no event was sent.{' '}
        {!hasWebhook && <SiteLink to="/integrations">Set up a webhook</SiteLink>}
      </Notice>
    )
  }
  const arrived = event.attempts.find(isDelivered)
  if (arrived) {
    return (
      <Notice tone="success">
        Ready. The article.ready event has arrived.{' '}
        <SiteLink to={deliveryPath(arrived)}>View delivery</SiteLink>
      </Notice>
    )
  }
  if (isOpen(event)) return <Notice tone="info">Ready. The article.ready event is being sent.</Notice>
  const [last] = event.attempts
  return (
    <Notice tone="warning">
      Ready, but the article.ready event has not arrived{last && `: ${describeOutcome(last).name}`}.{' '}
      {last && <SiteLink to={deliveryPath(last)}>View delivery and next steps</SiteLink>}
    </Notice>
  )
}

export function HistorySection({ inspected }: { inspected: InspectedPost }) {
  const c = useRequestContext()
  const { events, isCut } = inspected
  return (
    <Section
      id="history"
      title="History"
      lead={isCut ? 'Shows the latest events, and the latest attempts for each.' : undefined}
    >
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
    .flatMap(({ attempts }) => attempts)
    .filter(({ manual }) => manual)
    .sort((a, b) => +b.attemptedAt - +a.attemptedAt)
  if (!last) return null
  const { tone, happened } = describeOutcome(last)
  return <Notice tone={tone === 'neutral' ? 'info' : tone}>Resent. {happened}</Notice>
}

/** In causal order, since times may be equal. */
function timelineOf(inspected: InspectedPost): TimelineEntry[] {
  const { post, events, hasWebhook } = inspected
  const entries = changesOf(inspected)
  for (const event of events) {
    entries.push({ at: event.createdAt, what: `Event ${event.event}${isOpen(event) ? ', being sent' : ''}` })
    const canResend = hasWebhook && !isOpen(event)
    // Newest first, like the manual attempts.
    const resends = inspected.entries.filter(
      ({ action, resourceId }) => action === 'event.resent' && resourceId === event.id,
    )
    const byHand = event.attempts.filter(({ manual, resendId }) => manual && resendId === null)
    for (const [index, attempt] of event.attempts.toReversed().entries()) {
      const isLast = index === event.attempts.length - 1
      entries.push({
        at: attempt.attemptedAt,
        ...describeAttempt(attempt, resends[byHand.indexOf(attempt)]),
        link: deliveryPath(attempt),
        action: canResend && isLast && (
          <PostButton
            needs="editor"
            class="button small"
            action={`${deliveryPath(attempt)}/resends`}
            name="post"
            value={post.slug}
            data-busy="Sending…"
          >
            Resend
          </PostButton>
        ),
      })
    }
  }
  return entries
}

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

/** `resend` is the audit log entry of a manual resend. */
function describeAttempt(attempt: PostAttempt, resend?: ResourceEntry): Pick<TimelineEntry, 'what' | 'tone'> {
  const { tone, name } = describeOutcome(attempt)
  const duration = attempt.durationMs === null ? '' : `, ${formatDuration(attempt)}`
  const how = attempt.resendId === null ? '' : ' with all failed events'
  const resent = `Resent${resend ? ` by ${whoOf(resend)}` : how}`
  return { tone, what: `${attempt.manual ? resent : 'Attempt'}: ${name}${duration}` }
}
