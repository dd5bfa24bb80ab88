/** The SQL statements of a put. */
import { type SQL, sql } from 'drizzle-orm'
import { posts } from '../../db/schema.ts'
import { foldCase } from '../../foundation/fold.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { type KeptIds, newId } from '../articles/kept-ids.ts'
import { derivePost } from './derive.ts'
import type { PostInput } from './input.ts'

/** The columns that a put sets. Fields left out are derived or cleared; only `status` and `publishedAt` are kept. */
const SET = [
  'title',
  'content_html',
  'excerpt',
  'status',
  'published_at',
  'reading_time_minutes',
  'quality_band',
  'trust_score',
  'assurance_label',
  'review_status',
  'ai_generated',
  'language',
  'source_post_id',
  'provenance',
  'seo',
  'faq_json_ld',
  'schema_bundle',
  'schema_bundle_derived',
  'schema_article',
  'modified_at',
  'url_template',
]

/** Written with the title, but no reason to write: the sweep folds what SQL by hand has set. */
const FOLDED = ['title_folded', 'folded_from']

/** Changing only these is not an edit: the draft stays ready. */
const STATES = ['status', 'published_at']

/** Inserts or updates posts by slug and skips unchanged ones. Returns a `PutResult` row for each. */
export function upsertPosts(site: SiteScope, inputs: PostInput[], ids: KeptIds): SQL {
  const rows = sql.join(
    inputs.map((input, position) => values(site, input, position)),
    sql`, `,
  )
  const each = (write: (column: string) => string) => sql.raw([...SET, ...FOLDED].map(write).join(', '))
  const changed = sql.raw(SET.map(differs).join(' or '))
  const edited = sql.raw(
    SET.filter((column) => !STATES.includes(column))
      .map(differs)
      .join(' or '),
  )
  return sql`
    with input (position, slug, title, title_folded, content_html, excerpt, status, published_at, reading_time_minutes,
      quality_band, trust_score, assurance_label, review_status, ai_generated, language, source_slug, source_id,
      provenance, seo, faq_json_ld, schema_bundle, schema_bundle_derived, schema_article, modified_at,
      url_template) as (values ${rows}),
    wanted as (
      select i.position, e.id as existing_id, i.slug, i.title, i.title_folded, i.title as folded_from, i.content_html, i.excerpt,
        coalesce(i.status, e.status, 'draft') as status,
        coalesce(i.published_at, e.published_at,
          case when i.status = 'published' then date_trunc('milliseconds', now()) end) as published_at,
        i.reading_time_minutes, i.quality_band,
        coalesce(i.trust_score, case when i.quality_band = e.quality_band then e.trust_score end) as trust_score,
        i.assurance_label, i.review_status, i.ai_generated,
        i.language,
        case
          when i.source_slug is null and i.source_id is null then null
          when s.id is null then refuse_source(i.slug, 'must name a post of this site')
          when coalesce(s.source_post_id, s.id) = e.id then refuse_source(i.slug, 'must not be a translation of this post')
          else coalesce(s.source_post_id, s.id)
        end as source_post_id,
        i.provenance, i.seo, i.faq_json_ld, i.schema_bundle,
        i.schema_bundle_derived or r.is_put_back as schema_bundle_derived,
        case when r.is_put_back then e.schema_article else i.schema_article end as schema_article,
        case when r.is_put_back then e.modified_at else i.modified_at end as modified_at,
        case when r.is_put_back then e.url_template else i.url_template end as url_template
      from input i
      left join ${posts} e on e.site_id = ${site.id} and e.slug = i.slug
      -- A derived bundle that was read from the API and put back is still derived.
      cross join lateral (
        select not i.schema_bundle_derived and coalesce(e.schema_bundle_derived
          and undated_bundle(e.schema_bundle) = undated_bundle(i.schema_bundle), false) as is_put_back
      ) r
      left join ${posts} s on s.site_id = ${site.id}
        and (s.slug = i.source_slug or (i.source_slug is null and s.id = i.source_id))
    ),
    written as (
      insert into ${posts} (id, site_id, slug, ready_at, ${each((column) => column)})
      select ${newId(ids, sql`w.slug`)}, ${site.id}::uuid, w.slug, case when not (${edited}) then e.ready_at end, ${each((column) => `w.${column}`)}
      from wanted w left join ${posts} e on e.id = w.existing_id
      where w.existing_id is null or ${changed}
      order by w.position
      on conflict (site_id, slug) do update set
        ready_at = excluded.ready_at, ${each((column) => `${column} = excluded.${column}`)}
      returning id, slug, status, updated_at
    )
    select w.slug, coalesce(n.id, e.id) as id, coalesce(n.status, e.status) as status,
      coalesce(n.updated_at, e.updated_at) as "updatedAt",
      case when n.id is null then 'unchanged' when w.existing_id is null then 'created' else 'updated' end as outcome
    from wanted w
    left join written n on n.slug = w.slug
    left join ${posts} e on e.id = w.existing_id`
}

/** Whether the existing row `e` differs from the wanted row `w`. Ignores what the row trigger sets in a derived bundle. */
function differs(column: string): string {
  if (column !== 'schema_bundle') return `e.${column} is distinct from w.${column}`
  return `case when e.schema_bundle_derived and w.schema_bundle_derived
    then undated_bundle(e.schema_bundle) - 'faq' is distinct from undated_bundle(w.schema_bundle) - 'faq'
    else e.schema_bundle is distinct from w.schema_bundle end`
}

function values(site: SiteScope, input: PostInput, position: number): SQL {
  const derived = derivePost(site, input)
  const json = (value: unknown) => sql`${value == null ? null : JSON.stringify(value)}::jsonb`
  return sql`(${position}::integer, ${input.slug}::text, ${input.title}::text, ${foldCase(input.title)}::text, ${input.contentHtml}::text,
    ${derived.excerpt}::text, ${input.status ?? null}::text, ${input.publishedAt?.toISOString() ?? null}::timestamptz(3),
    ${derived.readingTimeMinutes}::integer, ${derived.qualityBand}::text, ${input.trustScore ?? null}::float8,
    ${input.assuranceLabel ?? null}::text, ${input.reviewStatus ?? null}::text, ${input.aiGenerated ?? false}::boolean,
    ${input.language ?? null}::text, ${input.sourceSlug ?? null}::text, ${input.sourcePostId ?? null}::uuid,
    ${json(input.provenance)}, ${json(derived.seo)}, ${json(input.faqJsonLd)}, ${json(derived.schemaBundle)},
    ${derived.schemaBundleDerived}::boolean, ${json(derived.schemaArticle)}, ${derived.modifiedAt?.toISOString() ?? null}::timestamptz(3),
    ${derived.urlTemplate}::text)`
}

/** Keeps translations one level deep: those of a post that became a translation itself move to its source. */
export function flattenTranslations(site: SiteScope, slugs: string[]): SQL {
  return sql`
    update ${posts} t set source_post_id = s.source_post_id from ${posts} s
    where t.site_id = ${site.id} and s.site_id = ${site.id} and s.slug in ${slugs}
      and s.id = t.source_post_id and s.source_post_id is not null and s.source_post_id <> t.id`
}

/** Fails the batch if sources given by id form a cycle. */
export function checkSources(site: SiteScope, slugs: string[]): SQL {
  return sql`
    select refuse_source(t.slug, 'must not lead back to the post itself')
    from ${posts} t join ${posts} s on s.id = t.source_post_id
    where t.site_id = ${site.id} and t.slug in ${slugs} and s.source_post_id is not null`
}
