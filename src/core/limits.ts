/** Limits a request body, and therefore one article. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
export const MAX_ARTICLES = 100
export const MAX_TRAINING_ROWS = 500
/** One call to the queue takes this many messages. */
export const MAX_RESENT_PER_SECOND = 100
export const MAX_REDIRECTS = 500
/** How long the change feed has deletions, and accepts cursors. */
export const DELETIONS_KEPT_DAYS = 90

/** Edits of an article whose old values are kept. */
export const MAX_REVISIONS = 30
/** The same, in bytes as stored. A single edit always fits. */
export const MAX_REVISION_BYTES = 2 * MAX_BODY_BYTES
