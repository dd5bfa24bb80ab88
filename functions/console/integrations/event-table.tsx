import type { Child } from 'hono/jsx'
import { webhookHost } from '../../../src/webhooks/endpoint.ts'
import type { LoggedEvent } from '../../../src/webhooks/event-log.ts'
import { nameCause, OUTCOMES } from '../../../src/webhooks/outcome.ts'
import { itemPath } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { EmptyState } from '../parts/page.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { describeOutcome, type SiteDelivery } from './outcome.ts'
import { formatDuration } from './result.tsx'

type EventTableProps = {
  events: LoggedEvent[]
  /** The names of the webhooks. Left out for the events of one. */
  names?: Map<string, string>
}

/** A row for each event and webhook. */
export function EventTable({ events, names }: EventTableProps) {
  if (events.length === 0)
    return (
      <EmptyState title="No deliveries yet">
        <p>Send a test event, or mark a quality-checked draft ready.</p>
      </EmptyState>
    )
  const isOfMany =
    names !== undefined && events.some(({ webhookId }) => !(names.size === 1 && names.has(webhookId)))
  return (
    <Table
      isDense
      label="Deliveries"
      columns={['Content', 'Event', isOfMany && 'Webhook', 'Outcome', 'Time']}
      rows={events.map((event) => {
        const { webhookId, attempt, attempts } = event
        return [
          attempt ? <AttemptLink {...attempt}>{nameOf(event)}</AttemptLink> : <bdi>{nameOf(event)}</bdi>,
          event.event,
          <bdi>{names?.get(webhookId) ?? webhookHost(attempt?.url ?? '')}</bdi>,
          <>
            <EventOutcome event={event} />
            {attempt && attempts > 1 && event.state !== 'sending' && (
              <span class="below">
                resent <Time at={attempt.attemptedAt} isRelative />
              </span>
            )}
          </>,
          <Time at={event.createdAt} isRelative />,
        ]
      })}
    />
  )
}

/** The outcome, with the cause or the state below. */
function EventOutcome({ event: { state, attempts, attempt } }: { event: LoggedEvent }) {
  if (state === 'delivered') {
    const how = attempt?.error === null && attempt.status !== null
    return (
      <>
        <Badge tone="success" text={OUTCOMES.delivered} />
        {how && (
          <span class="below">
            {attempt.status} in {formatDuration(attempt)}
          </span>
        )}
      </>
    )
  }
  if (state === 'failed') {
    const error = attempt?.error ?? 'interrupted'
    return (
      <>
        <Badge tone="danger" text={OUTCOMES.not_arrived} />
        <span class="below">{nameCause({ error, status: attempt?.status ?? null })}</span>
      </>
    )
  }
  const isAgain = attempts > (state === 'sending' ? 1 : 0)
  return (
    <>
      <Badge text={OUTCOMES.under_way} />
      <span class="below">
        {state === 'sending' ? 'being sent' : 'waiting to be sent'}
        {isAgain && ' again'}
      </span>
    </>
  )
}

export function AttemptTable({ label, deliveries }: { label: string; deliveries: SiteDelivery[] }) {
  return (
    <Table
      isDense
      label={label}
      columns={['Sent', 'Outcome', 'Duration']}
      rows={deliveries.map((delivery) => {
        const { tone, name } = describeOutcome(delivery)
        return [
          <AttemptLink {...delivery}>
            <Time at={delivery.attemptedAt} isRelative />
          </AttemptLink>,
          <>
            <Badge tone={tone} text={name} />
            <span class="below">to {webhookHost(delivery.url)}</span>
            {delivery.manual && <span class="below">resent manually</span>}
          </>,
          formatDuration(delivery),
        ]
      })}
    />
  )
}

function AttemptLink({ id, children }: { id: string; children: Child }) {
  return <SiteLink to={itemPath('deliveries', id)}>{children}</SiteLink>
}

type About = Pick<SiteDelivery, 'event' | 'title' | 'slug'>

/** The title of the post or guide, or its slug after it was deleted. */
export function nameOf({ event, title, slug }: About): string {
  return event === 'webhook.test' ? 'Test event' : (title ?? slug ?? event)
}
