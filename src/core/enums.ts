export const plans = ['free', 'starter', 'growth', 'scale'] as const
export const postStatuses = ['draft', 'published'] as const
export const resources = ['post', 'guide'] as const
/** The old slug of a post or guide, or any other path of the site. */
export const redirectKinds = [...resources, 'address'] as const
/** Each access includes the ones after it. */
export const keyAccesses = ['full', 'published', 'sitemap'] as const
export const feedContents = ['excerpt', 'full'] as const
export const qualityBands = ['premium', 'standard', 'review'] as const
export const reviewStatuses = ['pending', 'approved', 'changes_requested'] as const
export const eventStates = ['pending', 'sending', 'delivered', 'failed'] as const
export const resendEndings = ['done', 'stopped', 'webhook_removed'] as const
export const importSources = ['markdown', 'wordpress', 'ghost', 'ndjson'] as const
/** `checked` waits for a person. */
export const importPhases = ['uploading', 'checking', 'checked', 'importing', 'ended'] as const
export const activeImportPhases = ['checking', 'importing'] as const
export const alertKinds = ['webhook_failing', 'webhook_recovered', 'quota'] as const
export const alertTargets = ['slack', 'email', 'webhook'] as const
/** Each role includes the ones before it. */
export const roles = ['viewer', 'editor', 'admin'] as const
export const tokenKinds = ['token', 'link'] as const
/** Where a write came in. `database` is manual SQL or the service itself. */
export const channels = ['console', 'cli', 'management', 'mcp', 'api', 'schedule', 'database'] as const

export const optionalEvents = ['post.published', 'post.updated', 'post.unpublished', 'post.deleted'] as const
export const eventKinds = ['article.ready', ...optionalEvents, 'webhook.test'] as const
export type EventKind = (typeof eventKinds)[number]

/** `full` counts all keys except the sitemap-only ones. */
export const quotaCounters = ['full', 'sitemap', 'preview'] as const
