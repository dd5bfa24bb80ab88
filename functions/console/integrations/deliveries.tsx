/** The delivery log: events with their outcomes, causes of failures, and resending. */

import { eventKinds } from '../../../src/core/enums.ts'
import { parseCursor } from '../../../src/db/paging.ts'
import type { ListedEndpoint } from '../../../src/webhooks/endpoint.ts'
import { type CauseCount, eventOutcomes, MAX_COUNTED_EVENTS } from '../../../src/webhooks/event-log.ts'
import { nameWebhooks } from '../../../src/webhooks/names.ts'
import { deliveryErrors, nameCause, OUTCOMES } from '../../../src/webhooks/outcome.ts'
import { getEventLog } from '../../../src/webhooks/overview.ts'
import { type HourlyDeliveries, RECENT_HOURS } from '../../../src/webhooks/recent-deliveries.ts'
import { createApp } from '../../http/env.ts'
import { Done } from '../actions/done.tsx'
import { type Errors, fieldsOf, submit, type Values } from '../forms/form.ts'
import { type Option, SelectField, TextField } from '../parts/fields/field.tsx'
import { InstantField } from '../parts/fields/instant-field.tsx'
import { FilterForm, ListEnd, NoMatch } from '../parts/list.tsx'
import { Notice, TabbedHeading } from '../parts/page.tsx'
import { formatCounted, formatShare } from '../parts/quantity.ts'
import { SiteLink } from '../parts/site-link.tsx'
import { Sparkline } from '../parts/sparkline.tsx'
import { readCursor } from '../query.ts'
import { EventTable } from './event-table.tsx'
import { causeText, DELIVERIES, deliveriesWith, Filters, readFilter, toEventFilter } from './filter.ts'
import { refusalText } from './refusals.ts'
import { ResendAll, ResendProgress } from './resends.tsx'
import { NoWebhook } from './webhook.tsx'

const EVENTS_A_PAGE = 50

export const deliveries = createApp()

deliveries.get('/deliveries', async (c) => {
  const cursor = await readCursor(c, parseCursor)
  const { values, input } = readFilter(c.req.queries())
  const paging = { limit: EVENTS_A_PAGE, cursor }
  const read = (filter: Parameters<typeof toEventFilter>[0]) =>
    getEventLog(c.get('ctx'), c.get('site'), { paging, filter: toEventFilter(filter) })
  const { result, errors } = await submit(Filters, input, read)
  if (errors) c.status(400)
  const { endpoints, hours, events, count, causes, resend } = result ?? (await read({}))
  const isFiltered = Object.keys(values).length > 0
  const shown = errors ? [] : events.items
  const refusal = refusalText(c)
  const isResending = resend !== null && resend.endedAt === null
  const renews = !errors && (endpoints.length > 0 || shown.length > 0)
  const days = c.get('ctx').config.RETENTION_DELIVERY_DAYS
  return c.render(
    <>
      <TabbedHeading
        title="Integrations"
        current="Deliveries"
        action={endpoints.length > 0 && causes.length > 0 && !isResending && <ResendAll filter={values} />}
      />
      <Done of="deliveries" />
      {refusal && <Notice tone="warning">{refusal}</Notice>}
      {(shown.length > 0 || isFiltered) && (
        <DeliveryFilters values={values} errors={errors ?? {}} endpoints={endpoints} />
      )}
      {/* Includes the pager, because a refreshed list may end elsewhere. The page reloads when a resend ends. */}
      <div data-renew={renews ? (isResending ? 'resend' : 'deliveries') : undefined}>
        <ResendProgress resend={resend} />
        <div class="row ends">
          {!isFiltered && <LastDay hours={hours} />}
          {!errors && <Causes causes={causes} values={values} days={days} />}
        </div>
        {errors ? null : shown.length === 0 && (isFiltered || cursor !== null) ? (
          <NoMatch what="deliveries" list={DELIVERIES} />
        ) : shown.length === 0 && endpoints.length === 0 ? (
          <NoWebhook />
        ) : (
          <EventTable events={shown} {...(!values.webhook && { names: nameWebhooks(endpoints) })} />
        )}
        <ListEnd
          what="deliveries"
          count={
            shown.length > 0 &&
            `${formatCounted(count, MAX_COUNTED_EVENTS, 'event')} of the last ${days} days. We don't retry automatically.`
          }
          list={deliveriesWith(values)}
          isFirst={cursor === null}
          next={errors ? null : events.next}
        />
      </div>
    </>,
    { tab: 'Integrations', title: 'Deliveries' },
  )
})

/** The share delivered, rounded down, and a bar for each hour. */
function LastDay({ hours }: { hours: HourlyDeliveries }) {
  const arrived = hours.reduce((sum, hour) => sum + hour.arrived, 0)
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0)
  if (arrived + failed === 0) return null
  return (
    <p class="row figure">
      <span>
        <strong>{formatShare(arrived, arrived + failed)}</strong> delivered in {RECENT_HOURS} h
      </span>
      <Sparkline
        label={`Deliveries per hour: ${arrived} delivered and ${failed} failed`}
        bars={hours.map(({ arrived: good, failed: bad }) => ({ good, bad }))}
      />
    </p>
  )
}

type CausesProps = { causes: CauseCount[]; values: Values; days: number }

function Causes({ causes, values: { cursor: _, ...values }, days }: CausesProps) {
  if (causes.length === 0) return null
  return (
    <p>
      {values.since || values.until ? 'Failed: ' : `Last ${days} days, failed: `}
      {causes.map((cause, at) => {
        const filter = { ...values, outcome: 'not_arrived', cause: causeText(cause) }
        return (
          <>
            {at > 0 && ' · '}
            <SiteLink
              to={deliveriesWith(filter)}
              aria-current={values.cause === filter.cause ? 'true' : undefined}
            >
              {nameCause(cause)} <strong>{cause.count.toLocaleString('en')}</strong>
            </SiteLink>
          </>
        )
      })}
    </p>
  )
}

const FOLDED = { since: 'From', until: 'Before', cause: 'Cause', event: 'Event' }

type DeliveryFiltersProps = { values: Values; errors: Errors; endpoints: ListedEndpoint[] }

function DeliveryFilters({ values, errors, endpoints }: DeliveryFiltersProps) {
  const field = fieldsOf(values, errors)
  const fields = (
    <>
      <InstantField label={FOLDED.since} {...field('since')} />
      <InstantField label={FOLDED.until} {...field('until')} hint="" />
      <SelectField label={FOLDED.cause} {...field('cause')} options={causesFor(values.cause)} />
      <SelectField label={FOLDED.event} {...field('event')} options={EVENTS} />
    </>
  )
  return (
    <FilterForm
      list={DELIVERIES}
      set={Object.keys(values).length}
      errors={errors}
      more={{ labels: FOLDED, values, fields }}
    >
      <TextField
        label="Search"
        type="search"
        placeholder="Search title, slug or event ID"
        {...field('search')}
      />
      <SelectField label="Outcome" {...field('outcome')} options={OUTCOME_OPTIONS} />
      {(endpoints.length > 1 || values.webhook) && (
        <SelectField label="Webhook" {...field('webhook')} options={webhooksFor(endpoints, values.webhook)} />
      )}
    </FilterForm>
  )
}

const ALL: Option = ['', 'All']

const EVENTS = [ALL, ...eventKinds.map((event): Option => [event, event])]

const OUTCOME_OPTIONS = [ALL, ...eventOutcomes.map((outcome): Option => [outcome, OUTCOMES[outcome]])]

/** Offers a status only if the URL already filters by it. */
const causesFor = (given = ''): Option[] => [
  ALL,
  ...deliveryErrors.map((error): Option => [error, OUTCOMES[error]]),
  ...(/^\d{3}$/.test(given) ? [[given, `HTTP ${given}`] as const] : []),
]

/** Offers a removed webhook only if the URL already filters by it. */
const webhooksFor = (endpoints: ListedEndpoint[], given = ''): Option[] => [
  ALL,
  ...nameWebhooks(endpoints),
  ...(given && !endpoints.some(({ id }) => id === given) ? [[given, 'Removed webhook'] as const] : []),
]
