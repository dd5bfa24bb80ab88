/** With which status an article comes in: one place decides for every source. */
import type { Article } from '../../transfer/source.ts'

type Status = NonNullable<Article['status']>

/** `--status` and `--include-drafts`. */
export type StatusFlags = { status?: Status; includeDrafts?: boolean }

/** Why a source does not show an article to everybody. */
export type Held<Reason extends string = string> = {
  reason: Reason
  detail?: string | undefined
  /** It is not unfinished but for some readers alone, and so nothing that an import publishes. */
  isPrivate?: boolean
}

export const DRAFT = { reason: 'says that it is a draft, and is put as one' } as const satisfies Held

/**
 * `own` is the status that the source gives, and `held` says why it does not show the article to everybody, if it does not.
 * What is held back is not published, whatever `--status` says, unless it is a draft and drafts are included; `because` then
 * is `held`.
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
