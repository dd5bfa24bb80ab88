/** Values of enumerated columns, as the API accepts them. */

export const plans = ['free', 'starter', 'growth', 'scale'] as const
export const postStatuses = ['draft', 'published'] as const
export const resources = ['post', 'guide'] as const
/** Kinds of redirect: the old slug of a post or guide, or any other path of the site. */
export const redirectKinds = [...resources, 'address'] as const
/** Each access includes the ones after it. */
export const keyAccesses = ['full', 'published', 'sitemap'] as const
/** The content of posts in a site's feeds. */
export const feedContents = ['excerpt', 'full'] as const
export const qualityBands = ['premium', 'standard', 'review'] as const
export const reviewStatuses = ['pending', 'approved', 'changes_requested'] as const
export const eventStates = ['pending', 'sending', 'delivered', 'failed'] as const
/** How a resend of all failed events ended. */
export const resendEndings = ['done', 'stopped', 'webhook_removed'] as const
/** Kinds of alert. src/alerts/alert.ts defines their content. */
export const alertKinds = ['webhook_failing', 'webhook_recovered', 'quota'] as const
export const alertTargets = ['slack', 'email', 'webhook'] as const
/** Each role includes the ones before it. */
export const roles = ['viewer', 'editor', 'admin'] as const
/** Sign-in credentials: a reusable token, or a one-time link. */
export const tokenKinds = ['token', 'link'] as const
/** Where a write came in. `schedule` is a scheduled publication. `database` is manual SQL or the service itself. */
export const doors = ['console', 'cli', 'management', 'mcp', 'api', 'schedule', 'database'] as const

/** Events that a webhook can subscribe to. src/webhooks/event-kinds.ts defines their content. */
export const optionalEvents = ['post.published', 'post.updated', 'post.unpublished', 'post.deleted'] as const
export const eventKinds = ['article.ready', ...optionalEvents, 'webhook.test'] as const
export type EventKind = (typeof eventKinds)[number]

/** Separate quotas by access. `full` counts all keys except the sitemap-only ones. */
export const quotaCounters = ['full', 'sitemap', 'preview'] as const
