import * as z from 'zod/mini'
import { eventKinds } from '../../../src/core/enums.ts'
import { type Cause, type EventFilter, eventOutcomes } from '../../../src/webhooks/event-log.ts'
import { deliveryErrors } from '../../../src/webhooks/outcome.ts'
import type { Http } from '../../http/env.ts'
import { idParam, oneOfParam, textParam, timeParam, wordsParam } from '../../http/query.ts'
import type { Values } from '../forms/form.ts'
import { addQuery, PARENT_LISTS } from '../parent-list.ts'
import { parentQueries, readFilters } from '../query.ts'

export const DELIVERIES = PARENT_LISTS.deliveries.list

export const Filters = z.object({
  search: wordsParam('Words, or the start of an event id'),
  outcome: oneOfParam(eventOutcomes, { description: 'Outcome' }),
  cause: textParam(
    'Why it failed: an error, or a status',
    z.refine((text) => toCause(text) !== undefined, 'must be a cause in the list'),
  ),
  webhook: idParam('Webhook'),
  event: oneOfParam(eventKinds, { description: 'Event' }),
  since: timeParam('Events from then on'),
  until: timeParam('Events before then'),
})

const errors = deliveryErrors as readonly string[]

/** Parses `timeout`, or `500` for a response with that status. */
export function toCause(text: string): Cause | undefined {
  if (/^[1-9]\d\d$/.test(text)) return { error: 'http_status', status: Number(text) }
  return errors.includes(text) ? { error: text as Cause['error'], status: null } : undefined
}

export const causeText = ({ error, status }: Cause) => (status === null ? error : String(status))

export const toEventFilter = ({ cause, ...filter }: z.output<typeof Filters>): EventFilter => ({
  ...filter,
  cause: cause === undefined ? undefined : toCause(cause),
})

/** Filters with a menu, which has no option for a mistyped value. */
const MENUS = ['outcome', 'cause', 'webhook', 'event'] as const

const isUnknown = (name: string, text: string) =>
  MENUS.some((menu) => menu === name && !Filters.shape[menu].safeParse(text).success)

/** The filter of a query, as typed and as input. Skips empty fields and unknown options. */
export function readFilter(queries: Record<string, string[]>) {
  const known = Object.entries(queries).filter(([name, [text = '']]) => !isUnknown(name, text))
  return readFilters(Object.fromEntries(known), Object.keys(Filters.shape))
}

/** The filter of the list that the page was opened from. Empty if it is invalid. */
export function parentFilter(c: Http): EventFilter {
  const { data } = Filters.safeParse(readFilter(parentQueries(c, DELIVERIES)).input)
  return data ? toEventFilter(data) : {}
}

export const deliveriesWith = (values: Values) => addQuery(DELIVERIES, values)
