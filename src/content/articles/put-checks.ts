/** Checks of a put: of its inputs alone, and in SQL against the content of the site. */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { databaseError } from '../../db/client.ts'
import { refusalOf, refuse } from '../../db/refusals.ts'
import { guides, posts } from '../../db/schema.ts'
import type { ArticleInput, ArticleTable } from './kind.ts'

/** By slug, the ids that new articles get instead of ones of their own: an export comes back under the ids it had. */
export type KeptIds = Record<string, string>

/**
 * Checks inputs by themselves. People who reach some sites cannot give ids: the refusal of another site's id would show that
 * it exists.
 *
 * @throws AppError invalid_body; role_required
 */
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

/** Fails the batch for an id that is another article's, or not that of the article which has its slug. */
export function checkKeptIds(table: ArticleTable, siteId: string, ids: KeptIds): SQL[] {
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

/** Fails the batch for an origin that another article of the site has. An origin is what an imported article is called at its source. */
export function checkOrigins(table: ArticleTable, siteId: string, inputs: ArticleInput[]): SQL[] {
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

/** Fails the batch if the article is no longer as it was read. The site's lock keeps everybody else from writing until the commit. */
export const checkUnchanged = (
  table: ArticleTable,
  siteId: string,
  slug: string,
  updatedAt: string,
): SQL => sql`
  select ${refuse('changed_meanwhile', sql``)} where not exists (
    select from ${table} where site_id = ${siteId} and slug = ${slug} and updated_at = ${updatedAt}::timestamptz)`

const ID_TAKEN = 'must not be the id of another post or guide'

/** Turns a refusal of these checks into an error about the input; any other error stays. */
export function toInputError(error: unknown, slugs: string[], where: (index: number) => string): unknown {
  // Another request has taken one since it was checked.
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
      return invalid(`ids[${index}]`, 'must be the id that is there under this slug')
    case 'origin_taken':
      return invalid(`${where(index)}originId`, 'must not be that of another article')
    default:
      return error
  }
}
