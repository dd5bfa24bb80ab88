import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { databaseError } from '../../db/client.ts'
import { refusalOf, refuse } from '../../db/refusals.ts'
import { guides, posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import type { ArticleInput, ArticleTable, Kind } from './kind.ts'

/** Ids for new articles by slug, so that a restored export keeps its ids. */
export type KeptIds = Record<string, string>

/** Only operators with access to all sites may send ids: refusing a taken id would reveal that another site has it. @throws AppError invalid_body; role_required */
export function checkInputs(
  { actor }: Context,
  inputs: ArticleInput[],
  where: (index: number) => string,
  ids: string[] | undefined,
): KeptIds {
  for (const name of ['slug', 'originId'] as const) {
    const values = inputs.map((input) => input[name] ?? null)
    const first = values.findIndex((value, index) => value !== null && values.lastIndexOf(value) > index)
    if (first >= 0) throw givenTwice(`${where(first)}${name}`)
  }
  if (!ids) return {}
  if (actor?.sites)
    throw new AppError('role_required', {
      path: '',
      message: '`ids` are only for people who reach all sites',
    })
  const kept = ids.map((id) => id.toLowerCase())
  const second = kept.findIndex((id, index) => kept.indexOf(id) < index)
  if (second >= 0) throw givenTwice(`ids[${second}]`)
  return Object.fromEntries(inputs.map(({ slug }, index) => [slug, kept[index]!]))
}

const givenTwice = (path: string) => invalid(path, 'must not be given twice')

const invalid = (path: string, message: string) => new AppError('invalid_body', { path, message })

/** Statements that refuse what only the database knows. */
export const checkStored = (
  { table }: Kind,
  { id }: SiteScope,
  inputs: ArticleInput[],
  ids: KeptIds,
): SQL[] => [...checkKeptIds(table, id, ids), ...checkOrigins(table, id, inputs)]

function checkKeptIds(table: ArticleTable, siteId: string, ids: KeptIds): SQL[] {
  if (Object.keys(ids).length === 0) return []
  return [
    sql`
  select case when e.id is null then ${refuse('id_taken', sql`'slug', k.slug`)} else ${refuse('id_not_of_slug', sql`'slug', k.slug`)} end
  from (select key as slug, value::uuid as id from jsonb_each_text(${JSON.stringify(ids)}::jsonb)) k
  left join ${table} e on e.site_id = ${siteId} and e.slug = k.slug
  where e.id <> k.id or e.id is null
    and (exists (select from ${posts} where id = k.id) or exists (select from ${guides} where id = k.id))`,
  ]
}

/** An origin is the id of an imported article at its source. */
function checkOrigins(table: ArticleTable, siteId: string, inputs: ArticleInput[]): SQL[] {
  const origins = inputs.flatMap(({ slug, originId }) => (originId == null ? [] : { slug, origin: originId }))
  if (origins.length === 0) return []
  return [
    sql`
    select ${refuse('origin_taken', sql`'slug', k.slug`)}
    from jsonb_to_recordset(${JSON.stringify(origins)}::jsonb) as k (slug text, origin text)
    join ${table} e on e.site_id = ${siteId} and e.origin_id = k.origin
    where e.slug <> k.slug`,
  ]
}

/** The site's lock keeps everybody else from writing until the commit. */
export const checkUnchanged = (
  table: ArticleTable,
  siteId: string,
  slug: string,
  updatedAt: string,
): SQL => sql`
  select ${refuse('changed_meanwhile', sql``)} where not exists (
    select from ${table} where site_id = ${siteId} and slug = ${slug} and updated_at = ${updatedAt}::timestamptz)`

const ID_TAKEN = 'must not be the id of another post or guide'

export function toInputError(error: unknown, slugs: string[], where: (index: number) => string): unknown {
  // Another request took one after the check.
  if (['posts_pkey', 'guides_pkey'].includes(databaseError(error)?.constraint ?? ''))
    return invalid('ids', ID_TAKEN)
  const refusal = refusalOf(error)
  const index = slugs.indexOf(refusal?.slug ?? '')
  switch (refusal?.reason) {
    case 'changed_meanwhile':
      return new AppError('changed_meanwhile')
    case 'id_taken':
      return invalid(`ids[${index}]`, ID_TAKEN)
    case 'id_not_of_slug':
      return invalid(`ids[${index}]`, 'must match the id stored under this slug')
    case 'origin_taken':
      return invalid(`${where(index)}originId`, 'must not belong to another article')
    default:
      return error
  }
}
