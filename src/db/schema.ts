/**
 * Every table of the service on one page. Times, versions, counts and copies belong to the database: the triggers in
 * drizzle/migrations write `updated_at` of posts and guides, `content_version` and `last_tick` of their site, and the
 * tables `post_counts` and `post_titles`. Nothing here does.
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
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import * as enums from './enums.ts'

export * from './enums.ts'

/** Milliseconds, because that is what the API shows and what `updatedAfter` compares. */
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

const id = () => uuid('id').primaryKey().defaultRandom()
const createdAt = () => time('created_at').notNull().defaultNow()

/** A time in milliseconds, so that a database restored to an earlier point gives out no version a second time. */
const version = (name: string) => bigint(name, { mode: 'number' }).notNull().default(sql`next_version(0)`)

export const sites = pgTable('sites', {
  id: id(),
  name: text('name').notNull(),
  domain: text('domain').notNull(),
  defaultLanguage: text('default_language').notNull().default('en'),
  postPath: text('post_path').notNull().default('/blog/{slug}'),
  guidePath: text('guide_path').notNull().default('/guides/{slug}'),
  plan: text('plan', { enum: enums.plans }).notNull().default('free'),
  /** Requests a day; null means the plan's number. */
  dailyQuota: integer('daily_quota'),
  trainingOptIn: boolean('training_opt_in').notNull().default(false),
  /** Raised by every change to what the API shows of the site; the ETags are made of it. */
  contentVersion: version('content_version'),
  /** Raised by every change of the settings above and of the site's keys: a grant of another version is out of date. */
  gateVersion: version('gate_version'),
  /** The newest `updated_at` ever given out; it outlives deleted posts, so that time never runs back. */
  lastTick: time('last_tick').notNull().defaultNow(),
  createdAt: createdAt(),
})

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

/** What posts and guides have in common. */
const article = () => ({
  id: id(),
  siteId: siteId(),
  slug: text('slug').notNull(),
  title: text('title').notNull(),
  excerpt: text('excerpt'),
  contentHtml: text('content_html').notNull(),
  status: text('status', { enum: enums.postStatuses }).notNull().default('draft'),
  publishedAt: time('published_at'),
  updatedAt: time('updated_at').notNull().defaultNow(),
  createdAt: createdAt(),
  readingTimeMinutes: integer('reading_time_minutes'),
})

export const posts = pgTable(
  'posts',
  {
    ...article(),
    /** `fold(title)`; the search looks at its copy in `postTitles`. */
    titleFolded: text('title_folded').notNull().default(''),
    /** 0 to 100, internal: the API shows `qualityBand` only. */
    trustScore: doublePrecision('trust_score'),
    qualityBand: text('quality_band', { enum: enums.qualityBands }),
    assuranceLabel: text('assurance_label'),
    reviewStatus: text('review_status', { enum: enums.reviewStatuses }),
    aiGenerated: boolean('ai_generated').notNull().default(false),
    language: text('language'),
    /** The language in lower case, or nothing, by the row trigger: what lists are filtered by. */
    languageKey: text('language_key').notNull().default(''),
    /** The post this one translates; never itself a translation. */
    sourcePostId: uuid('source_post_id').references((): AnyPgColumn => posts.id, { onDelete: 'set null' }),
    provenance: jsonb('provenance'),
    seo: jsonb('seo'),
    faqJsonLd: jsonb('faq_json_ld'),
    schemaBundle: jsonb('schema_bundle'),
    /** The bundle was built by us, so the row trigger keeps its dates. */
    schemaBundleDerived: boolean('schema_bundle_derived').notNull().default(false),
    /** When the draft was marked ready; null again after an edit. */
    readyAt: time('ready_at'),
    /** Bytes the heavy fields take on the wire, by the row trigger; pages are cut by it below the driver's limit. */
    wireBytes: integer('wire_bytes').notNull().default(0),
    /** Bytes of the slug in a URL, by the row trigger. */
    slugBytes: integer('slug_bytes').notNull().default(0),
  },
  (t) => [
    uniqueIndex('posts_slug').on(t.siteId, t.slug),
    uniqueIndex('posts_newest').on(t.siteId, t.updatedAt),
    index('posts_newest_by_status').on(t.siteId, t.status, t.updatedAt),
    index('posts_newest_by_language').on(t.siteId, t.status, t.languageKey, t.updatedAt),
    // The last columns of these two are there for the sitemap, which is measured in them without a look at the posts.
    index('posts_translations').on(t.sourcePostId, t.status, t.languageKey, t.slugBytes),
    index('posts_sitemap')
      .on(t.siteId, t.createdAt, t.id, t.updatedAt, t.sourcePostId, t.languageKey, t.slugBytes)
      .where(sql`${t.status} = 'published'`),
    check('posts_status', sql`${t.status} in ('draft', 'published')`),
    // What is larger could be written, but never read through the driver again.
    check('posts_readable', sql`${t.wireBytes} <= 9500000`),
  ],
)

/** How many posts a site has of each kind, so that totals are exact and nothing is counted; no language or band is empty. */
export const postCounts = pgTable(
  'post_counts',
  {
    siteId: siteId(),
    status: text('status', { enum: enums.postStatuses }).notNull(),
    languageKey: text('language_key').notNull(),
    qualityBand: text('quality_band', { enum: [...enums.qualityBands, ''] }).notNull(),
    posts: integer('posts').notNull(),
    /** No slug of theirs takes more bytes in a URL. It never shrinks, so that the sitemap's files keep their numbers. */
    slugBytes: integer('slug_bytes').notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.status, t.languageKey, t.qualityBand] })],
)

/** What the title search looks at: small rows, of which it reads many. They have their post's `updated_at`, which is a key. */
export const postTitles = pgTable(
  'post_titles',
  {
    siteId: uuid('site_id').notNull(),
    updatedAt: time('updated_at').notNull(),
    status: text('status', { enum: enums.postStatuses }).notNull(),
    languageKey: text('language_key').notNull(),
    titleFolded: text('title_folded').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.updatedAt] }),
    // With fast updates, a search would read through all titles that were written lately.
    index('post_titles_search').using('gin', sql`${t.titleFolded} gin_trgm_ops`).with({ fastupdate: false }),
  ],
)

export const guides = pgTable('guides', article(), (t) => [
  uniqueIndex('guides_slug').on(t.siteId, t.slug),
  uniqueIndex('guides_newest').on(t.siteId, t.updatedAt),
  index('guides_sitemap').on(t.siteId, t.createdAt, t.id).where(sql`${t.status} = 'published'`),
  check('guides_status', sql`${t.status} in ('draft', 'published')`),
])

/** What is gone and must be said of it in the change feed; written by triggers, kept for 90 days. */
export const tombstones = pgTable(
  'tombstones',
  {
    siteId: siteId(),
    /** A tick of the site's, like every `updated_at`. */
    deletedAt: time('deleted_at').notNull(),
    resource: text('resource', { enum: enums.resources }).notNull(),
    resourceId: uuid('resource_id').notNull(),
    slug: text('slug').notNull(),
    language: text('language'),
    status: text('status', { enum: enums.postStatuses }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.deletedAt] }), index('tombstones_age').on(t.deletedAt)],
)

export const trainingRows = pgTable(
  'training_rows',
  {
    id: id(),
    siteId: siteId(),
    /** Order of arrival; rows are written under the site's lock, so it is the commit order too. */
    sequence: bigint('sequence', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    postId: uuid('post_id').references(() => posts.id, { onDelete: 'set null' }),
    language: text('language'),
    prompt: text('prompt').notNull(),
    completion: text('completion').notNull(),
    qualityBand: text('quality_band', { enum: enums.qualityBands }),
    optIn: boolean('opt_in').notNull().default(true),
    /** Bytes that prompt and completion take on the wire, by the row trigger. */
    wireBytes: integer('wire_bytes').notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    index('training_rows_export').on(t.siteId, t.sequence).where(sql`${t.optIn}`),
    index('training_rows_by_post').on(t.postId),
  ],
)

export const webhookEndpoints = pgTable('webhook_endpoints', {
  siteId: siteId().primaryKey(),
  url: text('url').notNull(),
  /** `keyId.iv.ciphertext`, AES-GCM under one of WEBHOOK_KEYS, bound to the site. */
  secret: text('secret').notNull(),
  previousSecret: text('previous_secret'),
  previousSecretExpiresAt: time('previous_secret_expires_at'),
  secretRotatedAt: time('secret_rotated_at').notNull().defaultNow(),
  createdAt: createdAt(),
  updatedAt: time('updated_at').notNull().defaultNow(),
})

/** The outbox: a row is an event that must be sent exactly once, whatever becomes of its queue message. */
export const webhookEvents = pgTable(
  'webhook_events',
  {
    id: id(),
    siteId: siteId(),
    event: text('event', { enum: enums.eventKinds }).notNull(),
    postId: uuid('post_id'),
    slug: text('slug'),
    /** The exact JSON that is signed and sent. */
    payload: text('payload').notNull(),
    state: text('state', { enum: enums.eventStates }).notNull().default('pending'),
    createdAt: createdAt(),
    claimedAt: time('claimed_at'),
    finishedAt: time('finished_at'),
  },
  (t) => [
    index('webhook_events_by_site').on(t.siteId, t.createdAt, t.id),
    index('webhook_events_open').on(t.createdAt).where(sql`${t.state} in ('pending', 'sending')`),
    index('webhook_events_age').on(t.createdAt),
    check('webhook_events_state', sql`${t.state} in ('pending', 'sending', 'delivered', 'failed')`),
  ],
)

/** One row an attempt. It is written before the POST, so that an interrupted attempt is on the log as well. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: id(),
    eventId: uuid('event_id')
      .notNull()
      .references(() => webhookEvents.id, { onDelete: 'cascade' }),
    siteId: siteId(),
    url: text('url').notNull(),
    /** The receiver's HTTP status; null when none arrived. */
    status: integer('status'),
    /** One of the failure kinds in src/webhooks/send.ts; null when the receiver answered 2xx. */
    error: text('error'),
    durationMs: integer('duration_ms'),
    /** Sent again by the operator. */
    manual: boolean('manual').notNull().default(false),
    /** What was sent besides the event's payload; null when nothing was. */
    requestHeaders: jsonb('request_headers').$type<Record<string, string>>(),
    /** The beginning of the receiver's answer. */
    answerExcerpt: text('answer_excerpt'),
    attemptedAt: time('attempted_at').notNull().defaultNow(),
  },
  (t) => [
    index('webhook_deliveries_by_site').on(t.siteId, t.attemptedAt, t.id),
    index('webhook_deliveries_by_event').on(t.eventId),
  ],
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

/** Who is signed in to the console; a row lives as long as its session. */
export const consoleSessions = pgTable(
  'console_sessions',
  {
    /** SHA-256 of the session's id in hex; the id itself is in the cookie alone. */
    idHash: text('id_hash').primaryKey(),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [index('console_sessions_age').on(t.expiresAt)],
)
