/** Putting posts: insert or update by slug, many at once, and nothing at all where nothing changed. */
import { type SQL, sql } from 'drizzle-orm'
import { type PutResult, takeResults } from '../articles/put-result.ts'
import type { Context } from '../context.ts'
import { databaseError } from '../db/client.ts'
import { lockSite } from '../db/lock.ts'
import { posts } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { fold } from '../fold.ts'
import type { SiteScope } from '../sites.ts'
import { derive } from './derive.ts'
import type { PostInput } from './input.ts'

/** The columns that a put sets; what a caller leaves out is derived or emptied, `status` and `publishedAt` are kept. */
const SET = [
  'title',
  'title_folded',
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
]

/** A change of these alone is no edit: the draft stays ready. */
const STATES = ['status', 'published_at']

/**
 * Writes up to 100 posts in one transaction: all of them, or none. `where` begins the path of a refused field.
 *
 * @returns an outcome for each input, in its order
 * @throws AppError invalid_body when a slug is there twice or a source cannot be found
 */
export async function put(
  ctx: Context,
  site: SiteScope,
  inputs: PostInput[],
  where: (index: number) => string = (index) => `posts[${index}].`,
): Promise<PutResult[]> {
  const levels = inSourceOrder(inputs, where)
  const statements = levels.map((level) => ctx.db.execute(upsert(site, level)))
  try {
    const [, ...results] = await ctx.db.batch([
      lockSite(ctx.db, site.id),
      ...statements,
      ctx.db.execute(flatten(site)),
    ])
    return takeResults(
      inputs.map((input) => input.slug),
      results.slice(0, levels.length),
    )
  } catch (error) {
    throw sourceProblem(error, inputs, where) ?? error
  }
}

/** Sources before their translations, since a statement does not see the rows it inserts itself. */
function inSourceOrder(inputs: PostInput[], where: (index: number) => string): PostInput[][] {
  const bySlug = new Map(inputs.map((input) => [input.slug, input]))
  if (bySlug.size < inputs.length) {
    const twice = inputs.findIndex((input) => bySlug.get(input.slug) !== input)
    throw new AppError('invalid_body', `${where(twice)}slug must not be given twice`)
  }
  const root = (input: PostInput): PostInput => {
    let at = input
    for (let steps = 0; at.sourceSlug && bySlug.has(at.sourceSlug); steps++) {
      if (steps > inputs.length) {
        throw new AppError(
          'invalid_body',
          `${where(inputs.indexOf(input))}sourceSlug must not lead back to the post itself`,
        )
      }
      at = bySlug.get(at.sourceSlug)!
    }
    return at
  }
  const first: PostInput[] = []
  const second: PostInput[] = []
  for (const input of inputs) {
    const source = root(input)
    if (source === input) first.push(input)
    // A source that is itself a translation of a stored post is resolved by the database.
    else second.push({ ...input, sourceSlug: source.slug })
  }
  return [first, second].filter((level) => level.length > 0)
}

function upsert(site: SiteScope, inputs: PostInput[]): SQL {
  const rows = sql.join(
    inputs.map((input, position) => values(site, input, position)),
    sql`, `,
  )
  const columns = sql.raw(SET.join(', '))
  const changed = (column: string) =>
    column === 'schema_bundle'
      ? // The database keeps the dates in a derived bundle; they are no difference.
        `(e.schema_bundle #- '{article,dateModified}' #- '{article,datePublished}') is distinct from
         (w.schema_bundle #- '{article,dateModified}' #- '{article,datePublished}')`
      : `e.${column} is distinct from w.${column}`
  const edited = SET.filter((column) => !STATES.includes(column)).map(changed)
  return sql`
    with input (position, slug, title, title_folded, content_html, excerpt, status, published_at, reading_time_minutes,
      quality_band, trust_score, assurance_label, review_status, ai_generated, language, source_slug, source_id,
      provenance, seo, faq_json_ld, schema_bundle, schema_bundle_derived) as (values ${rows}),
    wanted as (
      select i.position, e.id as existing_id, i.slug, i.title, i.title_folded, i.content_html, i.excerpt,
        coalesce(i.status, e.status, 'draft') as status,
        coalesce(i.published_at, e.published_at,
          case when i.status = 'published' then date_trunc('milliseconds', now()) end) as published_at,
        i.reading_time_minutes, i.quality_band, i.trust_score, i.assurance_label, i.review_status, i.ai_generated,
        i.language,
        case
          when i.source_slug is null and i.source_id is null then null
          when s.id is null then refuse_source(i.slug, 'must name a post of this site')
          when coalesce(s.source_post_id, s.id) = e.id then refuse_source(i.slug, 'must not be a translation of this post')
          else coalesce(s.source_post_id, s.id)
        end as source_post_id,
        i.provenance, i.seo, i.faq_json_ld, i.schema_bundle, i.schema_bundle_derived
      from input i
      left join ${posts} e on e.site_id = ${site.id} and e.slug = i.slug
      left join ${posts} s on s.site_id = ${site.id} and (s.slug = i.source_slug or s.id = i.source_id)
    ),
    written as (
      insert into ${posts} (site_id, slug, ready_at, ${columns})
      select ${site.id}::uuid, w.slug,
        case when not (${sql.raw(edited.join(' or '))}) then e.ready_at end,
        ${sql.raw(SET.map((column) => `w.${column}`).join(', '))}
      from wanted w left join ${posts} e on e.id = w.existing_id
      where w.existing_id is null or ${sql.raw(SET.map(changed).join(' or '))}
      order by w.position
      on conflict (site_id, slug) do update set
        ready_at = excluded.ready_at, ${sql.raw(SET.map((column) => `${column} = excluded.${column}`).join(', '))}
      returning id, slug, status, updated_at
    )
    select w.slug, coalesce(n.id, e.id) as id, coalesce(n.status, e.status) as status,
      coalesce(n.updated_at, e.updated_at) as "updatedAt",
      case when n.id is null then 'unchanged' when w.existing_id is null then 'created' else 'updated' end as outcome
    from wanted w
    left join written n on n.slug = w.slug
    left join ${posts} e on e.id = w.existing_id`
}

function values(site: SiteScope, input: PostInput, position: number): SQL {
  const derived = derive(site, input)
  const json = (value: unknown) => sql`${value == null ? null : JSON.stringify(value)}::jsonb`
  return sql`(${position}::integer, ${input.slug}::text, ${input.title}::text, ${fold(input.title)}::text, ${input.contentHtml}::text,
    ${derived.excerpt}::text, ${input.status ?? null}::text, ${input.publishedAt?.toISOString() ?? null}::timestamptz(3),
    ${derived.readingTimeMinutes}::integer, ${derived.qualityBand}::text, ${input.trustScore ?? null}::float8,
    ${input.assuranceLabel ?? null}::text, ${input.reviewStatus ?? null}::text, ${input.aiGenerated ?? false}::boolean,
    ${input.language ?? null}::text, ${input.sourceSlug ?? null}::text, ${input.sourcePostId ?? null}::uuid,
    ${json(input.provenance)}, ${json(derived.seo)}, ${json(input.faqJsonLd)}, ${json(derived.schemaBundle)},
    ${input.schemaBundle == null}::boolean)`
}

/** A post that has become a translation hands its own translations to its source. */
function flatten(site: SiteScope): SQL {
  return sql`
    update ${posts} t set source_post_id = s.source_post_id from ${posts} s
    where t.site_id = ${site.id} and s.site_id = ${site.id}
      and s.id = t.source_post_id and s.source_post_id is not null and s.source_post_id <> t.id`
}

/** The database's refusal of a source, as words about the input. */
function sourceProblem(
  error: unknown,
  inputs: PostInput[],
  where: (index: number) => string,
): AppError | null {
  const problem = databaseError(error)
  if (problem?.code !== 'HC001') return null
  const at = inputs.findIndex((input) => input.slug === problem.detail)
  const field = inputs[at]?.sourceSlug ? 'sourceSlug' : 'sourcePostId'
  return new AppError('invalid_body', `${where(at)}${field} ${problem.message}`)
}
