import type { Post } from '../../../src/content/posts/post.ts'
import type { qualityBands } from '../../../src/db/schema.ts'
import { Badge } from '../parts/badge.tsx'

export const BAND_NAMES: Readonly<Record<(typeof qualityBands)[number] | 'none', string>> = {
  premium: 'Premium',
  standard: 'Standard',
  review: 'Review',
  none: 'Not checked',
}

/** A draft may be scheduled and ready at once, or scheduled with requested changes. */
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
  const isDraft = status === 'draft'
  return (
    <>
      {!isDraft && <Badge tone="success" text="Published" />}
      {isDraft && (publishAt || !readyAt) && <Badge text={publishAt ? 'Scheduled' : 'Draft'} />}{' '}
      {isDraft && readyAt && <Badge tone="success" text="Ready" />}{' '}
      {/* Short, because the widest badges set the width of the column. */}
      {isBlocked && (
        <span class="badge warning">
          Changes<span class="visually-hidden"> requested</span>
        </span>
      )}
    </>
  )
}

export function QualityBadge({ band }: { band: Post['qualityBand'] }) {
  if (!band) return null
  return band === 'review' ? (
    <Badge tone="warning" text={BAND_NAMES[band]} />
  ) : (
    <span>{BAND_NAMES[band]}</span>
  )
}
