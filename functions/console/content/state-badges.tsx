import type { Post } from '../../../src/content/posts/post.ts'
import type { qualityBands } from '../../../src/db/schema.ts'
import { Badge } from '../parts/badge.tsx'

export const BAND_NAMES: Readonly<Record<(typeof qualityBands)[number] | 'none', string>> = {
  premium: 'Premium',
  standard: 'Standard',
  review: 'Review',
  none: 'Not checked',
}

/** The state of a post or guide, and a second badge if changes are requested. */
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
  const isPublished = status === 'published'
  const draft = publishAt ? 'Scheduled' : readyAt ? 'Ready' : 'Draft'
  const isGood = isPublished || draft === 'Ready'
  return (
    <>
      <Badge tone={isGood ? 'success' : 'neutral'} text={isPublished ? 'Published' : draft} />{' '}
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
