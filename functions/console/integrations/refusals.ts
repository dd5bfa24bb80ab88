/** Why an event is not sent again: in the URL as `refused`, and in words on the page that it leads to. */
import { AppError, type ErrorCode } from '../../../src/core/errors.ts'
import type { Http } from '../../http/env.ts'

const REFUSALS: Partial<Record<ErrorCode, [query: string, text: string]>> = {
  event_under_way: [
    'busy',
    'The event is being sent right now, so it was not sent again. Try again in a few seconds.',
  ],
  webhook_not_found: [
    'unset',
    'The webhook is not set any more, so nothing was sent. Set one, then send again.',
  ],
  post_not_yet_visible: [
    'unseen',
    'A part of the service cannot be reached, so readers may not see the post yet. Nothing more is sent until then: try again in a minute.',
  ],
}

/** The value of `refused`; undefined for any other error. */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof AppError ? REFUSALS[error.code]?.[0] : undefined
}

export function refusalText(c: Http): string | undefined {
  return Object.values(REFUSALS).find(([query]) => query === c.req.query('refused'))?.[1]
}
