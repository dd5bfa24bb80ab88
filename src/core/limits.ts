/** What a write may hold. The command line keeps to it as well. */

/** Of a request's body, and so of one article. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
/** Articles put or changed at once. */
export const MAX_ARTICLES = 100
/** Training rows of an export, and added at once. */
export const MAX_TRAINING_ROWS = 500
/** Failed events sent again a second, where that is limited: the messages that a call to the queue takes. */
export const MAX_RESENT_PER_SECOND = 100
/** Old addresses put at once. */
export const MAX_REDIRECTS = 500
/** Events and deletions are kept as long. */
export const RETENTION_DAYS = 90
