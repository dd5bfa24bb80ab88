/** The articles before and after one in a list, found by its sort key, so that it need not be in the list any more. */
import { type SQL, sql } from 'drizzle-orm'
import { guides, postTitles } from '../../db/schema.ts'
import { andFilters, bindFilters, type Filters } from './filters.ts'
import { ORDERS, type Order, type OrderKey } from './find.ts'
import type { Kind } from './kind.ts'

export type Neighbour = { slug: string; title: string }
export type Neighbours = { previous: Neighbour | null; next: Neighbour | null }

type Key = { column: string; reversed: boolean }

/** Replaces null with infinity, so that it compares as it sorts: last. */
function toKey({ column, isReversed = false, isNullable }: OrderKey): Key {
  const last = isReversed ? '-infinity' : 'infinity'
  return { column: isNullable ? `coalesce(${column}, '${last}')` : column, reversed: isReversed }
}

export type NeighboursInput = Filters & { sort: Exclude<Order, 'lastPublished'> }

export function selectNeighbours(
  { table, noun }: Kind,
  site: { id: string },
  slug: string,
  { sort, ...filters }: NeighboursInput,
): SQL {
  const keys = ORDERS[sort].map(toKey)
  const list = noun === 'post' ? postTitles : guides
  const where = andFilters(bindFilters(filters), noun === 'post' ? 'post_titles' : 'guides')
  const self = sql`select * from ${list} where site_id = ${site.id}
    and updated_at = (select updated_at from ${table} where site_id = ${site.id} and slug = ${slug})`
  const names = keys.map((_, at) => sql.raw(`k${at}`))
  const first = (isBefore: boolean) => sql`(
    select json_build_object('slug', a.slug, 'title', a.title) from (
      select updated_at from ${list}
      where site_id = ${site.id}${where} and (${isBeforeOrAfter(keys, isBefore)})
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

/** A scalar subquery, so that Postgres starts in the index at this value. */
const ownKey = (at: number) => `(select k${at} from self)`

/** Compares key by key, because the keys may sort in different directions. */
function isBeforeOrAfter(keys: Key[], isBefore: boolean): SQL {
  const steps = keys.map(({ column, reversed }, at) => {
    const equal = keys.slice(0, at).map((key, before) => `${key.column} = ${ownKey(before)} and `)
    return sql.raw(`${equal.join('')}${column} ${reversed !== isBefore ? '<' : '>'} ${ownKey(at)}`)
  })
  return sql.join(steps, sql` or `)
}

export const toNeighbours = (rows: unknown[]): Neighbours =>
  (rows[0] as Neighbours | undefined) ?? { previous: null, next: null }
