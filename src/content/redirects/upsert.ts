/** Puts redirects in one statement, so that it reads and writes the same ones. See docs/decisions/redirect-chains.md. */
import { type SQL, sql } from 'drizzle-orm'
import { refuse } from '../../db/refusals.ts'
import { guides, posts, redirects } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { articlesAt, oldSlugsAt, slugsAt } from './pages.ts'

/** Per site, not counting old slugs. */
export const MAX_ADDRESSES = 50_000

/** A path leads to `target`, or to the article `slug` of `resource`. */
export type Pair = {
  path: string
  target: string | null
  suffix: string | null
  resource: string | null
  slug: string | null
}

/** The end of a redirect as it is stored. */
export type StoredTarget = {
  target: string | null
  target_resource: string | null
  resource_id: string | null
  suffix: string | null
}

type Options = {
  onlyNew: boolean
  /** The target that each address must still have; null for none. */
  current: StoredTarget | null | undefined
}

const TARGET_COLUMNS = sql.raw('target, target_resource, resource_id, suffix')

const targetOf = (alias: string) =>
  sql.raw(`(${alias}.target, ${alias}.target_resource, ${alias}.resource_id, ${alias}.suffix)`)

/** Returns `created` and `updated`. */
export function upsertRedirects(site: SiteScope, pairs: Pair[], options: Options): SQL {
  return sql`
    with recursive input (position, path, target, suffix, resource, slug) as (values ${valuesOf(pairs)}),
    ${pagesAtTargets(site)},
    wanted as (${selectWanted(site, options)}),
    graph as (${selectGraph(site)}),
    steps as (${followGraph()}),
    written as (${writeEnds(site)}),
    counted as (${countWritten(site)})
    select c.created, c.updated,
      (select ${refuse('address_circle', sql`'position', min(w.position)`)}
        from steps s join wanted w on w.path = s.path where s.target = s.path having count(*) > 0),
      case when c.created > 0 and c.created + (select count(*) from ${addressesOf(site)}) > ${MAX_ADDRESSES}::integer
        then ${refuse('too_many_addresses', sql``)} end
    from counted c`
}

const addressesOf = (site: SiteScope) =>
  sql`${redirects} r where r.site_id = ${site.id} and r.resource = 'address'`

const valuesOf = (pairs: Pair[]) =>
  sql.join(
    pairs.map(
      ({ path, target, suffix, resource, slug }, position) =>
        sql`(${position}::integer, ${path}::text, ${target}::text, ${suffix}::text, ${resource}::text, ${slug}::text)`,
    ),
    sql`, `,
  )

/** Defines `pages`: for each target path, the article there, or the one that was there before a rename. */
function pagesAtTargets(site: SiteScope): SQL {
  return sql`
    targets as materialized (select distinct target as path from input where target like '/%'),
    slugs as materialized (${slugsAt(site, sql`targets`)}),
    pages as (
      select distinct on (path) path, resource, id from (
        select 1 as rank, path, resource, id from (${articlesAt(site, sql`slugs`)}) a
        union all
        select 2, path, resource, id from (${oldSlugsAt(site, sql`slugs`)}) o
      ) every order by path, rank
    )`
}

/** The given redirects, with the article where the target is one. */
function selectWanted(site: SiteScope, { onlyNew, current }: Options): SQL {
  const stored = sql`select from ${addressesOf(site)} and r.slug = i.path`
  const isOvertaken = current
    ? sql`not exists (${stored} and (r.target, r.target_resource, r.resource_id::text, r.suffix) is not distinct from
        (${current.target}::text, ${current.target_resource}::text, ${current.resource_id}::text, ${current.suffix}::text))`
    : sql`${current === null}::boolean and exists (${stored})`
  return sql`
    select i.position, i.path, case when t.id is null then i.target end as target, t.resource as target_resource,
      case when ${isOvertaken} then ${refuse('changed_meanwhile', sql``)}
        when i.slug is not null and t.id is null then ${refuse('target_missing', sql`'position', i.position`)}
        else t.id end as resource_id, i.suffix
    from input i
    left join ${posts} p on i.resource = 'post' and p.site_id = ${site.id} and p.slug = i.slug
    left join ${guides} g on i.resource = 'guide' and g.site_id = ${site.id} and g.slug = i.slug
    left join pages at on at.path = i.target
    cross join lateral (select coalesce(i.resource, at.resource) as resource, coalesce(p.id, g.id, at.id) as id) t
    where not ${onlyNew}::boolean or not exists (${stored})`
}

/** The new redirects, the stored ones that start at their targets, and the stored ones that lead to their paths. */
function selectGraph(site: SiteScope): SQL {
  const isReplaced = sql`exists (select from wanted w where w.path = r.slug)`
  return sql`
    select path, ${TARGET_COLUMNS} from wanted
    union
    select r.slug, ${TARGET_COLUMNS} from ${addressesOf(site)} and r.slug in (select w.target from wanted w) and not ${isReplaced}
    union
    select r.slug, ${TARGET_COLUMNS} from ${addressesOf(site)} and r.target in (select w.path from wanted w) and not ${isReplaced}`
}

/** A chain ends at the step whose target has no redirect in the graph. */
function followGraph(): SQL {
  return sql`
    select path, ${TARGET_COLUMNS} from graph
    union
    select s.path, g.target, g.target_resource, g.resource_id, coalesce(g.suffix, s.suffix)
    from steps s join graph g on g.path = s.target`
}

function writeEnds(site: SiteScope): SQL {
  return sql`
    insert into ${redirects} (site_id, resource, slug, ${TARGET_COLUMNS})
    select ${site.id}::uuid, 'address', s.path, s.target, s.target_resource, s.resource_id, s.suffix
    from steps s left join ${redirects} r on r.site_id = ${site.id} and r.resource = 'address' and r.slug = s.path
    where not exists (select from graph g where g.path = s.target)
      and ${targetOf('s')} is distinct from ${targetOf('r')}
    on conflict (site_id, resource, slug) do update
    set target = excluded.target, target_resource = excluded.target_resource, resource_id = excluded.resource_id, suffix = excluded.suffix
    returning slug`
}

/** Counts only paths from the request. The write may also update redirects that led to them. */
function countWritten(site: SiteScope): SQL {
  return sql`
    select count(*) filter (where r.slug is null)::integer as created, count(r.slug)::integer as updated
    from written n join wanted w on w.path = n.slug
    left join ${redirects} r on r.site_id = ${site.id} and r.resource = 'address' and r.slug = n.slug`
}
