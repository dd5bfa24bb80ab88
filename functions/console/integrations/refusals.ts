/** Reasons for a refused resend: the redirect has the code in `refused`, and the next page shows the text. */
import { AppError, type ErrorCode } from '../../../src/core/errors.ts'
import type { Http } from '../../http/env.ts'

const REFUSALS: Partial<Record<ErrorCode, [query: string, text: string]>> = {
  event_under_way: [
    'busy',
    'The event is being sent right now, so it was not resent. Try again in a few seconds.',
  ],
  webhook_not_found: [
    'unset',
    'The webhook has been removed, so nothing was sent. Add a webhook, then resend.',
  ],
  post_not_yet_visible: [
    'unseen',
    'Part of the service is unavailable, so readers may not see the post yet. Nothing is sent until they do. Try again in a minute.',
  ],
}

/** @returns undefined for any other error */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof AppError ? REFUSALS[error.code]?.[0] : undefined
}

export function refusalText(c: Http): string | undefined {
  return Object.values(REFUSALS).find(([query]) => query === c.req.query('refused'))?.[1]
}
