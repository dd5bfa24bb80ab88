/** The payloads of the events. The service's `npm run types` compares them with its own. */

/** A draft is ready to be fetched. */
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
  /** The number of the change in the site's change feed. */
  sequence: number
  fetch: { path: string; hint: string }
}

type Common = 'siteId' | 'postId' | 'slug' | 'language' | 'at' | 'sequence'
type Flat<Of> = { [Name in keyof Of]: Of[Name] }
type Told<Own, From extends keyof ArticleReady = Common> = Flat<Pick<ArticleReady, From> & Own>
type Present = Common | 'title' | 'sourcePostId' | 'fetch'

/** A post has been published. */
export type PostPublished = Told<{ event: 'post.published'; status: 'published' }, Present>

/** A published post has changed; `previousSlug` is null unless it has got another slug. */
export type PostUpdated = Told<Updated, Present>
type Updated = { event: 'post.updated'; status: 'published'; previousSlug: string | null }

/** A published post is a draft again. */
export type PostUnpublished = Told<{ event: 'post.unpublished'; status: 'draft' }, Present>

/** A published post has been deleted. */
export type PostDeleted = Told<{ event: 'post.deleted' }>

/** Somebody tests the webhook. */
export type WebhookTest = { event: 'webhook.test'; siteId: string; at: string; message: string }

/** The payload of each kind of event. */
export type Payloads = {
  'article.ready': ArticleReady
  'post.published': PostPublished
  'post.updated': PostUpdated
  'post.unpublished': PostUnpublished
  'post.deleted': PostDeleted
  'webhook.test': WebhookTest
}
