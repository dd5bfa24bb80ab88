/**
 * All tables of the service. The functions in drizzle/functions set `updated_at` of posts and guides and the versions and
 * `last_sequence` of sites, and fill `post_counts`, `post_titles`, `tombstones`, `webhook_events`, `audit_log` and, with the
 * verbs of redirects, `redirects`.
 */
import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import * as enums from '../core/enums.ts'

export * from '../core/enums.ts'

/** In milliseconds, the precision that the API shows and `updatedAfter` compares. */
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

/** A field of who writes, from the transaction's settings (`setActor` in write.ts). Null for SQL by hand. */
const ofActor = (field: string) => sql.raw(`nullif(current_setting('audit.${field}', true), '')`)

/** The person who made the row. It ends when they leave (drizzle/functions/departures.sql). Null for OPERATOR_TOKEN and SQL by hand. */
const madeBy = () => uuid('made_by').default(sql`${ofActor('actor_id')}::uuid`)

const id = () => uuid('id').primaryKey().defaultRandom()
const createdAt = () => time('created_at').notNull().defaultNow()

/** The transaction that wrote the row. In a savepoint, `xmin` is another. Null for rows from before there was the column. */
const transactionId = () =>
  bigint('transaction_id', { mode: 'number' }).default(sql`(pg_current_xact_id()::text)::bigint`)

/** Clock time in milliseconds, so that a database restored to an earlier point never reuses a version. */
const version = (name: string) => bigint(name, { mode: 'number' }).notNull().default(sql`next_version(0)`)

/** That a column has one of these values. */
const oneOf = (column: AnyPgColumn, values: readonly string[]) =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`

export const sites = pgTable(
  'sites',
  {
    id: id(),
    name: text('name').notNull(),
    domain: text('domain').notNull(),
    defaultLanguage: text('default_language').notNull().default('en'),
    postPath: text('post_path').notNull().default('/blog/{slug}'),
    guidePath: text('guide_path').notNull().default('/guides/{slug}'),
    plan: text('plan', { enum: enums.plans }).notNull().default('free'),
    /** Requests a day; null for the plan's quota. */
    dailyQuota: integer('daily_quota'),
    trainingOptIn: boolean('training_opt_in').notNull().default(false),
    /** The id in the URL of the published sitemap; null while none is published. */
    sitemapId: text('sitemap_id'),
    feedContent: text('feed_content', { enum: enums.feedContents }).notNull().default('excerpt'),
    /** Where links to drafts lead, with their token; null for the service's own preview. */
    previewUrl: text('preview_url'),
    /** From then on no key, published sitemap or preview link opens the site, and its content is being deleted. */
    deletionStartedAt: time('deletion_started_at'),
    /** Raised by every change to what the API shows of the site; part of every ETag, but of those of a single post or guide. */
    contentVersion: version('content_version'),
    /** The version that each of 32 parts of the slugs had last changed at: part of the ETag of a post or guide. */
    slugVersions: text('slug_versions').notNull().default(sql`all_slug_versions(next_version(0))`),
    /** Both of these again, raised only by changes to what is published: part of the ETags of answers without drafts. */
    publishedVersion: version('published_version'),
    publishedSlugVersions: text('published_slug_versions')
      .notNull()
      .default(sql`all_slug_versions(next_version(0))`),
    /** Raised by every change to the settings above, the site's keys or its preview links; a cached authentication is valid for one version. */
    authVersion: version('auth_version'),
    /** The highest `updated_at` given out so far. Kept here because the row that had it may be deleted. */
    lastSequence: time('last_sequence').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('sites_sitemap').on(t.sitemapId), index('sites_newest').on(t.createdAt, t.id)],
)

const siteId = () =>
  uuid('site_id')
    .notNull()
    .references(() => sites.id, { onDelete: 'cascade' })

export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    siteId: siteId(),
    name: text('name').notNull(),
    access: text('access', { enum: enums.keyAccesses }).notNull().default('full'),
    /** SHA-256 of the key in hex; the key itself is never stored. */
    keyHash: text('key_hash').notNull(),
    prefix: text('prefix').notNull(),
    lastFour: text('last_four').notNull(),
    createdAt: createdAt(),
    lastUsedAt: time('last_used_at'),
    expiresAt: time('expires_at'),
    revokedAt: time('revoked_at'),
  },
  (t) => [
    uniqueIndex('api_keys_hash').on(t.keyHash),
    index('api_keys_by_site').on(t.siteId, t.createdAt, t.id),
  ],
)

/** The columns that posts and guides share. */
const article = () => ({
  id: id(),
  siteId: siteId(),
  slug: text('slug').notNull(),
  title: text('title').notNull(),
  /** `foldCase(foldedFrom)`, for searches; of posts it is copied to `postTitles`. */
  titleFolded: text('title_folded').notNull().default(''),
  /** Not the title: that was set by SQL by hand, and the sweep folds it. */
  foldedFrom: text('folded_from'),
  /** The version of `foldCase` that made it. */
  foldVersion: smallint('fold_version').notNull().default(1),
  excerpt: text('excerpt'),
  contentHtml: text('content_html').notNull(),
  status: text('status', { enum: enums.postStatuses }).notNull().default('draft'),
  publishedAt: time('published_at'),
  updatedAt: time('updated_at').notNull().defaultNow(),
  createdAt: createdAt(),
  readingTimeMinutes: integer('reading_time_minutes'),
  /** Of an imported one, what it is called at its source, such as `ghost:64f0c1a2`. */
  originId: text('origin_id'),
  /** The slug that the source gave it at the last import. */
  originSlug: text('origin_slug'),
  /** JSON bytes of the heavy fields, set by the row trigger; keeps each query's response within Neon's limit. */
  wireBytes: integer('wire_bytes').notNull().default(0),
})

const hasBeyondAscii = (title: AnyPgColumn) => sql`octet_length(${title}) > length(${title})`

/** Whether the sweep has to fold an article's title. That of an ASCII title is right: the row trigger's lower() does the same. */
export const isUnfolded = (t: Record<'title' | 'foldedFrom', AnyPgColumn>) =>
  sql`${t.foldedFrom} is distinct from ${t.title} and ${hasBeyondAscii(t.title)}`

/** An earlier version of the fold made it. All versions fold ASCII the same. */
export const isFoldedBefore = (t: Record<'title' | 'foldVersion', AnyPgColumn>, version: number) =>
  sql`${t.foldVersion} < ${version} and ${hasBeyondAscii(t.title)}`

export const posts = pgTable(
  'posts',
  {
    ...article(),
    /** 0 to 100; the API shows only `qualityBand`. */
    trustScore: doublePrecision('trust_score'),
    qualityBand: text('quality_band', { enum: enums.qualityBands }),
    assuranceLabel: text('assurance_label'),
    reviewStatus: text('review_status', { enum: enums.reviewStatuses }),
    aiGenerated: boolean('ai_generated').notNull().default(false),
    language: text('language'),
    /** The language in lower case, or empty, for the filter of lists; set by the row trigger. */
    languageKey: text('language_key').notNull().default(''),
    /** The post this one translates, which is never itself a translation. */
    sourcePostId: uuid('source_post_id').references((): AnyPgColumn => posts.id, { onDelete: 'set null' }),
    provenance: jsonb('provenance'),
    seo: jsonb('seo'),
    faqJsonLd: jsonb('faq_json_ld'),
    schemaBundle: jsonb('schema_bundle'),
    /** True when the service built the bundle, if only in part; the row trigger then keeps its dates up to date. */
    schemaBundleDerived: boolean('schema_bundle_derived').notNull().default(false),
    /** What the caller gave of a derived bundle's `article`, which stays as given. */
    schemaArticle: jsonb('schema_article'),
    authors: jsonb('authors').notNull().default([]),
    image: jsonb('image'),
    categories: jsonb('categories').notNull().default([]),
    tags: jsonb('tags').notNull().default([]),
    canonicalUrl: text('canonical_url'),
    /** When the author last changed it, if the caller has said so. */
    modifiedAt: time('modified_at'),
    /** What the sitemap shows: `modifiedAt`, or else `updatedAt`; set by the row trigger. */
    lastmod: time('lastmod').notNull().defaultNow(),
    /** When the draft was marked ready; an edit sets it back to null. */
    readyAt: time('ready_at'),
    /** The name of whoever marked it ready, set by the row trigger; null for SQL by hand. */
    readyBy: text('ready_by'),
    /** When the draft is to be published. An edit sets it back to null, and the row trigger once it is published. */
    publishAt: time('publish_at'),
    scheduledBy: jsonb('scheduled_by').$type<Scheduler>(),
    changeRequest: jsonb('change_request').$type<ChangeRequest>(),
    /** Bytes of the slug in a URL, set by the row trigger. */
    slugBytes: integer('slug_bytes').notNull().default(0),
    /** What the URLs in a derived bundle were made with (`postUrlTemplate`), which the site may have changed since. */
    urlTemplate: text('url_template'),
  },
  (t) => [
    uniqueIndex('posts_slug').on(t.siteId, t.slug),
    uniqueIndex('posts_origin').on(t.siteId, t.originId).where(sql`${t.originId} is not null`),
    uniqueIndex('posts_newest').on(t.siteId, t.updatedAt),
    index('posts_newest_by_status').on(t.siteId, t.status, t.updatedAt),
    index('posts_newest_published').on(
      t.siteId,
      t.status,
      t.languageKey,
      t.publishedAt.desc().nullsLast(),
      t.id,
      t.updatedAt,
    ),
    index('posts_newest_by_language').on(t.siteId, t.status, t.languageKey, t.updatedAt),
    index('posts_translations').on(t.sourcePostId),
    index('posts_sitemap')
      .on(t.siteId, t.createdAt, t.id, t.sourcePostId)
      .where(sql`${t.status} = 'published'`),
    index('posts_by_url_template')
      .on(t.siteId, t.languageKey, t.urlTemplate)
      .where(sql`${t.urlTemplate} is not null`),
    index('posts_unfolded').on(t.siteId).where(isUnfolded(t)),
    index('posts_fold_version').on(t.foldVersion).where(hasBeyondAscii(t.title)),
    index('posts_scheduled').on(t.publishAt, t.siteId).where(sql`${t.publishAt} is not null`),
    check('posts_status', oneOf(t.status, enums.postStatuses)),
    // A larger post could be written but not read: it would not fit in one response from Neon.
    check('posts_readable', sql`${t.wireBytes} <= 9500000`),
  ],
)

/** Who has scheduled a post, in whose name it is published. `id` is null for OPERATOR_TOKEN. */
export type Scheduler = { id: string | null; name: string | null }

/** What an editor asks of the writer of a post. Times are as the API shows them. */
export type ChangeRequest = {
  note: string
  requestedAt: string
  requestedBy: string | null
  /** When the content was last edited since; null if it was not. */
  changedAt: string | null
}

/** Links that show one post, a draft above all, to whoever has them. */
export const previewLinks = pgTable(
  'preview_links',
  {
    id: id(),
    siteId: siteId(),
    postId: uuid('post_id')
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
    /** SHA-256 of the token in hex; the token itself is never stored. */
    tokenHash: text('token_hash').notNull(),
    lastFour: text('last_four').notNull(),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
    revokedAt: time('revoked_at'),
    madeBy: madeBy(),
    /** The name of who made it, as it was then. */
    madeByName: text('made_by_name').default(ofActor('actor')),
  },
  (t) => [
    uniqueIndex('preview_links_hash').on(t.tokenHash),
    index('preview_links_by_post').on(t.postId, t.createdAt),
    index('preview_links_by_site').on(t.siteId),
    index('preview_links_by_maker').on(t.madeBy).where(sql`${t.revokedAt} is null`),
  ],
)

/** The number of posts per status, language and band, so that totals need no count(*). An empty string is no language or band. */
export const postCounts = pgTable(
  'post_counts',
  {
    siteId: siteId(),
    status: text('status', { enum: enums.postStatuses }).notNull(),
    languageKey: text('language_key').notNull(),
    qualityBand: text('quality_band', { enum: [...enums.qualityBands, ''] }).notNull(),
    posts: integer('posts').notNull(),
    /** An upper bound of the slugs' bytes in a URL. It never shrinks. */
    slugBytes: integer('slug_bytes').notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.status, t.languageKey, t.qualityBand] })],
)

/**
 * A narrow copy of posts for searches and the console's lists, which read many rows. A row has its post's `updated_at`,
 * unique within a site.
 */
export const postTitles = pgTable(
  'post_titles',
  {
    siteId: uuid('site_id').notNull(),
    updatedAt: time('updated_at').notNull(),
    status: text('status', { enum: enums.postStatuses }).notNull(),
    languageKey: text('language_key').notNull(),
    titleFolded: text('title_folded').notNull(),
    /** `titleFolded` without diacritics. */
    titleKey: text('title_key'),
    publishedAt: time('published_at'),
    id: uuid('id').notNull(),
    /** In lower case. */
    slugFolded: text('slug_folded').notNull(),
    qualityBand: text('quality_band', { enum: enums.qualityBands }),
    readyAt: time('ready_at'),
    publishAt: time('publish_at'),
    /** Whether the post has a change request, or that review status. */
    changesRequested: boolean('changes_requested').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.updatedAt] }),
    // With fastupdate, every search would also scan the pending list of recent writes.
    index('post_titles_search').using('gin', sql`${t.titleKey} gin_trgm_ops`).with({ fastupdate: false }),
    index('post_titles_ready').on(t.siteId, t.updatedAt).where(sql`${t.readyAt} is not null`),
    index('post_titles_scheduled').on(t.siteId, t.publishAt).where(sql`${t.publishAt} is not null`),
    index('post_titles_changes_requested').on(t.siteId, t.updatedAt).where(sql`${t.changesRequested}`),
  ],
)

export const guides = pgTable(
  'guides',
  {
    ...article(),
  },
  (t) => [
    uniqueIndex('guides_slug').on(t.siteId, t.slug),
    uniqueIndex('guides_origin').on(t.siteId, t.originId).where(sql`${t.originId} is not null`),
    uniqueIndex('guides_newest').on(t.siteId, t.updatedAt),
    index('guides_sitemap').on(t.siteId, t.createdAt, t.id).where(sql`${t.status} = 'published'`),
    index('guides_unfolded').on(t.siteId).where(isUnfolded(t)),
    index('guides_fold_version').on(t.foldVersion).where(hasBeyondAscii(t.title)),
    check('guides_status', oneOf(t.status, enums.postStatuses)),
  ],
)

/** Deletions for the change feed, kept for 90 days. */
export const tombstones = pgTable(
  'tombstones',
  {
    siteId: siteId(),
    /** From the same sequence as the site's `updated_at`. */
    deletedAt: time('deleted_at').notNull(),
    resource: text('resource', { enum: enums.resources }).notNull(),
    resourceId: uuid('resource_id').notNull(),
    slug: text('slug').notNull(),
    language: text('language'),
    status: text('status', { enum: enums.postStatuses }).notNull(),
    /** Of a guide that was a draft, which only the operator's feed had shown. */
    operatorOnly: boolean('operator_only').notNull().default(false),
    /** Of a post that became a draft, which only keys with the access `published` no longer see. */
    publishedOnly: boolean('published_only').notNull().default(false),
    transactionId: transactionId(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.deletedAt] }), index('tombstones_age').on(t.deletedAt)],
)

/** Old slugs, each with the article that had it last and that no article has now, and other old addresses of the site. */
export const redirects = pgTable(
  'redirects',
  {
    siteId: siteId(),
    resource: text('resource', { enum: enums.redirectKinds }).notNull(),
    /** Of an address, its path: as `readSitePath` gives it. */
    slug: text('slug').notNull(),
    /** The article it leads to. */
    resourceId: uuid('resource_id'),
    /** Of an address that leads to an article, what that is. */
    targetResource: text('target_resource', { enum: enums.resources }),
    /** Of an address that leads to none: a path that is not itself an old address, or a URL. */
    target: text('target'),
    /** A query and a fragment behind the path of the article or the target, as a URL has them. */
    suffix: text('suffix'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.resource, t.slug] }),
    index('redirects_newest').on(t.siteId, t.createdAt, t.resource, t.slug),
    index('redirects_by_resource').on(t.resourceId),
    index('redirects_by_target').on(t.siteId, t.target).where(sql`${t.target} is not null`),
    check('redirects_one_target', sql`num_nonnulls(${t.resourceId}, ${t.target}) = 1`),
  ],
)

export const trainingRows = pgTable(
  'training_rows',
  {
    id: id(),
    siteId: siteId(),
    /** Insertion order, which is also commit order because writers hold the site's lock. */
    position: bigint('position', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    postId: uuid('post_id').references(() => posts.id, { onDelete: 'set null' }),
    language: text('language'),
    prompt: text('prompt').notNull(),
    completion: text('completion').notNull(),
    qualityBand: text('quality_band', { enum: enums.qualityBands }),
    optIn: boolean('opt_in').notNull().default(true),
    /** JSON bytes of prompt and completion, set by the row trigger. */
    wireBytes: integer('wire_bytes').notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    index('training_rows_export').on(t.siteId, t.position).where(sql`${t.optIn}`),
    index('training_rows_by_site').on(t.siteId, t.position),
    index('training_rows_by_post').on(t.postId),
    index('training_rows_search').using('gin', sql`${t.prompt} gin_trgm_ops`).with({ fastupdate: false }),
  ],
)

export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    /** The first webhook of a site has the site's id. */
    id: id(),
    siteId: siteId(),
    url: text('url').notNull(),
    /** `keyId.iv.ciphertext`, AES-GCM under one of WEBHOOK_KEYS, bound to the endpoint's id. */
    secret: text('secret').notNull(),
    previousSecret: text('previous_secret'),
    previousSecretExpiresAt: time('previous_secret_expires_at'),
    secretRotatedAt: time('secret_rotated_at').notNull().defaultNow(),
    createdAt: createdAt(),
    updatedAt: time('updated_at').notNull().defaultNow(),
    /** The optional events that it gets; null for none. */
    events: text('events', { enum: enums.optionalEvents }).array(),
  },
  (t) => [index('webhook_endpoints_by_site').on(t.siteId, t.createdAt, t.id)],
)

/** The outbox. A row is an event for an endpoint, which is sent once, whatever happens to its queue message. */
export const webhookEvents = pgTable(
  'webhook_events',
  {
    id: id(),
    siteId: siteId(),
    /** A webhook that was removed keeps its events. */
    endpointId: uuid('endpoint_id').notNull(),
    event: text('event').$type<enums.EventKind>().notNull(),
    /** The post or guide that changed; null in a test event. */
    resource: text('resource', { enum: enums.resources }),
    resourceId: uuid('resource_id'),
    slug: text('slug'),
    /** The exact JSON bytes that are signed and sent. */
    payload: text('payload').notNull(),
    state: text('state', { enum: enums.eventStates }).notNull().default('pending'),
    createdAt: createdAt(),
    /** Pending: when `enqueueNextEvents` or a resend last took it. Sending: when it was claimed. */
    claimedAt: time('claimed_at'),
    /** Kept while a resend of all that failed has it pending again, for one that is stopped. */
    finishedAt: time('finished_at'),
    /** The last resend of all that failed which has taken it. */
    resendId: uuid('resend_id'),
    transactionId: transactionId(),
  },
  (t) => [
    index('webhook_events_by_site').on(t.siteId, t.createdAt, t.id),
    index('webhook_events_by_resource')
      .on(t.siteId, t.resourceId, t.createdAt)
      .where(sql`${t.resourceId} is not null`),
    index('webhook_events_open').on(t.createdAt).where(sql`${t.state} in ('pending', 'sending')`),
    index('webhook_events_age').on(t.createdAt),
    index('webhook_events_failed_newest')
      .on(t.siteId, t.createdAt, t.id, t.event)
      .where(sql`${t.state} = 'failed'`),
    index('webhook_events_failed_at').on(t.siteId, t.finishedAt, t.id).where(sql`${t.state} = 'failed'`),
    index('webhook_events_resending')
      .on(t.resendId)
      .where(sql`${t.resendId} is not null and ${t.state} in ('pending', 'sending')`),
    check('webhook_events_state', oneOf(t.state, enums.eventStates)),
  ],
)

/** A resend of all events of a site that had failed when it began and have not arrived: src/webhooks/resend.ts. */
export const webhookResends = pgTable(
  'webhook_resends',
  {
    id: id(),
    siteId: siteId(),
    /** Null for all webhooks. */
    endpointId: uuid('endpoint_id'),
    failedSince: time('failed_since'),
    failedUntil: time('failed_until').notNull(),
    /** Also what was interrupted, and may have arrived. */
    includeInterrupted: boolean('include_interrupted').notNull().default(false),
    /** How many events a second at most; null for as many as the queue takes. */
    perSecond: integer('per_second'),
    /** The events that it had to send when it began. */
    total: integer('total').notNull(),
    /** Those that were left out then, since they may have arrived. */
    interrupted: integer('interrupted').notNull().default(0),
    /** The number of its next queue message: one that comes twice does nothing. */
    turn: integer('turn').notNull().default(0),
    turnedAt: time('turned_at').notNull().defaultNow(),
    startedAt: time('started_at').notNull().defaultNow(),
    endedAt: time('ended_at'),
    ending: text('ending', { enum: enums.resendEndings }),
  },
  (t) => [
    uniqueIndex('webhook_resends_active').on(t.siteId).where(sql`${t.endedAt} is null`),
    index('webhook_resends_by_site').on(t.siteId, t.startedAt, t.id),
    check('webhook_resends_ending', oneOf(t.ending, enums.resendEndings)),
  ],
)

/** One row per attempt, written before the POST so that an interrupted attempt is logged too. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: id(),
    eventId: uuid('event_id')
      .notNull()
      .references(() => webhookEvents.id, { onDelete: 'cascade' }),
    siteId: siteId(),
    url: text('url').notNull(),
    /** The receiver's HTTP status; null when there was no response. */
    status: integer('status'),
    /** One of `deliveryErrors` in src/webhooks/outcome.ts; null for a 2xx. */
    error: text('error'),
    durationMs: integer('duration_ms'),
    /** Resent by the operator. */
    manual: boolean('manual').notNull().default(false),
    /** The resend of all that failed which it is of. */
    resendId: uuid('resend_id'),
    /** The headers that were sent; null when nothing was sent. */
    requestHeaders: jsonb('request_headers').$type<Record<string, string>>(),
    /** The start of the receiver's response body. */
    answerExcerpt: text('answer_excerpt'),
    /** Whether that is not all of the response body. */
    answerTruncated: boolean('answer_truncated').notNull().default(false),
    /** Those of the response's headers that help to find out what went wrong. */
    answerHeaders: jsonb('answer_headers').$type<Record<string, string>>(),
    attemptedAt: time('attempted_at').notNull().defaultNow(),
  },
  (t) => [
    index('webhook_deliveries_by_site').on(t.siteId, t.attemptedAt, t.id),
    index('webhook_deliveries_by_event').on(t.eventId),
    index('webhook_deliveries_failed').on(t.siteId, t.attemptedAt).where(sql`${t.error} is not null`),
    // A resend sends each event once.
    uniqueIndex('webhook_deliveries_by_resend')
      .on(t.resendId, t.eventId)
      .where(sql`${t.resendId} is not null`),
  ],
)

/** The endpoints whose last delivery failed. Only kept where alerts are set. */
export const webhookStreaks = pgTable(
  'webhook_streaks',
  {
    endpointId: uuid('endpoint_id').primaryKey(),
    siteId: siteId(),
    /** In a row, up to now. */
    failures: integer('failures').notNull(),
    /** When the first of them ended. */
    since: time('since').notNull().defaultNow(),
    /** After how many there was an alert; null before. */
    alertedAfter: integer('alerted_after'),
  },
  (t) => [index('webhook_streaks_by_site').on(t.siteId)],
)

/** Alerts to the operator, with the result of each target. Pending ones are sent together. */
export const alerts = pgTable(
  'alerts',
  {
    id: id(),
    siteId: siteId(),
    kind: text('kind', { enum: enums.alertKinds }).notNull(),
    /** The webhook that an alert is about. */
    endpointId: uuid('endpoint_id'),
    /** Unique for an alert of a quota, such as `full 2026-11-21 80`. */
    quotaKey: text('quota_key'),
    details: jsonb('details').$type<Record<string, unknown>>().notNull(),
    state: text('state', { enum: enums.eventStates }).notNull().default('pending'),
    createdAt: createdAt(),
    /** The last attempt to send it. */
    toldAt: time('told_at'),
    tries: integer('tries').notNull().default(0),
    /** The last one of each target. */
    results: jsonb('results').$type<AlertResult[]>().notNull().default([]),
  },
  (t) => [
    index('alerts_by_site').on(t.siteId, t.createdAt, t.id),
    index('alerts_told').on(t.siteId, t.toldAt),
    index('alerts_open').on(t.siteId).where(sql`${t.state} in ('pending', 'sending')`),
    index('alerts_age').on(t.createdAt),
    // One pending alert for each webhook and kind.
    uniqueIndex('alerts_waiting').on(t.siteId, t.endpointId, t.kind).where(sql`${t.state} = 'pending'`),
    uniqueIndex('alerts_quota').on(t.siteId, t.quotaKey),
    check('alerts_kind', oneOf(t.kind, enums.alertKinds)),
    check('alerts_state', oneOf(t.state, enums.eventStates)),
  ],
)

/** `status` is a receiver's HTTP status, `error` null if it has it. */
export type AlertResult = {
  target: (typeof enums.alertTargets)[number]
  at: string
  status: number | null
  error: string | null
}

export const dailyUsage = pgTable(
  'daily_usage',
  {
    siteId: siteId(),
    day: date('day', { mode: 'string' }).notNull(),
    requests: integer('requests').notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.day] })],
)

/** Those of `dailyUsage` by key, without those of links to drafts. */
export const dailyKeyUsage = pgTable(
  'daily_key_usage',
  {
    siteId: siteId(),
    day: date('day', { mode: 'string' }).notNull(),
    /** A key that is gone stays in what was counted. */
    keyId: uuid('key_id').notNull(),
    requests: integer('requests').notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.day, t.keyId] })],
)

/** Console sessions. One that signs itself out is deleted, one that somebody has ended is kept for a day. */
export const consoleSessions = pgTable(
  'console_sessions',
  {
    /** SHA-256 in hex of the session id, which is only in the cookie; of OPERATOR_TOKEN's, beside that token. */
    idHash: text('id_hash').primaryKey(),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
    /** The token, or link, that signed in; null for OPERATOR_TOKEN. */
    tokenId: uuid('token_id').references(() => operatorTokens.id, { onDelete: 'cascade' }),
    /** What it is called where it is shown, which opens nothing. */
    id: uuid('id').notNull().defaultRandom(),
    /** To the nearest minutes. */
    lastSeenAt: time('last_seen_at'),
    /** Such as `Firefox on Linux`, as the browser itself says. */
    browser: text('browser'),
    /** Who has ended it before its time, so that its next page can say so. */
    endedBy: text('ended_by'),
  },
  (t) => [
    uniqueIndex('console_sessions_id').on(t.id),
    index('console_sessions_age').on(t.expiresAt),
    index('console_sessions_by_token').on(t.tokenId),
  ],
)

/** People, and programs, that write through the console, the command line and the management API. */
export const operators = pgTable(
  'operators',
  {
    id: id(),
    /** Behind Cloudflare Access, the address that it names. */
    name: text('name').notNull(),
    role: text('role', { enum: enums.roles }).notNull(),
    createdAt: createdAt(),
    /** The sites that it reaches; null for all, those to come too. */
    sites: uuid('sites').array(),
  },
  (t) => [
    uniqueIndex('operators_name').on(sql`lower(${t.name})`),
    check('operators_admins_reach_all', sql`${t.role} <> 'admin' or ${t.sites} is null`),
  ],
)

/** Tokens, and links that sign in to the console once. */
export const operatorTokens = pgTable(
  'operator_tokens',
  {
    id: id(),
    operatorId: uuid('operator_id')
      .notNull()
      .references(() => operators.id, { onDelete: 'cascade' }),
    /** SHA-256 of the token in hex; the token itself is never stored. */
    tokenHash: text('token_hash').notNull(),
    lastFour: text('last_four').notNull(),
    createdAt: createdAt(),
    lastUsedAt: time('last_used_at'),
    expiresAt: time('expires_at').notNull(),
    revokedAt: time('revoked_at'),
    /** The token with which it was made, which by triggers it never outlives. */
    makerId: uuid('maker_id').references((): AnyPgColumn => operatorTokens.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: enums.tokenKinds }).notNull().default('token'),
    /** When a link signed in. From then on it signs in nobody, and `expiresAt` is how long what was made in its sessions may live. */
    usedAt: time('used_at'),
    /** The address that a link was mailed to. */
    sentTo: text('sent_to'),
    madeBy: madeBy(),
  },
  (t) => [
    check('operator_tokens_kind', oneOf(t.kind, enums.tokenKinds)),
    uniqueIndex('operator_tokens_hash').on(t.tokenHash),
    index('operator_tokens_by_operator').on(t.operatorId, t.createdAt),
    index('operator_tokens_by_maker').on(t.makerId),
    index('operator_tokens_made_by').on(t.madeBy),
  ],
)

/** What a search finds an entry's subject by. */
export const auditWords = (t: Record<'subject' | 'title', AnyPgColumn>) =>
  sql`without_diacritics(lower(coalesce(${t.subject}, '') || ' ' || ${t.title}))`

/** That of the request, job or cron run (`setActor` in write.ts); of SQL by hand, its transaction. */
const actOfTransaction = sql.raw(
  "coalesce(nullif(current_setting('audit.act_id', true), '')::uuid, md5(pg_current_xact_id()::text || now()::text)::uuid)",
)

/** Every write of an operator, by triggers in its transaction, and what was refused, by `log_refusal`. Append-only, and kept for 400 days. It outlives sites and operators. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: time('at').notNull().defaultNow(),
    /** Null for what belongs to no site. */
    siteId: uuid('site_id'),
    /** Such as `post.published`. */
    action: text('action').notNull(),
    resourceId: uuid('resource_id'),
    /** The slug or name of the resource then. */
    subject: text('subject'),
    /** Its title or name, by which it is searched for: of a post or guide only where the entry gives it one, or is its last. */
    title: text('title'),
    /** The fields that the write changed, as they were: no content, no secret. */
    before: jsonb('before').$type<Record<string, unknown>>(),
    after: jsonb('after').$type<Record<string, unknown>>(),
    /** The operator, or the API key. */
    actorId: uuid('actor_id').default(sql`${ofActor('actor_id')}::uuid`),
    actor: text('actor').default(ofActor('actor')),
    door: text('door', { enum: enums.doors })
      .notNull()
      .default(sql`coalesce(${ofActor('door')}, 'database')`),
    address: text('address').default(ofActor('address')),
    /** Shared by all entries that one act has written. */
    actId: uuid('act_id').notNull().default(actOfTransaction),
    /** The first of its act with its action in its site; set by the row trigger. Two, where two requests of an act began at once. */
    isHead: boolean('is_head').notNull().default(false),
  },
  // Lists are of heads, or of both kinds: a union of the two, which each come in the order of an index.
  (t) => [
    index('audit_log_newest').on(t.isHead, t.at, t.id),
    index('audit_log_newest_of_site').on(t.siteId, t.isHead, t.at, t.id),
    index('audit_log_newest_of_action').on(t.action, t.isHead, t.at, t.id),
    index('audit_log_newest_of_actor_id').on(t.actorId, t.isHead, t.at, t.id),
    index('audit_log_newest_of_actor').on(t.actor, t.isHead, t.at, t.id),
    index('audit_log_newest_of_resource').on(t.resourceId, t.at, t.id),
    index('audit_log_newest_of_act').on(t.actId, t.isHead, t.at, t.id),
    index('audit_log_newest_titles').on(t.at, t.id).where(sql`${t.title} is not null`),
    index('audit_log_titles')
      .using('gin', sql`${auditWords(t)} gin_trgm_ops`)
      .where(sql`${t.title} is not null`),
    index('audit_log_age').using('brin', t.at),
    index('audit_log_refusals')
      .on(t.at)
      .where(sql`${t.action} in ('operator.refused', 'operator.sign_in_failed')`),
  ],
)
