/** Payloads of the events. The service's `npm run types` compares them with its own. */

/** A draft is ready to fetch. */
export type ArticleReady = {
  event: 'article.ready'
  siteId: string
  postId: string
  slug: string
  title: string
  /** @deprecated Use `qualityBand`. */
  trustScore: number | null
  qualityBand: 'premium' | 'standard' | 'review' | null
  assuranceLabel: string | null
  language: string | null
  sourcePostId: string | null
  status: 'draft'
  at: string
  /** Number of the change in the site's change feed. */
  sequence: number
  fetch: { path: string; hint: string }
}

type Common = 'siteId' | 'postId' | 'slug' | 'language' | 'at' | 'sequence'
type Flat<Of> = { [Name in keyof Of]: Of[Name] }
type EventOf<Own, From extends keyof ArticleReady = Common> = Flat<Pick<ArticleReady, From> & Own>
type Present = Common | 'title' | 'sourcePostId' | 'fetch'

export type PostPublished = EventOf<{ event: 'post.published'; status: 'published' }, Present>

/** `previousSlug` is null unless the slug has changed. */
export type PostUpdated = EventOf<Updated, Present>
type Updated = { event: 'post.updated'; status: 'published'; previousSlug: string | null }

/** A published post is a draft again. */
export type PostUnpublished = EventOf<{ event: 'post.unpublished'; status: 'draft' }, Present>

export type PostDeleted = EventOf<{ event: 'post.deleted' }>

export type WebhookTest = { event: 'webhook.test'; siteId: string; at: string; message: string }

export type Payloads = {
  'article.ready': ArticleReady
  'post.published': PostPublished
  'post.updated': PostUpdated
  'post.unpublished': PostUnpublished
  'post.deleted': PostDeleted
  'webhook.test': WebhookTest
}
