/** What the values of a post's fields are called, where people choose one. */
import type { qualityBands, reviewStatuses } from '../../db/schema.ts'

export const QUALITY_BANDS = {
  premium: 'Premium',
  standard: 'Standard',
  review: 'Review',
} as const satisfies Record<(typeof qualityBands)[number], string>

export const REVIEW_STATUSES = {
  pending: 'Pending',
  approved: 'Approved',
  changes_requested: 'Changes requested',
} as const satisfies Record<(typeof reviewStatuses)[number], string>
