/** What a write may hold. The command line keeps to it as well. */

/** Of a request's body, and so of one article. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
/** Articles put or changed at once. */
export const MAX_ARTICLES = 100
/** Training rows of an export, and added at once. */
export const MAX_TRAINING_ROWS = 500
/**
 * Failed events sent again by one request: with the writing of each outcome and the calls around them they keep within the 50
 * that a Worker may make a request, and within their claim's minute.
 */
export const MAX_RESENT = 20
/** Old addresses put at once. */
export const MAX_REDIRECTS = 500
/** Events and deletions are kept as long. */
export const RETENTION_DAYS = 90
