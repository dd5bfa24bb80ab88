/** With which status an article comes in: one place decides for every source. */
import type { Article } from './source.ts'

type Status = NonNullable<Article['status']>

/** `--status` and `--include-drafts`. */
export type StatusFlags = { status?: Status; includeDrafts?: boolean }

/**
 * `own` is the status that the source gives, and `held` says why it does not show the article to everybody, if it does not.
 * What is held back is not published, whatever `--status` says, unless drafts are included; `reason` then is `held`.
 */
export function statusOf(
  own: Status | undefined,
  held: string | undefined,
  flags: StatusFlags,
): { status: Status | undefined; reason?: string } {
  const wanted = flags.status ?? own
  if (held === undefined || flags.includeDrafts || wanted !== 'published') return { status: wanted }
  return { status: 'draft', reason: held }
}
