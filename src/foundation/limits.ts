/** What a write may hold. The command line keeps to it as well. */

/** Of a request's body, and so of one article. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
/** Articles put or changed at once. A message to the queue takes as many events. */
export const MAX_ARTICLES = 100
/** Old addresses put at once. */
export const MAX_REDIRECTS = 500
/** Events and deletions are kept as long. */
export const RETENTION_DAYS = 90
