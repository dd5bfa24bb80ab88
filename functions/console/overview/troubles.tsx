/** Texts for the issues of a site: a badge, a sentence and a link to the next step. */
import type { Child } from 'hono/jsx'
import { DAY_MS, HOUR_MS } from '../../../src/core/time.ts'
import type { SiteOverview } from '../../../src/sites/overview.ts'
import {
  EXPIRING_DAYS,
  FAILING_DAYS,
  hiddenBy,
  MAX_COUNTED,
  type SiteTroubles,
  type severities,
  TROUBLES,
  type Trouble,
  troubles,
} from '../../../src/sites/troubles.ts'
import { DELIVERIES } from '../integrations/filter.ts'
import { addQuery } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { formatCounted, formatQuantity, formatShare } from '../parts/quantity.ts'
import { Day } from '../parts/time.tsx'

type Severity = (typeof severities)[number]

type TroubleTexts = {
  /** The name in the filter and the totals. */
  name: string
  badge: (found: SiteTroubles) => string
  sentence: (found: SiteTroubles, now: Date) => Child
  /** The link to the next step, a page of the site. */
  to: string
  next: string
}

const quantity = (count: number, one: string, many?: string) => formatCounted(count, MAX_COUNTED, one, many)

const capped = (count: number) => (count < MAX_COUNTED ? count : `${MAX_COUNTED} or more`)

const inARow = (streak: number) => `${streak.toLocaleString('en')} failed in a row`

const verb = (count: number, one: string, many: string) => (count === 1 ? one : many)

export const TROUBLE_TEXTS: Record<Trouble, TroubleTexts> = {
  failing: {
    name: 'Failed deliveries',
    badge: ({ failing, streak }) => (streak > 0 ? inARow(streak) : `${capped(failing)} failed`),
    sentence: (found) =>
      found.streak > 0 ? (
        <KeepFailing {...found} />
      ) : (
        `${quantity(found.failing, 'delivery', 'deliveries')} from the last ${FAILING_DAYS} days failed.`
      ),
    to: addQuery(DELIVERIES, { outcome: 'not_arrived' }),
    next: 'View deliveries',
  },
  streak: {
    name: 'Webhooks that keep failing',
    badge: ({ streak }) => inARow(streak),
    sentence: (found) => <KeepFailing {...found} />,
    to: '/integrations',
    next: 'Send a test',
  },
  usedUp: {
    name: 'Quota used up',
    badge: () => 'Quota used up',
    sentence: () => "Today's quota is used up. Requests get 429 until 00:00 UTC.",
    to: '/usage',
    next: 'View usage',
  },
  nearQuota: {
    name: 'Quota nearly used up',
    badge: (found) => `${percent(found)} of quota`,
    sentence: (found) => `${percent(found)} of today's quota is used.`,
    to: '/usage',
    next: 'View usage',
  },
  overdue: {
    name: 'Overdue drafts',
    badge: ({ overdue }) => `${capped(overdue)} overdue`,
    sentence: ({ overdue, overdueSince }, now) => (
      <>
        {quantity(overdue, 'scheduled draft')} {verb(overdue, 'was', 'were')} not published on time
        {overdue === 1 ? ' and is' : '. The first is'} {ageOf(overdueSince!, now)} late.
      </>
    ),
    to: '/content?status=scheduled',
    next: 'View drafts',
  },
  unsent: {
    name: 'Unsent alerts',
    badge: ({ unsent }) => `${quantity(unsent, 'alert')} not sent`,
    sentence: ({ unsent }) =>
      `${quantity(unsent, 'alert')} from the last ${FAILING_DAYS} days could not be sent to all recipients.`,
    to: '/settings/alerts',
    next: 'View alerts',
  },
  deletion: {
    name: 'Being deleted',
    badge: () => 'Being deleted',
    sentence: () => 'This site is being deleted and can no longer be opened.',
    to: '/settings/deletion',
    next: 'View status',
  },
  expiring: {
    name: 'Expiring keys',
    badge: ({ expiring }) => `${formatQuantity(expiring, 'key')} ${verb(expiring, 'expires', 'expire')}`,
    sentence: ({ expiring, expiringKey, expiresFirst }, now) => (
      <>
        {expiring === 1 ? 'The key' : `${expiring} keys expire within ${EXPIRING_DAYS} days, the first,`} “
        <bdi>{expiringKey}</bdi>”{expiring === 1 ? ' expires' : ','} <Day at={expiresFirst!} now={now} />.
      </>
    ),
    to: '/api#keys',
    next: 'View keys',
  },
  ready: {
    name: 'Drafts ready for review',
    badge: ({ ready }) => `${capped(ready)} ready`,
    sentence: ({ ready, readySince }, now) => {
      const isOld = now.getTime() - Date.parse(readySince!) >= DAY_MS
      const waits = `${ready === 1 ? ' and has' : '. The oldest has'} been waiting for ${ageOf(readySince!, now)}`
      return `${quantity(ready, 'draft')} ${verb(ready, 'is', 'are')} ready for review${isOld ? waits : ''}.`
    },
    to: '/content?status=ready',
    next: 'Review',
  },
  changes: {
    name: 'Posts with changes requested',
    badge: ({ changes }) => `${capped(changes)} to change`,
    sentence: ({ changes }) => `Changes are requested on ${quantity(changes, 'post')}.`,
    to: '/content?status=changes',
    next: 'View posts',
  },
}

/** `Search and CMS are failing (up to 93 in a row).` */
function KeepFailing({ streak, streakWebhooks }: SiteTroubles) {
  const parts = new Intl.ListFormat('en').formatToParts(streakWebhooks ?? [])
  return (
    <>
      {parts.map(({ type, value }) => (type === 'element' ? <bdi>{value}</bdi> : value))}{' '}
      {verb(parts.length, 'is failing (', 'are failing (up to ')}
      {streak.toLocaleString('en')} in a row).
    </>
  )
}

const percent = ({ share }: SiteTroubles) => formatShare(share ?? 0, 1)

/** Such as `3 days`. */
function ageOf(since: string, now: Date): string {
  const hours = Math.floor((now.getTime() - Date.parse(since)) / HOUR_MS)
  if (hours < 1) return 'less than an hour'
  return hours < 48 ? formatQuantity(hours, 'hour') : formatQuantity(Math.floor(hours / 24), 'day')
}

const TONES = { danger: 'danger', warning: 'warning', waiting: 'neutral' } as const satisfies Record<
  Severity,
  string
>

const pathOf = ({ site }: SiteOverview, to: string) => `/console/sites/${site.id}${to}`

export const shownOf = ({ found }: SiteOverview) =>
  troubles.filter((trouble) => found[trouble] > 0 && hiddenBy(trouble).every((other) => found[other] === 0))

type TroubleLinesProps = {
  of: SiteOverview
  now: Date
  /** Troubles that are shown elsewhere. */
  without?: Trouble[]
  /** Links name the site for screen readers. */
  isNamed?: boolean
}

export function TroubleLines({ of, now, without = [], isNamed = false }: TroubleLinesProps) {
  const { found } = of
  const shown = shownOf(of).filter((trouble) => !without.includes(trouble))
  if (shown.length === 0) return null
  return (
    <ul class="issues">
      {shown.map((trouble) => {
        const { sentence, to, next } = TROUBLE_TEXTS[trouble]
        return (
          <li class={TONES[TROUBLES[trouble]]}>
            <span>{sentence(found, now)}</span>{' '}
            <a href={pathOf(of, to)}>
              {next}
              {isNamed && <span class="visually-hidden"> of {of.site.name}</span>}
            </a>
          </li>
        )
      })}
    </ul>
  )
}

/** One line for all sites with a trouble. */
export function SitesWithTrouble({ trouble, count }: { trouble: Trouble; count: number }) {
  return (
    <section>
      <h3>{formatQuantity(count, 'site')}</h3>
      <ul class="issues">
        <li class={TONES[TROUBLES[trouble]]}>
          <span>{TROUBLE_TEXTS[trouble].name}</span>
          <a href={addQuery('/console/sites', { trouble })}>
            View sites<span class="visually-hidden"> with {TROUBLE_TEXTS[trouble].name}</span>
          </a>
        </li>
      </ul>
    </section>
  )
}

const badgesOf = (of: SiteOverview) => shownOf(of).filter((trouble) => trouble !== 'deletion')

export const hasBadge = (of: SiteOverview) => badgesOf(of).length > 0

/** The worst issue, and the number of the others, which the overview lists. The name of a site says that it is being deleted. */
export function TroubleBadges({ of }: { of: SiteOverview }) {
  const [worst, ...others] = badgesOf(of)
  if (!worst) return null
  const text = (trouble: Trouble) => TROUBLE_TEXTS[trouble].badge(of.found)
  const tone = TONES[TROUBLES[worst]]
  const to = others.length > 0 ? '/overview' : TROUBLE_TEXTS[worst].to
  return (
    <a href={pathOf(of, to)} title={others.map(text).join(', ') || undefined}>
      {tone === 'neutral' ? (
        <span class="muted">{text(worst)}</span>
      ) : (
        <Badge tone={tone} text={text(worst)} />
      )}
      {others.length > 0 && <span class="muted"> and {others.length} more</span>}
      <span class="visually-hidden"> of {of.site.name}</span>
    </a>
  )
}
