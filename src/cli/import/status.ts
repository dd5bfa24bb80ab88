/** Decides the status of an imported article, for all sources. */
import type { Article } from '../../transfer/source.ts'

type Status = NonNullable<Article['status']>

export type StatusFlags = { status?: Status; includeDrafts?: boolean }

export type HoldReason<Reason extends string = string> = {
  reason: Reason
  detail?: string | undefined
  /** It is for some readers only, so `--include-drafts` does not publish it. */
  isPrivate?: boolean
}

export const DRAFT = { reason: 'marked as a draft: imported as a draft' } as const satisfies HoldReason

/** A held article becomes a draft whatever `--status` says, unless it is unfinished and drafts are included. */
export function statusOf<Why extends HoldReason>(
  sourceStatus: Status | undefined,
  held: Why | undefined,
  flags: StatusFlags,
): { status: Status | undefined; because?: Why } {
  const wanted = flags.status ?? sourceStatus
  if (held === undefined || wanted !== 'published') return { status: wanted }
  if (flags.includeDrafts && !held.isPrivate) return { status: wanted }
  return { status: 'draft', because: held }
}
