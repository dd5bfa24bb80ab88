/** Decides the status of an imported article, for all sources. */
import type { Article } from '../../transfer/source.ts'

type Status = NonNullable<Article['status']>

export type StatusFlags = { status?: Status; includeDrafts?: boolean }

/** Reason why a source does not show an article to everyone. */
export type Held<Reason extends string = string> = {
  reason: Reason
  detail?: string | undefined
  /** It is for some readers only, so `--include-drafts` does not publish it. */
  isPrivate?: boolean
}

export const DRAFT = { reason: 'says that it is a draft, and is put as one' } as const satisfies Held

/**
 * `own` is the status in the source. A held article becomes a draft whatever `--status` says, with `held` as `because`,
 * unless it is unfinished and drafts are included.
 */
export function statusOf<Why extends Held>(
  own: Status | undefined,
  held: Why | undefined,
  flags: StatusFlags,
): { status: Status | undefined; because?: Why } {
  const wanted = flags.status ?? own
  if (held === undefined || wanted !== 'published') return { status: wanted }
  if (flags.includeDrafts && !held.isPrivate) return { status: wanted }
  return { status: 'draft', because: held }
}
