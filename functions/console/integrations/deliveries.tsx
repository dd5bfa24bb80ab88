/** The log of deliveries, and its filter. */
import * as z from 'zod/mini'
import type { Page } from '../../../src/foundation/paging.ts'
import { eventKinds } from '../../../src/webhooks/event-kinds.ts'
import { COUNTED, outcomes } from '../../../src/webhooks/log.ts'
import type { Http } from '../../http/env.ts'
import { oneOfParam, timeParam, wordsParam } from '../../http/query.ts'
import { type Errors, fieldsOf, type Values } from '../form.ts'
import { itemPath, PARENT_LISTS } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { Section } from '../parts/heading.tsx'
import { InstantField, toInstantText } from '../parts/instant-field.tsx'
import { Pager } from '../parts/pager.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useSitePath } from '../site.ts'
import { describeOutcome, FAILURE_NAMES, type SiteDelivery } from './outcome.ts'
import { formatDuration } from './result.tsx'

/** The list in its page, without a filter. */
export const DELIVERIES = `${PARENT_LISTS.deliveries.list}#deliveries`

export const Filters = z.object({
  search: wordsParam('Words, or the start of an event id'),
  event: oneOfParam(eventKinds, { description: 'Event' }),
  outcome: oneOfParam(outcomes, { description: 'Outcome' }),
  since: timeParam('Attempts from then on'),
  until: timeParam('Attempts before then'),
})

/** The filter in the URL, as typed and as input. An empty field filters nothing. */
export function readFilter(c: Http): { values: Values; input: Values } {
  const given = Object.entries(c.req.query()).filter(([name, text]) => name in Filters.shape && text !== '')
  return {
    values: Object.fromEntries(given),
    input: Object.fromEntries(given.map(([name, text]) => [name, toInstantText(text)])),
  }
}

type RecentDeliveriesProps = {
  /** Null if the filter was refused. */
  found: { deliveries: Page<SiteDelivery>; count: number } | null
  values: Values
  errors: Errors
  isFirstPage: boolean
}

export function RecentDeliveries({ found, values, errors, isFirstPage }: RecentDeliveriesProps) {
  const path = useSitePath()
  const isFiltered = Object.keys(values).length > 0
  const { items, next } = found?.deliveries ?? { items: [], next: null }
  const pageOf = (cursor: Values) =>
    path(`/integrations?${new URLSearchParams({ ...values, ...cursor })}#deliveries`)
  return (
    <Section
      id="deliveries"
      title="Recent deliveries"
      lead="Every attempt in the last 90 days. Nothing is sent again automatically."
      action={<ButtonLink needs="editor" to="/integrations/resends" text="Send failed ones again" />}
    >
      {(items.length > 0 || isFiltered) && <FilterForm values={values} errors={errors} />}
      {/* With the links to other pages: theirs begin where this one ends. */}
      <div data-renew={found && 'deliveries'}>
        {items.length > 0 ? (
          <>
            <p class="muted count" role="status">
              {found!.count < COUNTED
                ? formatQuantity(found!.count, 'attempt')
                : `${COUNTED.toLocaleString('en')} attempts or more`}
            </p>
            <DeliveryTable label="Deliveries" deliveries={items} />
          </>
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
      </div>
    </Section>
  )
}

function FilterForm({ values, errors }: { values: Values; errors: Errors }) {
  const path = useSitePath()
  const field = fieldsOf(values, errors)
  return (
    <form method="get" action={path(DELIVERIES)} class="filters">
      <TextField
        label="Search"
        type="search"
        placeholder="Words of a title or slug, or an event ID"
        {...field('search')}
      />
      <SelectField label="Outcome" {...field('outcome')} options={OUTCOMES} />
      <details open={['event', 'since', 'until'].some((name) => values[name])}>
        <summary>More filters</summary>
        <div>
          <SelectField label="Event" {...field('event')} options={EVENTS} />
          <InstantField label="From" {...field('since')} />
          <InstantField label="Before" {...field('until')} />
        </div>
      </details>
      <div class="actions">
        <button type="submit" class="button">
          Filter
        </button>
        {Object.keys(values).length > 0 && <ButtonLink to={DELIVERIES} text="Clear" look="quiet" />}
      </div>
    </form>
  )
}

const EVENTS = [{ value: '', text: 'All' }, ...eventKinds.map((event) => ({ value: event, text: event }))]

const OUTCOMES = [
  { value: '', text: 'All' },
  { value: 'delivered', text: 'Delivered' },
  { value: 'under_way', text: 'Under way' },
  { value: 'failed', text: 'Failed' },
  { value: 'not_arrived', text: 'Failed, and has not arrived since' },
  ...Object.entries(FAILURE_NAMES).map(([value, name]) => ({ value, text: `Failed: ${name}` })),
]

export function DeliveryTable({ label, deliveries }: { label: string; deliveries: SiteDelivery[] }) {
  return (
    <Table
      label={label}
      columns={['Post', 'Outcome', 'Status', 'Duration', 'Sent']}
      rows={deliveries.map((delivery) => {
        const { tone, name } = describeOutcome(delivery)
        return [
          <>
            <SiteLink to={itemPath('deliveries', delivery.id)}>{nameOf(delivery)}</SiteLink>
            {delivery.slug && (
              <span class="below" dir="auto">
                {delivery.slug}
              </span>
            )}
          </>,
          <>
            <Badge tone={tone} text={name} />
            {delivery.arrivedLater && <Badge tone="success" text="Arrived later" />}
          </>,
          delivery.status ?? <span class="muted">None</span>,
          formatDuration(delivery),
          <div>
            <Time at={delivery.attemptedAt} />
            <span class="below">{toWhom(delivery)}</span>
            {delivery.manual && <span class="below">sent again by hand</span>}
          </div>,
        ]
      })}
    />
  )
}

/** The host alone: a path or a query may have a secret of the receiver. */
function toWhom({ event, url }: SiteDelivery): string {
  const host = URL.canParse(url) ? new URL(url).host : url
  return event === 'webhook.test' ? `to ${host}` : `${event} to ${host}`
}

/** What it is about: a post by its title, or by its slug once it is gone. */
export function nameOf({ event, title, slug }: SiteDelivery): string {
  return event === 'webhook.test' ? 'Test event' : (title ?? slug ?? event)
}
