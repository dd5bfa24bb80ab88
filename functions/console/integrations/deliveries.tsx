/** The log of deliveries, and its filter. */
import { eventKinds } from '../../../src/db/schema.ts'
import type { Page } from '../../../src/paging.ts'
import { type DeliveryFilter, outcomes } from '../../../src/webhooks/log.ts'
import type { Http } from '../../http/env.ts'
import { Badge } from '../parts/badge.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { SelectField } from '../parts/field.tsx'
import { Section } from '../parts/heading.tsx'
import { Pager } from '../parts/pager.tsx'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useSitePath } from '../site.ts'
import { describeOutcome, FAILURE_NAMES, type SiteDelivery } from './outcome.ts'
import { formatDuration } from './result.tsx'

/** The list in its page, without a filter. */
export const DELIVERIES = '/integrations#deliveries'

type Filter = Pick<DeliveryFilter, 'event' | 'outcome'>

/** The filter in the URL. Unknown events and outcomes are ignored. */
export function readFilter(c: Http): Filter {
  return {
    event: eventKinds.find((event) => event === c.req.query('event')),
    outcome: outcomes.find((outcome) => outcome === c.req.query('outcome')),
  }
}

type RecentDeliveriesProps = { deliveries: Page<SiteDelivery>; filter: Filter; isFirstPage: boolean }

export function RecentDeliveries({
  deliveries: { items, next },
  filter,
  isFirstPage,
}: RecentDeliveriesProps) {
  const path = useSitePath()
  const filters = Object.entries(filter).filter(([, value]) => value) as [string, string][]
  const isFiltered = filters.length > 0
  const pageOf = (cursor: Record<string, string>) =>
    path(`/integrations?${new URLSearchParams({ ...Object.fromEntries(filters), ...cursor })}#deliveries`)
  return (
    <Section
      id="deliveries"
      title="Recent deliveries"
      lead="Every attempt in the last 90 days. Nothing is sent again automatically."
    >
      {(items.length > 0 || isFiltered) && <FilterForm filter={filter} />}
      {items.length > 0 ? (
        <DeliveryTable label="Deliveries" deliveries={items} />
      ) : isFiltered || !isFirstPage ? (
        <EmptyState title="None found">
          <p>No delivery matches. Change the filter, or show all deliveries.</p>
          <ButtonLink to={DELIVERIES} text="Show all" />
        </EmptyState>
      ) : (
        <EmptyState title="No deliveries yet">
          <p>Send a test event, or mark a quality-checked draft ready.</p>
        </EmptyState>
      )}
      <Pager
        label="Pages of deliveries"
        previous={isFirstPage ? null : { text: 'Newest', href: pageOf({}) }}
        next={next === null ? null : { text: 'Older', href: pageOf({ cursor: next }) }}
      />
    </Section>
  )
}

function FilterForm({ filter }: { filter: Filter }) {
  const path = useSitePath()
  return (
    <form method="get" action={path(DELIVERIES)} class="filter">
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

export function DeliveryTable({ label, deliveries }: { label: string; deliveries: SiteDelivery[] }) {
  return (
    <Table
      label={label}
      columns={['Event', 'Outcome', 'Status', 'Duration', 'Sent']}
      rows={deliveries.map((delivery) => {
        const { tone, name } = describeOutcome(delivery)
        return [
          <>
            <SiteLink to={`/integrations/deliveries/${delivery.id}`}>{delivery.event}</SiteLink>
            {delivery.slug && <span class="below">{delivery.slug}</span>}
          </>,
          <Badge tone={tone} text={name} />,
          delivery.status ?? <span class="muted">None</span>,
          formatDuration(delivery),
          <div>
            <Time at={delivery.attemptedAt} />
            {delivery.manual && <span class="below">sent again by hand</span>}
          </div>,
        ]
      })}
    />
  )
}
