/** Ids that new articles get instead of ones of their own: what was exported comes back under the ids it had. */
import { type SQL, sql } from 'drizzle-orm'
import { databaseError } from '../../db/client.ts'
import { refusalOf, refuse } from '../../db/refusals.ts'
import { guides, posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'

/** By slug. */
export type KeptIds = Record<string, string>

const NOT_ITS_OWN = 'must be the id that is there under this slug'
const TAKEN = 'must not be the id of another post or guide'

/**
 * The `ids` of a bulk put, which go with its slugs by position. People who reach some sites cannot give any: the refusal of
 * another site's id would show that it exists.
 *
 * @throws AppError invalid_body; role_required
 */
export function keptIds({ actor }: Context, slugs: string[], ids: string[] | undefined): KeptIds {
  if (!ids) return {}
  if (actor?.sites)
    throw new AppError('role_required', {
      path: '',
      message: '`ids` are only for people who reach all sites',
    })
  const lower = ids.map((id) => id.toLowerCase())
  const twice = lower.findIndex((id, index) => lower.indexOf(id) < index)
  if (twice >= 0) throw refusal(twice, 'must not be given twice')
  return Object.fromEntries(slugs.map((slug, index) => [slug, lower[index]!]))
}

/** Fails the batch for an id that is another article's, or not that of the article which has its slug. */
export function checkKeptIds(table: typeof posts | typeof guides, siteId: string, ids: KeptIds): SQL {
  return sql`
    select case when e.id is null then ${refuse('id_taken', sql`'slug', k.slug`)} else ${refuse('id_not_of_slug', sql`'slug', k.slug`)} end
    from (select key as slug, value::uuid as id from jsonb_each_text(${JSON.stringify(ids)}::jsonb)) k
    left join ${table} e on e.site_id = ${siteId} and e.slug = k.slug
    where e.id <> k.id or e.id is null
      and (exists (select from ${posts} where id = k.id) or exists (select from ${guides} where id = k.id))`
}

/** The id of a new article with this slug. */
export function newId(ids: KeptIds, slug: SQL): SQL {
  return sql`coalesce((${JSON.stringify(ids)}::jsonb ->> ${slug})::uuid, gen_random_uuid())`
}

/** Turns the error of `checkKeptIds` into one about the input; null for any other error. */
export function keptIdProblem(error: unknown, slugs: string[]): AppError | null {
  // Another request has taken one since it was checked.
  if (['posts_pkey', 'guides_pkey'].includes(databaseError(error)?.constraint ?? ''))
    return new AppError('invalid_body', { path: 'ids', message: TAKEN })
  const { reason, slug } = refusalOf(error) ?? {}
  if (reason === 'id_taken') return refusal(slugs.indexOf(slug!), TAKEN)
  return reason === 'id_not_of_slug' ? refusal(slugs.indexOf(slug!), NOT_ITS_OWN) : null
}

const refusal = (index: number, message: string) =>
  new AppError('invalid_body', { path: `ids[${index}]`, message })
