/** URLs in derived bundles. When a site's address changes, posts keep old URLs until they are rebuilt; `url_template` shows which. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { describeError } from '../../core/log.ts'
import { responseSchema } from '../../core/zod.ts'
import { posts, sites } from '../../db/schema.ts'
import { setVerb } from '../../db/write.ts'
import { writeSite } from '../../freshness/write-site.ts'
import type { SiteAddress } from '../model/urls.ts'

/** Takes Postgres about 0.1 s. */
const BATCH_POSTS = 500
/** A Worker may make 50 calls a request, and a batch takes three, or four with events. */
const REQUEST_BATCHES = 10
const REQUEST_MS = 5_000
const MAX_COUNTED = 10_000

export const RebuiltBundles = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      rebuilt: z.int().check(z.describe('Posts changed by this call')),
      outdated: z
        .int()
        .check(
          z.describe(`Posts that still have an old URL, counted up to ${MAX_COUNTED.toLocaleString('en')}`),
        ),
    })
    .register(z.globalRegistry, { id: 'RebuiltBundles' }),
)

export type OutdatedBundles = { count: number; isMore: boolean }

export async function countOutdatedBundles(ctx: Context, site: { id: string }): Promise<OutdatedBundles> {
  return toOutdated(await selectOutdated(ctx, site.id))
}

/** Rebuilds up to 500 posts in one write, so callers may repeat it or stop. Keeps bundles that callers supplied. */
export async function rebuildBundles(ctx: Context, site: { id: string }) {
  const {
    results: [, updated, left],
  } = await writeSite(ctx, site.id, [
    ctx.db.execute(sql`select ${setVerb('rebuilt')}`),
    ctx.db
      .update(posts)
      .set(rebuildBundleUrls(SITE_COLUMNS, sql`posts.slug`))
      .from(sites)
      .where(and(eq(sites.id, site.id), inArray(posts.id, selectBatch(site.id)))),
    selectOutdated(ctx, site.id),
  ])
  return { rebuilt: updated.rowCount, outdated: toOutdated(left).count }
}

/** The queue rebuilds the rest, in the actor's name. */
export async function rebuildManyBundles(
  ctx: Context,
  site: { id: string },
): Promise<{ rebuilt: number; isQueued: boolean }> {
  const end = Date.now() + REQUEST_MS
  let rebuilt = 0
  for (let batches = 1; ; batches++) {
    const batch = await rebuildBundles(ctx, site)
    rebuilt += batch.rebuilt
    if (batch.outdated === 0 || batch.rebuilt === 0) return { rebuilt, isQueued: false }
    if (batches === REQUEST_BATCHES || Date.now() >= end)
      return { rebuilt, isQueued: await enqueueRest(ctx, site) }
  }
}

/** False if the queue is unreachable; the site's settings then count the remaining posts. */
async function enqueueRest(ctx: Context, site: { id: string }): Promise<boolean> {
  try {
    await ctx.queue.send({ kind: 'rebuild', siteId: site.id, actor: ctx.actor, changesetId: ctx.changesetId })
    return true
  } catch (error) {
    ctx.log('queue.unreachable', { siteId: site.id, error: describeError(error) })
    return false
  }
}

const selectBatch = (siteId: string) => sql`(
  with ${outdatedKinds(siteId)}
  select p.id from outdated k cross join lateral (
    select id from ${posts}
    where site_id = ${siteId} and language_key = k.language_key and url_template = k.url_template
    limit ${BATCH_POSTS}
  ) p limit ${BATCH_POSTS})`

function selectOutdated(ctx: Context, siteId: string) {
  return ctx.db.execute(sql`
    with ${outdatedKinds(siteId)}
    select count(*)::integer as count from (
      select from outdated k cross join lateral (
        select from ${posts}
        where site_id = ${siteId} and language_key = k.language_key and url_template = k.url_template
        limit ${MAX_COUNTED + 1}
      ) p limit ${MAX_COUNTED + 1}
    ) counted`)
}

function toOutdated({ rows }: { rows: unknown[] }): OutdatedBundles {
  const [{ count }] = rows as [{ count: number }]
  return { count: Math.min(count, MAX_COUNTED), isMore: count > MAX_COUNTED }
}

/** A loose index scan: one index step for each of the few pairs of language and template, however many posts there are. */
function outdatedKinds(siteId: string): SQL {
  const next = (where: SQL) => sql`
    select language_key, url_template from ${posts}
    where site_id = ${siteId} and url_template is not null ${where}
    order by language_key, url_template limit 1`
  return sql`recursive kinds as (
      (${next(sql``)})
      union all
      select n.* from kinds k
      cross join lateral (${next(sql`and (language_key, url_template) > (k.language_key, k.url_template)`)}) n
    ),
    outdated as (
      select k.* from kinds k join ${sites} on sites.id = ${siteId}
      where k.url_template <> ${templateOf(SITE_COLUMNS, sql`k.language_key`)}
    )`
}

type AddressSql = Record<'domain' | 'defaultLanguage' | 'postPath', SQL>

const SITE_COLUMNS: AddressSql = {
  domain: sql`sites.domain`,
  defaultLanguage: sql`sites.default_language`,
  postPath: sql`sites.post_path`,
}

export function rebuildBundleUrlsFor(site: SiteAddress, slug: string) {
  const address = {
    domain: sql`${site.domain}::text`,
    defaultLanguage: sql`${site.defaultLanguage}::text`,
    postPath: sql`${site.postPath}::text`,
  }
  return rebuildBundleUrls(address, sql`${slug}::text`)
}

/** The row trigger then applies the caller's article again. */
function rebuildBundleUrls(address: AddressSql, slug: SQL) {
  const { schemaBundle, schemaBundleDerived, canonicalUrl, language, languageKey } = posts
  const template = templateOf(address, sql`${languageKey}`)
  const url = sql`replace(replace(${template}, '{language}', coalesce(${language}, '')), '{slug}', url_component(${slug}))`
  return {
    urlTemplate: sql`case when ${schemaBundleDerived} then ${template} end`,
    schemaBundle: sql`case when ${schemaBundleDerived} then (
      select jsonb_set(jsonb_set(
        ${schemaBundle} || jsonb_build_object('article', ${schemaBundle} -> 'article' || jsonb_build_object(
          'url', u.url, 'mainEntityOfPage', jsonb_build_object('@type', 'WebPage', '@id', coalesce(${canonicalUrl}, u.url)))),
        '{breadcrumb,itemListElement,0}', ${schemaBundle} #> '{breadcrumb,itemListElement,0}'
          || jsonb_build_object('name', ${address.domain}, 'item', 'https://' || ${address.domain} || '/')),
        '{breadcrumb,itemListElement,1,item}', to_jsonb(u.url))
      from (select ${url} as url) u
    ) else ${schemaBundle} end`,
  }
}

/** `postUrlTemplate` in SQL. */
function templateOf({ domain, defaultLanguage, postPath }: AddressSql, languageKey: SQL): SQL {
  return sql`('https://' || ${domain}
    || case when ${languageKey} in ('', lower(${defaultLanguage})) then '' else '/{language}' end || ${postPath})`
}
