/** The log of deliveries, and what is asked of it. */
import { eventKinds } from '../../../src/db/schema.ts'
import type { Page } from '../../../src/paging.ts'
import { type DeliveryFilter, outcomes } from '../../../src/webhooks/log.ts'
import type { Http } from '../../http/env.ts'
import { Badge } from '../parts/badge.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { SelectField } from '../parts/field.tsx'
import { Section } from '../parts/heading.tsx'
import { Pager } from '../parts/pager.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { pathIn } from '../site.ts'
import { describeOutcome, FAILURE_NAMES, type SiteDelivery } from './outcome.ts'
import { duration } from './result.tsx'

type Filter = Pick<DeliveryFilter, 'event' | 'outcome'>

/** What the query asks for; what cannot be asked for is not. */
export function readFilter(c: Http): Filter {
  return {
    event: eventKinds.find((event) => event === c.req.query('event')),
    outcome: outcomes.find((outcome) => outcome === c.req.query('outcome')),
  }
}

export function RecentDeliveries({
  c,
  deliveries: { items, next },
  filter,
}: {
  c: Http
  deliveries: Page<SiteDelivery>
  filter: Filter
}) {
  const filters = Object.entries(filter).filter(([, value]) => value) as [string, string][]
  const isFiltered = filters.length > 0
  const later = c.req.query('cursor') !== undefined
  const href = (more: Record<string, string> = {}) =>
    `${pathIn(c, '/integrations')}?${new URLSearchParams({ ...Object.fromEntries(filters), ...more })}#deliveries`
  return (
    <Section
      id="deliveries"
      title="Recent deliveries"
      lead="Every attempt of the last 90 days. Nothing is sent twice by itself."
    >
      {(items.length > 0 || isFiltered) && <FilterForm c={c} filter={filter} />}
      {items.length > 0 ? (
        <DeliveryTable c={c} label="Deliveries" deliveries={items} />
      ) : (
        <EmptyState title={isFiltered || later ? 'None found' : 'No deliveries yet'}>
          <p>
            {isFiltered || later
              ? 'No delivery is like this. Loosen the filter, or see them all.'
              : 'Send a test event, or mark a quality-checked draft ready.'}
          </p>
          {(isFiltered || later) && (
            <a class="button" href={`${pathIn(c, '/integrations')}#deliveries`}>
              Show all
            </a>
          )}
        </EmptyState>
      )}
      <Pager
        label="Pages of deliveries"
        back={later ? { text: 'Newest', href: href() } : null}
        next={next === null ? null : { text: 'Older', href: href({ cursor: next }) }}
      />
    </Section>
  )
}

function FilterForm({ c, filter }: { c: Http; filter: Filter }) {
  return (
    <form method="get" action={`${pathIn(c, '/integrations')}#deliveries`} class="filter">
      <SelectField label="Event" name="event" value={filter.event ?? ''} options={EVENTS} />
      <SelectField label="Outcome" name="outcome" value={filter.outcome ?? ''} options={OUTCOMES} />
      <button type="submit" class="button">
        Filter
      </button>
    </form>
  )
}

const EVENTS = [{ value: '', text: 'All' }, ...eventKinds.map((event) => ({ value: event, text: event }))]

const OUTCOMES = [
  { value: '', text: 'All' },
  { value: 'delivered', text: 'Delivered' },
  { value: 'under_way', text: 'Under way' },
  { value: 'failed', text: 'Failed' },
  ...Object.entries(FAILURE_NAMES).map(([value, name]) => ({ value, text: `Failed: ${name}` })),
]

export function DeliveryTable({
  c,
  label,
  deliveries,
}: {
  c: Http
  label: string
  deliveries: SiteDelivery[]
}) {
  return (
    <Table
      label={label}
      columns={['Event', 'Outcome', 'Status', 'Duration', 'Sent']}
      rows={deliveries.map((delivery) => {
        const { tone, name } = describeOutcome(delivery)
        return [
          <>
            <a href={pathIn(c, `/integrations/deliveries/${delivery.id}`)}>{delivery.event}</a>
            {delivery.slug && <span class="below">{delivery.slug}</span>}
          </>,
          <Badge tone={tone} text={name} />,
          delivery.status ?? <span class="muted">None</span>,
          duration(delivery),
          <div>
            <Time at={delivery.attemptedAt} />
            {delivery.manual && <span class="below">again, by hand</span>}
          </div>,
        ]
      })}
    />
  )
}
