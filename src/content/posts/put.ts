import { isNotNull, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Context } from '../../context.ts'
import { posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type GivenIds, type Put, putArticles } from '../articles/put.ts'
import {
  differs,
  excluded,
  selectPut,
  setContent,
  setFoldedTitle,
  setStates,
  sharedColumns,
} from '../articles/put-sql.ts'
import { derivePost } from './derive.ts'
import { POST_FIELDS } from './fields.ts'
import { POST, type PostInput } from './post.ts'
import { inSourceOrder, isTranslation, resolveSources, sourceOf } from './sources.ts'

/** One transaction. Keeps omitted `status` and `publishedAt`; derives or clears other omitted fields. @throws AppError invalid_body */
export const putPosts: Put<PostInput> = (ctx, site, inputs, options = {}) =>
  putArticles(ctx, POST, site, inputs, options, ({ ids, where }) => ({
    upserts: inSourceOrder(inputs, where).map((level) => upsertPosts(ctx, site, level, ids)),
    afterUpserts: resolveSources(site, inputs),
  }))

function upsertPosts(ctx: Context, site: SiteScope, inputs: PostInput[], ids: GivenIds) {
  const rows = inputs.map((input) => toRow(site, input, ids))
  const computed: Record<string, SQL> = inputs.some(isTranslation) ? { sourcePostId: sourceOf(site) } : {}
  const states = setStates(posts, inputs)
  return ctx.db
    .insert(posts)
    .select(selectPut(posts, rows, computed))
    .onConflictDoUpdate({
      target: [posts.siteId, posts.slug],
      set: { ...CONTENT, ...RESET_BY_EDIT, ...setFoldedTitle(posts), ...states },
      setWhere: or(IS_EDIT, differs(posts, states)),
    })
}

const toRow = (site: SiteScope, input: PostInput, ids: GivenIds) => ({
  ...input,
  ...derivePost(site, input),
  ...sharedColumns(site, input, ids),
})

/** A client that reads a post and puts it again sends the bundle that we derived as its own. */
const RETURNS_DERIVED_BUNDLE = sql`(${posts.schemaBundleDerived} and not excluded.schema_bundle_derived
  and undated_bundle(${posts.schemaBundle}) = undated_bundle(excluded.schema_bundle))`

/** Ignores dates and FAQ, because the row trigger adds them to the stored bundle. */
const DERIVES_SAME_BUNDLE = sql`(${posts.schemaBundleDerived} and excluded.schema_bundle_derived
  and undated_bundle(${posts.schemaBundle}) - 'faq' = undated_bundle(excluded.schema_bundle) - 'faq')`

const keepIf = (condition: SQL, column: PgColumn): SQL =>
  sql`case when ${condition} then ${column} else ${excluded(column)} end`

/** Such a client may not have seen the metadata, which responses include only on request. */
const keepUnseen = (column: PgColumn, isOmitted: SQL): SQL =>
  keepIf(sql`${excluded(column)} ${isOmitted} and ${RETURNS_DERIVED_BUNDLE}`, column)

const IS_NULL = sql`is null`
const IS_EMPTY = sql`= '[]'`

const CONTENT = {
  ...setContent(posts, POST_FIELDS),
  trustScore: keepIf(
    sql`excluded.trust_score is null and excluded.quality_band = ${posts.qualityBand}`,
    posts.trustScore,
  ),
  reviewStatus: keepIf(isNotNull(posts.changeRequest), posts.reviewStatus),
  schemaBundle: keepIf(sql`${RETURNS_DERIVED_BUNDLE} or ${DERIVES_SAME_BUNDLE}`, posts.schemaBundle),
  schemaBundleDerived: keepIf(RETURNS_DERIVED_BUNDLE, posts.schemaBundleDerived),
  schemaArticle: keepIf(RETURNS_DERIVED_BUNDLE, posts.schemaArticle),
  urlTemplate: keepIf(RETURNS_DERIVED_BUNDLE, posts.urlTemplate),
  modifiedAt: keepIf(RETURNS_DERIVED_BUNDLE, posts.modifiedAt),
  authors: keepUnseen(posts.authors, IS_EMPTY),
  categories: keepUnseen(posts.categories, IS_EMPTY),
  tags: keepUnseen(posts.tags, IS_EMPTY),
  image: keepUnseen(posts.image, IS_NULL),
  canonicalUrl: keepUnseen(posts.canonicalUrl, IS_NULL),
}

const IS_EDIT = differs(posts, CONTENT)

/** An edit clears readiness and the schedule, and timestamps the change request. */
const RESET_BY_EDIT = {
  readyAt: sql`case when ${posts.readyAt} is not null and not (${IS_EDIT}) then ${posts.readyAt} end`,
  publishAt: sql`case when ${posts.publishAt} is not null and not (${IS_EDIT}) then ${posts.publishAt} end`,
  changeRequest: sql`case when ${posts.changeRequest} is not null and (${IS_EDIT})
    then ${posts.changeRequest} || jsonb_build_object('changedAt', wire_time(now())) else ${posts.changeRequest} end`,
}
