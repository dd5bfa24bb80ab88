/** Limits of a write. The command line keeps to them, too. */

/** Limit of a request body, and therefore of one article. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
/** Articles per put or change. */
export const MAX_ARTICLES = 100
/** Training rows per export or addition. */
export const MAX_TRAINING_ROWS = 500
/** Limit of a throttled resend: the messages that one call to the queue takes. */
export const MAX_RESENT_PER_SECOND = 100
/** Old addresses per put. */
export const MAX_REDIRECTS = 500
/** Retention of events and deletions. */
export const RETENTION_DAYS = 90
