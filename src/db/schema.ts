/** All tables. Triggers fill `post_counts`, `post_titles`, `revisions`, `tombstones`, `webhook_events` and `audit_log`. */
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

/** Millisecond precision, as the API shows it and `updatedAfter` compares it. */
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

/** From the transaction's settings (`setActor` in write.ts). Null for manual SQL. */
const actorSetting = (field: string) => sql.raw(`nullif(current_setting('audit.${field}', true), '')`)

/** Revoked when the operator who created the row loses access (drizzle/functions/access-loss.sql). Null for OPERATOR_TOKEN and manual SQL. */
const createdBy = () => uuid('made_by').default(sql`${actorSetting('actor_id')}::uuid`)

const id = () => uuid('id').primaryKey().defaultRandom()
const createdAt = () => time('created_at').notNull().defaultNow()

/** Not `xmin`, which may be a subtransaction's. Null for rows older than this column. */
const transactionId = () =>
  bigint('transaction_id', { mode: 'number' }).default(sql`(pg_current_xact_id()::text)::bigint`)

/** Clock time in milliseconds, so that a restored database never reuses a version. */
const version = (name: string) => bigint(name, { mode: 'number' }).notNull().default(sql`next_version(0)`)

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
    /** Null for the plan's quota. */
    dailyQuota: integer('daily_quota'),
    trainingOptIn: boolean('training_opt_in').notNull().default(false),
    /** Part of the published sitemap's URL. Null if unpublished. */
    sitemapId: text('sitemap_id'),
    feedContent: text('feed_content', { enum: enums.feedContents }).notNull().default('excerpt'),
    /** For preview links. Null for the service's own preview. */
    previewUrl: text('preview_url'),
    /** From then on no key, sitemap or preview link opens the site. */
    deletionStartedAt: time('deletion_started_at'),
    /** Raised by every visible change. Part of every ETag except those of single posts and guides. */
    contentVersion: version('content_version'),
    /** The versions of 32 slug groups. Part of the ETags of single posts and guides. */
    slugVersions: text('slug_versions').notNull().default(sql`all_slug_versions(next_version(0))`),
    /** Like the two above, but raised only by changes to published content. Part of ETags without drafts. */
    publishedVersion: version('published_version'),
    publishedSlugVersions: text('published_slug_versions')
      .notNull()
      .default(sql`all_slug_versions(next_version(0))`),
    /** Raised by changes to the settings above, keys and preview links. Invalidates cached keys. */
    authVersion: version('auth_version'),
    /** The highest `updated_at` issued so far. The row that had it may be deleted. */
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
    /** SHA-256 in hex; the key itself is never stored. */
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

const article = () => ({
  id: id(),
  siteId: siteId(),
  slug: text('slug').notNull(),
  title: text('title').notNull(),
  /** `foldCase(foldedFrom)`, for search. Copied to `postTitles` for posts. */
  titleFolded: text('title_folded').notNull().default(''),
  /** Differs from the title after manual SQL, until the sweep folds it. */
  foldedFrom: text('folded_from'),
  foldVersion: smallint('fold_version').notNull().default(1),
  /** The article before the transaction that last changed it, for its event. Set by the row trigger. */
  previous: jsonb('previous'),
  excerpt: text('excerpt'),
  contentHtml: text('content_html').notNull(),
  status: text('status', { enum: enums.postStatuses }).notNull().default('draft'),
  publishedAt: time('published_at'),
  updatedAt: time('updated_at').notNull().defaultNow(),
  createdAt: createdAt(),
  readingTimeMinutes: integer('reading_time_minutes'),
  /** The article's id at the source of an import, such as `ghost:64f0c1a2`. */
  originId: text('origin_id'),
  originSlug: text('origin_slug'),
  /** JSON bytes of the large fields, to keep query responses within Neon's limit. Set by the row trigger. */
  wireBytes: integer('wire_bytes').notNull().default(0),
})

const hasBeyondAscii = (title: AnyPgColumn) => sql`octet_length(${title}) > length(${title})`

/** ASCII titles need no sweep, because the row trigger's lower() folds them correctly. */
export const isUnfolded = (t: Record<'title' | 'foldedFrom', AnyPgColumn>) =>
  sql`${t.foldedFrom} is distinct from ${t.title} and ${hasBeyondAscii(t.title)}`

/** All versions fold ASCII alike. */
export const isFoldedBefore = (t: Record<'title' | 'foldVersion', AnyPgColumn>, version: number) =>
  sql`${t.foldVersion} < ${version} and ${hasBeyondAscii(t.title)}`

export const posts = pgTable(
  'posts',
  {
    ...article(),
    /** 0 to 100. The API shows only `qualityBand`. */
    trustScore: doublePrecision('trust_score'),
    qualityBand: text('quality_band', { enum: enums.qualityBands }),
    assuranceLabel: text('assurance_label'),
    reviewStatus: text('review_status', { enum: enums.reviewStatuses }),
    aiGenerated: boolean('ai_generated').notNull().default(false),
    language: text('language'),
    /** In lower case, or empty, for list filters. Set by the row trigger. */
    languageKey: text('language_key').notNull().default(''),
    /** Never itself a translation. */
    sourcePostId: uuid('source_post_id').references((): AnyPgColumn => posts.id, { onDelete: 'set null' }),
    provenance: jsonb('provenance'),
    seo: jsonb('seo'),
    faqJsonLd: jsonb('faq_json_ld'),
    schemaBundle: jsonb('schema_bundle'),
    /** True if the service built any of the bundle. The row trigger then updates its dates. */
    schemaBundleDerived: boolean('schema_bundle_derived').notNull().default(false),
    /** The caller's `article` fields in a derived bundle, which are kept as given. */
    schemaArticle: jsonb('schema_article'),
    authors: jsonb('authors').notNull().default([]),
    image: jsonb('image'),
    categories: jsonb('categories').notNull().default([]),
    tags: jsonb('tags').notNull().default([]),
    canonicalUrl: text('canonical_url'),
    modifiedAt: time('modified_at'),
    /** The date in the sitemap: `modifiedAt`, or else `updatedAt`. Set by the row trigger. */
    lastmod: time('lastmod').notNull().defaultNow(),
    /** Reset by an edit. */
    readyAt: time('ready_at'),
    /** Set by the row trigger. Null for manual SQL. */
    readyBy: text('ready_by'),
    /** Reset by an edit, and by the row trigger on publication. */
    publishAt: time('publish_at'),
    scheduledBy: jsonb('scheduled_by').$type<Scheduler>(),
    changeRequest: jsonb('change_request').$type<ChangeRequest>(),
    /** Used for the URLs in a derived bundle. The site may have a newer `postUrlTemplate`. */
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
    // A larger post could be written but not read, because it exceeds Neon's response limit.
    check('posts_readable', sql`${t.wireBytes} <= 9500000`),
  ],
)

/** The post is published in this person's name. `id` is null for OPERATOR_TOKEN. */
export type Scheduler = { id: string | null; name: string | null }

/** From an editor to the writer of a post. Times are in wire format. */
export type ChangeRequest = {
  note: string
  requestedAt: string
  requestedBy: string | null
  changedAt: string | null
}

export const previewLinks = pgTable(
  'preview_links',
  {
    id: id(),
    siteId: siteId(),
    postId: uuid('post_id')
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull(),
    lastFour: text('last_four').notNull(),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
    revokedAt: time('revoked_at'),
    createdBy: createdBy(),
    createdByName: text('made_by_name').default(actorSetting('actor')),
  },
  (t) => [
    uniqueIndex('preview_links_hash').on(t.tokenHash),
    index('preview_links_by_post').on(t.postId, t.createdAt),
    index('preview_links_by_site').on(t.siteId),
    index('preview_links_by_maker').on(t.createdBy).where(sql`${t.revokedAt} is null`),
  ],
)

/** Post counts, so that totals need no count(*). An empty string means no language or band. */
export const postCounts = pgTable(
  'post_counts',
  {
    siteId: siteId(),
    status: text('status', { enum: enums.postStatuses }).notNull(),
    languageKey: text('language_key').notNull(),
    qualityBand: text('quality_band', { enum: [...enums.qualityBands, ''] }).notNull(),
    posts: integer('posts').notNull(),
    /** An upper bound of the slugs' bytes in URLs. It never shrinks. */
    slugBytes: integer('slug_bytes').notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.status, t.languageKey, t.qualityBand] })],
)

/** A narrow copy of posts for searches and console lists, which read many rows. Shares the post's `updated_at`. */
export const postTitles = pgTable(
  'post_titles',
  {
    siteId: uuid('site_id').notNull(),
    updatedAt: time('updated_at').notNull(),
    status: text('status', { enum: enums.postStatuses }).notNull(),
    languageKey: text('language_key').notNull(),
    titleFolded: text('title_folded').notNull(),
    titleKey: text('title_key'),
    publishedAt: time('published_at'),
    id: uuid('id').notNull(),
    slugFolded: text('slug_folded').notNull(),
    qualityBand: text('quality_band', { enum: enums.qualityBands }),
    readyAt: time('ready_at'),
    publishAt: time('publish_at'),
    /** True if the post has a change request or the review status for one. */
    changesRequested: boolean('changes_requested').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.updatedAt] }),
    // With fastupdate, searches would also scan the pending list of recent writes.
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

/** Deletions in the change feed, kept for 90 days. */
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
    /** For a deleted draft guide, which only the operator's feed had shown. */
    operatorOnly: boolean('operator_only').notNull().default(false),
    /** For a post that became a draft, and so disappeared for keys with access `published`. */
    publishedOnly: boolean('published_only').notNull().default(false),
    transactionId: transactionId(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.deletedAt] }), index('tombstones_age').on(t.deletedAt)],
)

/** Old slugs that no article uses now, with their last article, and other old addresses of the site. */
export const redirects = pgTable(
  'redirects',
  {
    siteId: siteId(),
    resource: text('resource', { enum: enums.redirectKinds }).notNull(),
    /** The old slug, or the path of an old address as `readSitePath` returns it. */
    slug: text('slug').notNull(),
    resourceId: uuid('resource_id'),
    /** The target article's kind. Set for addresses only. */
    targetResource: text('target_resource', { enum: enums.resources }),
    /** The target of an address without an article: a URL, or a path that is not itself an old address. */
    target: text('target'),
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
    /** Insertion order. It equals commit order because writers hold the site's lock. */
    position: bigint('position', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    postId: uuid('post_id').references(() => posts.id, { onDelete: 'set null' }),
    language: text('language'),
    prompt: text('prompt').notNull(),
    completion: text('completion').notNull(),
    qualityBand: text('quality_band', { enum: enums.qualityBands }),
    optIn: boolean('opt_in').notNull().default(true),
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
    /** The first webhook of a site uses the site's id. */
    id: id(),
    siteId: siteId(),
    /** Null for the host of the URL. */
    name: text('name'),
    url: text('url').notNull(),
    /** `keyId.iv.ciphertext`, AES-GCM under one of WEBHOOK_KEYS, bound to the endpoint's id. */
    secret: text('secret').notNull(),
    previousSecret: text('previous_secret'),
    previousSecretExpiresAt: time('previous_secret_expires_at'),
    secretRotatedAt: time('secret_rotated_at').notNull().defaultNow(),
    createdAt: createdAt(),
    updatedAt: time('updated_at').notNull().defaultNow(),
    events: text('events', { enum: enums.optionalEvents }).array(),
  },
  (t) => [index('webhook_endpoints_by_site').on(t.siteId, t.createdAt, t.id)],
)

/** The outbox. Each row is an event for one endpoint, and is sent once even if its queue message is lost or repeated. */
export const webhookEvents = pgTable(
  'webhook_events',
  {
    id: id(),
    siteId: siteId(),
    /** No foreign key, because a removed webhook keeps its events. */
    endpointId: uuid('endpoint_id').notNull(),
    event: text('event').$type<enums.EventKind>().notNull(),
    /** Null for test events. */
    resource: text('resource', { enum: enums.resources }),
    resourceId: uuid('resource_id'),
    slug: text('slug'),
    /** The exact bytes that are signed and sent. */
    payload: text('payload').notNull(),
    state: text('state', { enum: enums.eventStates }).notNull().default('pending'),
    createdAt: createdAt(),
    /** Pending: when `enqueueNextEvents` or a resend last queued it. Sending: when it was claimed. */
    claimedAt: time('claimed_at'),
    /** Kept while a resend has the event pending, so that stopping the resend can restore it. */
    finishedAt: time('finished_at'),
    resendId: uuid('resend_id'),
    transactionId: transactionId(),
  },
  (t) => [
    index('webhook_events_by_site').on(t.siteId, t.createdAt, t.id),
    // Covers src/webhooks/recent-deliveries.ts.
    index('webhook_events_recent').on(t.siteId, t.createdAt, t.endpointId, t.state),
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

/** A resend of a site's failed events that have not arrived since: src/webhooks/resend.ts. */
export const webhookResends = pgTable(
  'webhook_resends',
  {
    id: id(),
    siteId: siteId(),
    /** Null for all webhooks. */
    endpointId: uuid('endpoint_id'),
    failedSince: time('failed_since'),
    failedUntil: time('failed_until').notNull(),
    includeInterrupted: boolean('include_interrupted').notNull().default(false),
    /** Null for no limit. */
    perSecond: integer('per_second'),
    total: integer('total').notNull(),
    interrupted: integer('interrupted').notNull().default(0),
    /** The number of the next queue message. Repeated messages are ignored. */
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

/** An import of the console. */
export const imports = pgTable(
  'imports',
  {
    id: id(),
    siteId: siteId(),
    /** The name of the file. */
    name: text('name').notNull(),
    source: text('source', { enum: enums.importSources }).notNull(),
    options: jsonb('options').notNull(),
    phase: text('phase', { enum: enums.importPhases }).notNull().default('uploading'),
    /** Null for OPERATOR_TOKEN. */
    startedById: uuid('started_by_id'),
    startedBy: text('started_by'),
    /** The token or link of the person's session. Null for OPERATOR_TOKEN and Cloudflare Access. */
    tokenId: uuid('token_id'),
    address: text('address').notNull(),
    changesetId: uuid('changeset_id').notNull().defaultRandom(),
    /** The number of the next queue message. Repeated messages are ignored. */
    turn: integer('turn').notNull().default(0),
    turnedAt: time('turned_at').notNull().defaultNow(),
    /** True during a turn. The next turn counts it as killed. */
    isRunning: boolean('is_running').notNull().default(false),
    killed: integer('killed').notNull().default(0),
    done: integer('done').notNull().default(0),
    /** Null while unknown. */
    total: integer('total'),
    /** The report, of the check or of the import. */
    report: jsonb('report'),
    /** The reason for an early end. */
    problem: text('problem'),
    createdAt: createdAt(),
    /** When somebody started it after its check. */
    confirmedAt: time('confirmed_at'),
    endedAt: time('ended_at'),
  },
  (t) => [
    uniqueIndex('imports_active').on(t.siteId).where(oneOf(t.phase, enums.activeImportPhases)),
    index('imports_by_site').on(t.siteId, t.createdAt, t.id),
    check('imports_source', oneOf(t.source, enums.importSources)),
    check('imports_phase', oneOf(t.phase, enums.importPhases)),
  ],
)

/** The file in base64, and what was converted of it in JSON. Deleted when the import ends. */
export const importParts = pgTable(
  'import_parts',
  {
    importId: uuid('import_id')
      .notNull()
      .references(() => imports.id, { onDelete: 'cascade' }),
    isConverted: boolean('is_converted').notNull(),
    number: integer('number').notNull(),
    content: text('content').notNull(),
  },
  (t) => [primaryKey({ columns: [t.importId, t.isConverted, t.number] })],
)

/** Written before the POST, so that interrupted attempts are logged, too. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: id(),
    eventId: uuid('event_id')
      .notNull()
      .references(() => webhookEvents.id, { onDelete: 'cascade' }),
    siteId: siteId(),
    url: text('url').notNull(),
    /** The receiver's HTTP status. Null without a response. */
    status: integer('status'),
    /** From `deliveryErrors` in src/webhooks/outcome.ts. Null for a 2xx. */
    error: text('error'),
    durationMs: integer('duration_ms'),
    manual: boolean('manual').notNull().default(false),
    resendId: uuid('resend_id'),
    /** Null when nothing was sent. */
    requestHeaders: jsonb('request_headers').$type<Record<string, string>>(),
    answerExcerpt: text('answer_excerpt'),
    answerTruncated: boolean('answer_truncated').notNull().default(false),
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

/** Endpoints whose last delivery failed. */
export const webhookStreaks = pgTable(
  'webhook_streaks',
  {
    endpointId: uuid('endpoint_id').primaryKey(),
    siteId: siteId(),
    failures: integer('failures').notNull(),
    /** The end of the first failure. */
    since: time('since').notNull().defaultNow(),
    /** The failure count at the alert. Null before it. */
    alertedAfter: integer('alerted_after'),
  },
  (t) => [index('webhook_streaks_by_site').on(t.siteId)],
)

export const alerts = pgTable(
  'alerts',
  {
    id: id(),
    siteId: siteId(),
    kind: text('kind', { enum: enums.alertKinds }).notNull(),
    endpointId: uuid('endpoint_id'),
    /** Unique for quota alerts, such as `full 2026-11-21 80`. */
    quotaKey: text('quota_key'),
    details: jsonb('details').$type<Record<string, unknown>>().notNull(),
    state: text('state', { enum: enums.eventStates }).notNull().default('pending'),
    createdAt: createdAt(),
    /** The last attempt to send it. */
    attemptedAt: time('attempted_at'),
    tries: integer('tries').notNull().default(0),
    results: jsonb('results').$type<AlertResult[]>().notNull().default([]),
  },
  (t) => [
    index('alerts_by_site').on(t.siteId, t.createdAt, t.id),
    index('alerts_attempted').on(t.siteId, t.attemptedAt),
    index('alerts_open').on(t.siteId).where(sql`${t.state} in ('pending', 'sending')`),
    index('alerts_age').on(t.createdAt),
    uniqueIndex('alerts_waiting').on(t.siteId, t.endpointId, t.kind).where(sql`${t.state} = 'pending'`),
    uniqueIndex('alerts_quota').on(t.siteId, t.quotaKey),
    check('alerts_kind', oneOf(t.kind, enums.alertKinds)),
    check('alerts_state', oneOf(t.state, enums.eventStates)),
  ],
)

export type AlertResult = {
  target: (typeof enums.alertTargets)[number]
  at: string
  status: number | null
  error: string | null
}

/** Also the id of their audit log entries, and bound to the encrypted URL. */
export const ALERT_SETTINGS_ID = '5a1e6f0c-2f1b-4c57-9d3e-0a6c1e7b4d21'

/** One row at most, written by the console. Null means the default from the environment. */
export const alertSettings = pgTable(
  'alert_settings',
  {
    id: uuid('id').primaryKey(),
    /** `keyId.iv.ciphertext`, AES-GCM under one of WEBHOOK_KEYS. */
    slackUrl: text('slack_url'),
    slackHost: text('slack_host'),
    slackSetAt: time('slack_set_at'),
    emailTo: text('email_to').array(),
    afterFailures: integer('after_failures'),
  },
  (t) => [check('alert_settings_one', sql`${t.id} = ${sql.raw(`'${ALERT_SETTINGS_ID}'`)}`)],
)

/** The old values of each edit of a post or guide, by field. Triggers keep the newest, and delete them with the article. */
export const revisions = pgTable(
  'revisions',
  {
    siteId: siteId(),
    articleId: uuid('article_id').notNull(),
    /** The article's after the edit, in commit order. */
    updatedAt: time('updated_at').notNull(),
    /** As in the edit's audit log entry: the start of its transaction. */
    at: time('at').notNull().defaultNow(),
    before: jsonb('before').$type<Record<string, unknown>>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.articleId, t.updatedAt] })],
)

export const dailyUsage = pgTable(
  'daily_usage',
  {
    siteId: siteId(),
    day: date('day', { mode: 'string' }).notNull(),
    requests: integer('requests').notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.day] })],
)

/** Without preview links, which have no key. */
export const dailyKeyUsage = pgTable(
  'daily_key_usage',
  {
    siteId: siteId(),
    day: date('day', { mode: 'string' }).notNull(),
    /** Not a foreign key, because usage outlives its key. */
    keyId: uuid('key_id').notNull(),
    requests: integer('requests').notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.day, t.keyId] })],
)

/** Signing out deletes the row; ending another's session keeps it for seven days. */
export const consoleSessions = pgTable(
  'console_sessions',
  {
    /** SHA-256 in hex of the session id, which only the cookie holds. OPERATOR_TOKEN's sessions hash that token too. */
    idHash: text('id_hash').primaryKey(),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
    /** The token or link that signed in. Null for OPERATOR_TOKEN. */
    tokenId: uuid('token_id').references(() => operatorTokens.id, { onDelete: 'cascade' }),
    /** Public, for lists. Grants no access. */
    id: uuid('id').notNull().defaultRandom(),
    /** Accurate to a few minutes. */
    lastSeenAt: time('last_seen_at'),
    browser: text('browser'),
    /** Who ended it early, for the message on its next page. */
    endedBy: text('ended_by'),
  },
  (t) => [
    uniqueIndex('console_sessions_id').on(t.id),
    index('console_sessions_age').on(t.expiresAt),
    index('console_sessions_by_token').on(t.tokenId),
  ],
)

export const operators = pgTable(
  'operators',
  {
    id: id(),
    /** Behind Cloudflare Access, the address that it reports. */
    name: text('name').notNull(),
    role: text('role', { enum: enums.roles }).notNull(),
    createdAt: createdAt(),
    /** Null for all sites, including future ones. */
    sites: uuid('sites').array(),
  },
  (t) => [
    uniqueIndex('operators_name').on(sql`lower(${t.name})`),
    check('operators_admins_reach_all', sql`${t.role} <> 'admin' or ${t.sites} is null`),
  ],
)

export const operatorTokens = pgTable(
  'operator_tokens',
  {
    id: id(),
    operatorId: uuid('operator_id')
      .notNull()
      .references(() => operators.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull(),
    lastFour: text('last_four').notNull(),
    createdAt: createdAt(),
    lastUsedAt: time('last_used_at'),
    expiresAt: time('expires_at').notNull(),
    revokedAt: time('revoked_at'),
    /** The token that created this one. Triggers end this one no later than it. */
    parentTokenId: uuid('maker_id').references((): AnyPgColumn => operatorTokens.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: enums.tokenKinds }).notNull().default('token'),
    /** A used link signs in nobody, and `expiresAt` limits what its sessions create. */
    usedAt: time('used_at'),
    sentTo: text('sent_to'),
    createdBy: createdBy(),
  },
  (t) => [
    check('operator_tokens_kind', oneOf(t.kind, enums.tokenKinds)),
    uniqueIndex('operator_tokens_hash').on(t.tokenHash),
    index('operator_tokens_by_operator').on(t.operatorId, t.createdAt),
    index('operator_tokens_by_maker').on(t.parentTokenId),
    index('operator_tokens_made_by').on(t.createdBy),
  ],
)

export const auditWords = (t: Record<'subject' | 'title', AnyPgColumn>) =>
  sql`without_diacritics(lower(coalesce(${t.subject}, '') || ' ' || ${t.title}))`

/** From `setActor` in write.ts. For manual SQL, derived from the transaction. */
const currentChangesetId = sql.raw(
  "coalesce(nullif(current_setting('audit.changeset_id', true), '')::uuid, md5(pg_current_xact_id()::text || now()::text)::uuid)",
)

/** Triggers log every operator write in its transaction. Append-only. Outlives sites and operators. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: time('at').notNull().defaultNow(),
    siteId: uuid('site_id'),
    action: text('action').notNull(),
    resourceId: uuid('resource_id'),
    subject: text('subject'),
    /** For search. Articles have it only in the last entry and in entries that changed it. */
    title: text('title'),
    /** Without content and secrets. */
    before: jsonb('before').$type<Record<string, unknown>>(),
    after: jsonb('after').$type<Record<string, unknown>>(),
    /** An operator's or API key's id. */
    actorId: uuid('actor_id').default(sql`${actorSetting('actor_id')}::uuid`),
    actor: text('actor').default(actorSetting('actor')),
    channel: text('channel', { enum: enums.channels })
      .notNull()
      .default(sql`coalesce(${actorSetting('channel')}, 'database')`),
    address: text('address').default(actorSetting('address')),
    changesetId: uuid('changeset_id').notNull().default(currentChangesetId),
    /** The first entry of a changeset per action and site. Parallel requests may each have one. Set by the row trigger. */
    isHead: boolean('is_head').notNull().default(false),
  },
  // Lists read heads, or both kinds as a union, so that each part follows an index.
  (t) => [
    index('audit_log_newest').on(t.isHead, t.at, t.id),
    index('audit_log_newest_of_site').on(t.siteId, t.isHead, t.at, t.id),
    index('audit_log_newest_of_action').on(t.action, t.isHead, t.at, t.id),
    index('audit_log_newest_of_actor_id').on(t.actorId, t.isHead, t.at, t.id),
    index('audit_log_newest_of_actor').on(t.actor, t.isHead, t.at, t.id),
    index('audit_log_newest_of_resource').on(t.resourceId, t.at, t.id),
    index('audit_log_newest_of_changeset').on(t.changesetId, t.isHead, t.at, t.id),
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
