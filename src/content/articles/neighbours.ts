/** The articles before and after one in a list, found by its sort key, so also after it has left the list. */
import { type SQL, sql } from 'drizzle-orm'
import { guides, postTitles } from '../../db/schema.ts'
import { ARTICLES, andFilters, bindFilters, type Filters } from './filters.ts'
import { ORDERS, type Order, type OrderKey } from './find.ts'
import type { Kind } from './kind.ts'

export type Neighbour = { slug: string; title: string }
export type Neighbours = { previous: Neighbour | null; next: Neighbour | null }

type Key = { column: string; reversed: boolean }

/** The sort key with a time at the end of time in place of null. */
function toKey({ column, isReversed = false, isNullable }: OrderKey): Key {
  const last = isReversed ? '-infinity' : 'infinity'
  return { column: isNullable ? `coalesce(${column}, '${last}')` : column, reversed: isReversed }
}

export type NeighboursInput = Filters & { sort: Exclude<Order, 'lastPublished'> }

/** One row, with both as JSON or null. */
export function selectNeighbours(
  { table, noun }: Kind,
  site: { id: string },
  slug: string,
  { sort, ...filters }: NeighboursInput,
): SQL {
  const keys = ORDERS[sort].map(toKey)
  const list = noun === 'post' ? postTitles : guides
  const where = andFilters(bindFilters(filters), noun === 'post' ? {} : { searched: ARTICLES })
  const self = sql`select * from ${list} where site_id = ${site.id}
    and updated_at = (select updated_at from ${table} where site_id = ${site.id} and slug = ${slug})`
  const names = keys.map((_, at) => sql.raw(`k${at}`))
  const first = (isBefore: boolean) => sql`(
    select json_build_object('slug', a.slug, 'title', a.title) from (
      select updated_at from ${list}
      where site_id = ${site.id}${where} and (${beyond(keys, isBefore)})
      order by ${sql.join(
        keys.map(({ column, reversed }) => sql.raw(`${column}${reversed !== isBefore ? ' desc' : ''}`)),
        sql`, `,
      )} limit 1
    ) n join ${table} a on a.site_id = ${site.id} and a.updated_at = n.updated_at)`
  return sql`with self as (
      select ${sql.join(
        keys.map(({ column }, at) => sql`${sql.raw(column)} as ${names[at]}`),
        sql`, `,
      )} from (${self}) s
    )
    select ${first(true)} as previous, ${first(false)} as next`
}

/** A key of the article itself: a single value, so that an index is read from there on. */
const ownKey = (at: number) => `(select k${at} from self)`

/** The articles before or after it: by the first key, or where those are equal by the next. */
function beyond(keys: Key[], isBefore: boolean): SQL {
  const steps = keys.map(({ column, reversed }, at) => {
    const equal = keys.slice(0, at).map((key, before) => `${key.column} = ${ownKey(before)} and `)
    return sql.raw(`${equal.join('')}${column} ${reversed !== isBefore ? '<' : '>'} ${ownKey(at)}`)
  })
  return sql.join(steps, sql` or `)
}

export const toNeighbours = (rows: unknown[]): Neighbours =>
  (rows[0] as Neighbours | undefined) ?? { previous: null, next: null }
