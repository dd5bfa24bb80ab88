/** What the values of a post's fields are called, where people choose one. */
import type { reviewStatuses } from '../../db/schema.ts'
import { FILTERS } from '../../foundation/article-filters.ts'

const { none: _, ...bands } = FILTERS.band.options
export const QUALITY_BANDS = bands

export const REVIEW_STATUSES = {
  pending: 'Pending',
  approved: 'Approved',
  changes_requested: 'Changes requested',
} as const satisfies Record<(typeof reviewStatuses)[number], string>
