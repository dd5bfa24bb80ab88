import type { Post } from '../../../src/content/posts/post.ts'
import type { qualityBands } from '../../../src/db/schema.ts'
import { Badge } from '../parts/badge.tsx'

export const BAND_NAMES: Readonly<Record<(typeof qualityBands)[number] | 'none', string>> = {
  premium: 'Premium',
  standard: 'Standard',
  review: 'Review',
  none: 'Not checked',
}

/** One badge for a draft: the state that matters most. */
export function StatusBadge({
  status,
  readyAt = null,
  publishAt = null,
  isBlocked = false,
}: {
  status: Post['status']
  readyAt?: Date | string | null
  publishAt?: Date | string | null
  /** True if an editor has requested changes. */
  isBlocked?: boolean
}) {
  // Short, because the widest badge sets the width of the column.
  const changes = isBlocked && (
    <span class="badge warning">
      Changes<span class="visually-hidden"> requested</span>
    </span>
  )
  if (status === 'published') {
    return (
      <>
        <Badge tone="success" text="Published" />
        {changes && <> {changes}</>}
      </>
    )
  }
  if (changes) return changes
  if (publishAt) return <Badge text="Scheduled" />
  return readyAt ? <Badge tone="success" text="Ready" /> : <Badge text="Draft" />
}

export function QualityBadge({ band }: { band: Post['qualityBand'] }) {
  if (!band) return null
  return band === 'review' ? (
    <Badge tone="warning" text={BAND_NAMES[band]} />
  ) : (
    <span>{BAND_NAMES[band]}</span>
  )
}
