/** Tables of events and of delivery attempts. */
import { webhookHost } from '../../../src/webhooks/endpoint.ts'
import type { LoggedEvent } from '../../../src/webhooks/event-log.ts'
import { type DeliveryError, NOTHING_SENT, nameCause, OUTCOMES } from '../../../src/webhooks/outcome.ts'
import { itemPath } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Section } from '../parts/heading.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { describeOutcome, type SiteDelivery } from './outcome.ts'
import { formatDuration } from './result.tsx'

type EventTableProps = {
  events: LoggedEvent[]
  /** The names of the webhooks. Left out on the page of one. */
  names?: Map<string, string>
}

/** A row for each event and webhook. */
export function EventTable({ events, names }: EventTableProps) {
  return (
    <Table
      isDense
      label="Deliveries"
      columns={['Content', 'Outcome', 'Event', 'Sent']}
      rows={events.map((event) => [
        <Subject {...event} deliveryId={event.attempt?.id} />,
        <EventOutcome event={event} />,
        <div>
          {event.event}
          {names && !(names.size === 1 && names.has(event.webhookId)) && (
            <span class="below">
              to {names.get(event.webhookId) ?? webhookHost(event.attempt?.url ?? '')}
            </span>
          )}
        </div>,
        <div>
          {event.attempt ? (
            <Time at={event.attempt.attemptedAt} isRelative />
          ) : (
            <span class="muted">Not yet</span>
          )}
          {event.attempts > 1 && <span class="below">{formatQuantity(event.attempts, 'attempt')}</span>}
        </div>,
      ])}
    />
  )
}

export function RecentDeliveries({ list, ...table }: EventTableProps & { list: string }) {
  return (
    <Section
      id="deliveries"
      title="Recent deliveries"
      lead="The latest events. We don't retry automatically."
      action={<ButtonLink to={list} text="All deliveries" />}
    >
      <div data-renew="deliveries">
        {table.events.length > 0 ? (
          <EventTable {...table} />
        ) : (
          <EmptyState title="No deliveries yet">
            <p>Send a test event, or mark a quality-checked draft ready.</p>
          </EmptyState>
        )}
      </div>
    </Section>
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
        <Badge tone="danger" text={isSent(error) ? OUTCOMES.not_arrived : OUTCOMES.not_sent} />
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

const isSent = (error: DeliveryError) => !(NOTHING_SENT as readonly DeliveryError[]).includes(error)

export function AttemptTable({ label, deliveries }: { label: string; deliveries: SiteDelivery[] }) {
  return (
    <Table
      label={label}
      columns={['Content', 'Outcome', 'Status', 'Duration', 'Sent']}
      rows={deliveries.map((delivery) => {
        const { tone, name } = describeOutcome(delivery)
        return [
          <Subject {...delivery} deliveryId={delivery.id} />,
          <Badge tone={tone} text={name} />,
          delivery.status,
          formatDuration(delivery),
          <div>
            <Time at={delivery.attemptedAt} isRelative />
            <span class="below">to {webhookHost(delivery.url)}</span>
            {delivery.manual && <span class="below">resent manually</span>}
          </div>,
        ]
      })}
    />
  )
}

type About = Pick<SiteDelivery, 'event' | 'title' | 'slug'>

function Subject({ deliveryId, ...about }: About & { deliveryId: string | undefined }) {
  return (
    <>
      {deliveryId ? (
        <SiteLink to={itemPath('deliveries', deliveryId)}>{nameOf(about)}</SiteLink>
      ) : (
        nameOf(about)
      )}
      {about.slug && (
        <span class="below slug" dir="auto">
          {about.slug}
        </span>
      )}
    </>
  )
}

/** The title of the post or guide, or its slug after it was deleted. */
export function nameOf({ event, title, slug }: About): string {
  return event === 'webhook.test' ? 'Test event' : (title ?? slug ?? event)
}
