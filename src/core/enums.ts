/** The values of enumerated columns, which callers may also send. */

export const plans = ['free', 'starter', 'growth', 'scale'] as const
export const postStatuses = ['draft', 'published'] as const
export const resources = ['post', 'guide'] as const
/** What a redirect is of: the old slug of a post or guide, or any other path of the site. */
export const redirectKinds = [...resources, 'address'] as const
/** Each opens what those after it open, and more. */
export const keyAccesses = ['full', 'published', 'sitemap'] as const
/** What the feeds of a site have of each post. */
export const feedContents = ['excerpt', 'full'] as const
export const qualityBands = ['premium', 'standard', 'review'] as const
export const reviewStatuses = ['pending', 'approved', 'changes_requested'] as const
export const eventStates = ['pending', 'sending', 'delivered', 'failed'] as const
/** How a resend of all that failed has ended. */
export const resendEndings = ['done', 'stopped', 'webhook_removed'] as const
/** What an operator is alerted to; src/alerts/alert.ts says what each tells. */
export const alertKinds = ['webhook_failing', 'webhook_recovered', 'quota'] as const
export const alertTargets = ['slack', 'email', 'webhook'] as const
/** Each may do what those before it may. */
export const roles = ['viewer', 'editor', 'admin'] as const
/** Of what an operator signs in with: a token, again and again, or a link, once. */
export const tokenKinds = ['token', 'link'] as const
/** Where a write came in. `schedule`: what somebody has scheduled. `database`: SQL by hand, and what else the service does by itself. */
export const doors = ['console', 'cli', 'management', 'mcp', 'api', 'schedule', 'database'] as const

/** The events that a webhook may have switched on; src/webhooks/event-kinds.ts says what they tell. */
export const optionalEvents = ['post.published', 'post.updated', 'post.unpublished', 'post.deleted'] as const
export const eventKinds = ['article.ready', ...optionalEvents, 'webhook.test'] as const
export type EventKind = (typeof eventKinds)[number]

/** The quotas that are counted apart, by the access of those that use them: `full` is that of all keys but the sitemap-only ones. */
export const quotaCounters = ['full', 'sitemap', 'preview'] as const
