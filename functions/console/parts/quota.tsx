/** Usage of a daily quota. Warns from 80 %, in words as well as in color. */
import type { Child } from 'hono/jsx'
import { Badge } from './badge.tsx'
import { Notice } from './page.tsx'
import { formatShare } from './quantity.ts'

type Used = { used: number; limit: number }

const WARNS_FROM = 0.8

function toneOf({ used, limit }: Used): 'warning' | 'danger' | null {
  if (used >= limit) return 'danger'
  return used >= limit * WARNS_FROM ? 'warning' : null
}

export function QuotaBar({ label, used, limit }: Used & { label: string }) {
  return (
    <progress
      max={limit}
      value={Math.min(used, limit)}
      aria-label={label}
      class={toneOf({ used, limit }) ?? undefined}
    />
  )
}

export function QuotaBadge(quota: Used) {
  const tone = toneOf(quota)
  return (
    tone && (
      <Badge
        tone={tone}
        text={tone === 'danger' ? 'Used up' : `${formatShare(quota.used, quota.limit)} used`}
      />
    )
  )
}

/** Warns from 80 %. `children` says what to do. */
export function QuotaNotice({ now, children, ...quota }: Used & { now: Date; children?: Child }) {
  const tone = toneOf(quota)
  if (!tone) return null
  return (
    <Notice tone={tone}>
      {tone === 'danger'
        ? `Today's quota is used up. The API returns 429 until 00:00 UTC, in ${untilReset(now)}.`
        : `${formatShare(quota.used, quota.limit)} of today's quota is used. At 100%, the API returns 429 until 00:00 UTC.`}{' '}
      {children}
    </Notice>
  )
}

/** The time until the count resets at midnight UTC, such as `5 h 12 min`. */
export function untilReset(now: Date): string {
  const minutes = Math.max(1, Math.ceil((resetAfter(now).getTime() - now.getTime()) / 60_000))
  const hours = Math.floor(minutes / 60)
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`
}

function resetAfter(now: Date): Date {
  const reset = new Date(now)
  reset.setUTCHours(24, 0, 0, 0)
  return reset
}
