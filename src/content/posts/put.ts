import { or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Context } from '../../context.ts'
import { posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type PutOptions, type PutResults, writePut } from '../articles/put.ts'
import { checkInputs, checkStored, type KeptIds } from '../articles/put-checks.ts'
import {
  differs,
  excluded,
  selectPut,
  setContent,
  setFoldedTitle,
  setStates,
  sharedColumns,
} from '../articles/put-sql.ts'
import { stateColumns } from '../articles/state-change.ts'
import { derivePost } from './derive.ts'
import { POST_FIELDS } from './fields.ts'
import { POST, type PostInput } from './post.ts'
import { inSourceOrder, isTranslation, settleSources, sourceOf, toSourceError } from './sources.ts'

/** One transaction. Keeps omitted `status` and `publishedAt`; derives or clears other omitted fields. @throws AppError invalid_body */
export async function putPosts(
  ctx: Context,
  site: SiteScope,
  inputs: PostInput[],
  {
    where = (index) => `posts[${index}].`,
    ids,
    events,
    before = [],
    after = [],
    isRenamed = false,
  }: PutOptions = {},
): Promise<PutResults> {
  const keptIds = checkInputs(ctx, inputs, where, ids)
  const upserts = inSourceOrder(inputs, where).map((level) => upsertPosts(ctx, site, level, keptIds))
  try {
    return await writePut(ctx, POST, site, {
      inputs,
      where,
      events,
      before: [...checkStored(POST, site, inputs, keptIds), ...before],
      upserts,
      after: [...settleSources(site, inputs), ...after],
      isRenamed,
    })
  } catch (error) {
    throw toSourceError(error, inputs, where)
  }
}

function upsertPosts(ctx: Context, site: SiteScope, inputs: PostInput[], ids: KeptIds) {
  const rows = inputs.map((input) => toRow(site, input, ids))
  const computed: Record<string, SQL> = inputs.some(isTranslation) ? { sourcePostId: sourceOf(site) } : {}
  const states = setStates(posts, inputs)
  return ctx.db
    .insert(posts)
    .select(selectPut(posts, rows, computed))
    .onConflictDoUpdate({
      target: [posts.siteId, posts.slug],
      set: { ...CONTENT, ...UPON_EDIT, ...setFoldedTitle(posts), ...states },
      setWhere: or(IS_EDIT, differs(posts, states)),
    })
    .returning(stateColumns(posts))
}

const toRow = (site: SiteScope, input: PostInput, ids: KeptIds) => ({
  ...input,
  ...derivePost(site, input),
  ...sharedColumns(site, input, ids),
})

/** True if the caller sent back the bundle that we derived: it stays derived. */
const IS_PUT_BACK = sql`(${posts.schemaBundleDerived} and not excluded.schema_bundle_derived
  and undated_bundle(${posts.schemaBundle}) = undated_bundle(excluded.schema_bundle))`

const keepIfPutBack = (column: PgColumn) =>
  sql`case when ${IS_PUT_BACK} then ${column} else ${excluded(column)} end`

/** Clients that never saw the metadata do not delete it when they put a post back. */
const keepIfOmitted = (column: PgColumn, none: SQL) =>
  sql`case when ${excluded(column)} ${none} and ${IS_PUT_BACK} then ${column} else ${excluded(column)} end`

const NULL = sql`is null`
const EMPTY = sql`= '[]'`

const CONTENT = {
  ...setContent(posts, POST_FIELDS),
  trustScore: sql`coalesce(excluded.trust_score,
    case when excluded.quality_band = ${posts.qualityBand} then ${posts.trustScore} end)`,
  reviewStatus: sql`case when ${posts.changeRequest} is null then excluded.review_status else ${posts.reviewStatus} end`,
  // Ignores the dates and the FAQ, which the row trigger sets in a derived bundle.
  schemaBundle: sql`case when ${IS_PUT_BACK} or (${posts.schemaBundleDerived} and excluded.schema_bundle_derived
      and undated_bundle(${posts.schemaBundle}) - 'faq' = undated_bundle(excluded.schema_bundle) - 'faq')
    then ${posts.schemaBundle} else excluded.schema_bundle end`,
  schemaBundleDerived: sql`(excluded.schema_bundle_derived or ${IS_PUT_BACK})`,
  schemaArticle: keepIfPutBack(posts.schemaArticle),
  urlTemplate: keepIfPutBack(posts.urlTemplate),
  modifiedAt: keepIfPutBack(posts.modifiedAt),
  authors: keepIfOmitted(posts.authors, EMPTY),
  categories: keepIfOmitted(posts.categories, EMPTY),
  tags: keepIfOmitted(posts.tags, EMPTY),
  image: keepIfOmitted(posts.image, NULL),
  canonicalUrl: keepIfOmitted(posts.canonicalUrl, NULL),
}

const IS_EDIT = differs(posts, CONTENT)

/** An edit clears readiness and the schedule, and dates the change request. */
const UPON_EDIT = {
  readyAt: sql`case when ${posts.readyAt} is not null and not (${IS_EDIT}) then ${posts.readyAt} end`,
  publishAt: sql`case when ${posts.publishAt} is not null and not (${IS_EDIT}) then ${posts.publishAt} end`,
  changeRequest: sql`case when ${posts.changeRequest} is not null and (${IS_EDIT})
    then ${posts.changeRequest} || jsonb_build_object('changedAt', wire_time(now())) else ${posts.changeRequest} end`,
}
