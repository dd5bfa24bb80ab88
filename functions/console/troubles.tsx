/** The words for each trouble, in the overviews and the list of sites: a badge, a sentence, and a link to the next step. */
import type { Child } from 'hono/jsx'
import type { SiteOverview } from '../../src/sites/overview.ts'
import {
  COUNTED,
  EXPIRING_DAYS,
  FAILING_DAYS,
  type Found,
  type severities,
  sinceYesterday,
  TROUBLES,
  type Trouble,
  troubles,
} from '../../src/sites/troubles.ts'
import { DELIVERIES } from './integrations/filter.ts'
import { addQuery } from './parent-list.ts'
import { Badge } from './parts/badge.tsx'
import { Day } from './parts/day.tsx'
import { formatQuantity } from './parts/quantity.ts'

type Severity = (typeof severities)[number]

type Words = {
  /** Names the trouble in the filter of the sites, and before their number. */
  name: string
  badge: (found: Found) => string
  sentence: (found: Found, now: Date) => Child
  /** A page of the site, and what is done there. */
  to: string
  next: string
  /** A part of it that is looked at first, where there is one. */
  part?: (found: Found) => { to: string; next: string } | null
}

/** Says `or more` where counting stopped. */
const quantity = (count: number, one: string, many = `${one}s`) =>
  count < COUNTED ? `${count} ${count === 1 ? one : many}` : `${COUNTED} or more ${many}`

const verb = (count: number, one: string, many: string) => (count === 1 ? one : many)

export const WORDS: Record<Trouble, Words> = {
  failing: {
    name: 'Deliveries that have not arrived',
    badge: ({ failing }) => `${failing < COUNTED ? failing : `${COUNTED} or more`} failed`,
    sentence: (found, now) => (
      <>
        {quantity(found.failing, 'delivery', 'deliveries')} of the last {FAILING_DAYS} days{' '}
        {verb(found.failing, 'has', 'have')} not arrived. <FailedLately found={found} now={now} />
      </>
    ),
    to: addQuery(DELIVERIES, { outcome: 'not_arrived' }),
    next: 'See which',
  },
  streak: {
    name: 'Webhooks failing in a row',
    badge: ({ streak }) => `${streak} in a row`,
    sentence: ({ streak }) => `A webhook has failed ${streak} times in a row, up to now.`,
    to: '/integrations',
    next: 'Test it',
  },
  usedUp: {
    name: 'Quota used up',
    badge: () => 'Quota used up',
    sentence: () => "Today's quota is used up: requests are refused with 429 until 00:00 UTC.",
    to: '/usage',
    next: 'See the usage',
  },
  nearQuota: {
    name: 'Quota near its end',
    badge: (found) => `${percent(found)} of quota`,
    sentence: (found) => `${percent(found)} of today's quota is used.`,
    to: '/usage',
    next: 'See the usage',
  },
  overdue: {
    name: 'Drafts past their time',
    badge: ({ overdue }) => `${overdue < COUNTED ? overdue : `${COUNTED} or more`} overdue`,
    sentence: ({ overdue, overdueSince }, now) => (
      <>
        {quantity(overdue, 'scheduled draft')} {verb(overdue, 'is', 'are')} not published though{' '}
        {verb(overdue, 'its time has', 'their times have')} come
        {overdue === 1 ? ', and is' : '. The first is'} {ageOf(overdueSince!, now)} late.
      </>
    ),
    to: '/content?status=scheduled',
    next: 'See which',
  },
  unsent: {
    name: 'Alerts that were not sent',
    badge: ({ unsent }) => `${quantity(unsent, 'alert')} not sent`,
    sentence: ({ unsent }) =>
      `${quantity(unsent, 'alert')} of the last ${FAILING_DAYS} days could not be sent to everybody.`,
    to: '/integrations#alerts',
    next: 'See why',
  },
  deletion: {
    name: 'Being deleted',
    badge: () => 'Being deleted',
    sentence: () => 'The site is being deleted, and nothing opens it any more.',
    to: '/settings/deletion',
    next: 'See how far it is',
  },
  expiring: {
    name: 'Keys that expire',
    badge: ({ expiring }) => `${formatQuantity(expiring, 'key')} ${verb(expiring, 'expires', 'expire')}`,
    sentence: ({ expiring, expiringKey, expiresFirst }, now) => (
      <>
        {expiring === 1 ? 'The key' : `${expiring} keys expire within ${EXPIRING_DAYS} days, the first,`} “
        <bdi>{expiringKey}</bdi>”{expiring === 1 ? ' expires' : ','} <Day at={expiresFirst!} now={now} />.
      </>
    ),
    to: '/api#keys',
    next: 'See the keys',
  },
  ready: {
    name: 'Ready drafts that wait',
    badge: ({ ready }) => `${ready < COUNTED ? ready : `${COUNTED} or more`} ready`,
    sentence: ({ ready, readySince }, now) => (
      <>
        {quantity(ready, 'draft')} {verb(ready, 'is', 'are')} ready
        {ready === 1 ? ' and has waited' : '. The oldest has waited'} for {ageOf(readySince!, now)}.
      </>
    ),
    to: '/content?status=ready',
    next: 'Review',
    part: ({ ready, readyPremium }) =>
      readyPremium > 0 && readyPremium < ready
        ? { to: '/content?status=ready&band=premium', next: 'Premium only' }
        : null,
  },
  changes: {
    name: 'Posts with changes requested',
    badge: ({ changes }) => `${changes < COUNTED ? changes : `${COUNTED} or more`} to change`,
    sentence: ({ changes }) => `Changes are requested of ${quantity(changes, 'post')}.`,
    to: '/content?status=changes',
    next: 'See what',
  },
  unused: {
    name: 'Keys never used',
    badge: ({ unused }) => `${formatQuantity(unused, 'key')} never used`,
    sentence: ({ unused, unusedKey }) => (
      <>
        {unused === 1 ? 'The key' : `${unused} keys were never used, the oldest is`} “<bdi>{unusedKey}</bdi>”
        {unused === 1 && ' was never used'}.
      </>
    ),
    to: '/api#keys',
    next: 'See the keys',
  },
}

/** Rounded down, so that 100% is only said of a quota that is used up. */
const percent = ({ share }: Found) => `${Math.floor((share ?? 0) * 100)}%`

/** `3 days`; less than an hour is `less than an hour`. */
function ageOf(since: string, now: Date): string {
  const hours = Math.floor((now.getTime() - Date.parse(since)) / 3_600_000)
  if (hours < 1) return 'less than an hour'
  return hours < 48 ? formatQuantity(hours, 'hour') : formatQuantity(Math.floor(hours / 24), 'day')
}

/** Failures since yesterday, and how many have arrived meanwhile. */
function FailedLately({ found: { failed, arrived }, now }: { found: Found; now: Date }) {
  if (failed === 0) return null
  const since = <Day at={sinceYesterday(now)} now={now} />
  const count = quantity(failed, 'delivery', 'deliveries')
  if (arrived === failed) {
    return (
      <>
        {count} failed since {since}, and {verb(failed, 'has', 'have')} arrived meanwhile.
      </>
    )
  }
  return (
    <>
      {count} failed since {since}: {arrived === 0 ? 'none' : arrived} {verb(arrived, 'has', 'have')} arrived
      meanwhile.
    </>
  )
}

const TONES = { danger: 'danger', warning: 'warning', waiting: 'neutral' } as const satisfies Record<
  Severity,
  string
>

const pathOf = ({ site }: SiteOverview, to: string) => `/console/sites/${site.id}${to}`

/** Nothing else can be done with a site that is being deleted. */
const shownOf = ({ found }: SiteOverview) =>
  troubles.filter((trouble) => found[trouble] > 0 && (trouble === 'deletion' || found.deletion === 0))

type TroubleLinesProps = {
  of: SiteOverview
  now: Date
  /** True if links name the site, for screen readers. */
  isNamed?: boolean
}

/** The sentences about a site; nothing without any. */
export function TroubleLines({ of, now, isNamed = false }: TroubleLinesProps) {
  const { found } = of
  const shown = shownOf(of)
  const hasArrived = found.failing === 0 && found.failed > 0 && found.deletion === 0
  if (shown.length === 0 && !hasArrived) return null
  return (
    <ul class="lines">
      {shown.map((trouble) => {
        const { sentence, part, ...whole } = WORDS[trouble]
        return (
          <li class={TONES[TROUBLES[trouble]]}>
            <span>{sentence(found, now)}</span>
            {[part?.(found), whole].map(
              (link) =>
                link && (
                  <>
                    {' '}
                    <a href={pathOf(of, link.to)}>
                      {link.next}
                      {isNamed && <span class="visually-hidden"> at {of.site.name}</span>}
                    </a>
                  </>
                ),
            )}
          </li>
        )
      })}
      {hasArrived && (
        <li class="success">
          <span>
            <FailedLately found={found} now={now} />
          </span>{' '}
          <a href={pathOf(of, addQuery(DELIVERIES, { outcome: 'failed' }))}>See which</a>
        </li>
      )}
    </ul>
  )
}

/** The same in a word or two, without what the other columns of the list of sites say. */
export function TroubleBadges({ of }: { of: SiteOverview }) {
  const elsewhere: Trouble[] = ['usedUp', 'nearQuota', 'deletion']
  const shown = shownOf(of).filter((trouble) => !elsewhere.includes(trouble))
  if (shown.length === 0) return <span class="muted">None</span>
  return (
    <>
      {shown.map((trouble) => (
        <a href={pathOf(of, WORDS[trouble].to)}>
          <Badge tone={TONES[TROUBLES[trouble]]} text={WORDS[trouble].badge(of.found)} />
          <span class="visually-hidden"> at {of.site.name}</span>
        </a>
      ))}
    </>
  )
}
