/** SQL for the post or guide that is, or was, at a path of the site. Paths are as `readSitePath` returns them. */
import { type SQL, sql } from 'drizzle-orm'
import { guides, posts, redirects } from '../../db/schema.ts'
import type { ContentScope } from '../../db/site-scope.ts'

type Paths = Pick<ContentScope, 'defaultLanguage' | 'postPath' | 'guidePath'>

/** `postPath` in SQL. */
export function postPathOf(site: Paths, slug: SQL, language: SQL): SQL {
  const [start, end] = splitTemplate(site.postPath)
  return sql`case when lower(${language}) <> lower(${site.defaultLanguage}) then '/' || ${language} else '' end || ${start}::text || ${slug} || ${end}::text`
}

export function guidePathOf(site: Paths, slug: SQL): SQL {
  const [start, end] = splitTemplate(site.guidePath)
  return sql`${start}::text || ${slug} || ${end}::text`
}

/** The slugs that articles at these paths would have: `path`, `resource`, `slug`. A post may have its language before its path. */
export function slugsAt(site: Paths, from: SQL): SQL {
  const rest = sql`substr(path, length(split_part(path, '/', 2)) + 2)`
  return sql`
    ${slugs('post', site.postPath, sql`path`, from)}
    union all ${slugs('post', site.postPath, rest, from)}
    union all ${slugs('guide', site.guidePath, sql`path`, from)}`
}

function slugs(resource: 'post' | 'guide', template: string, path: SQL, from: SQL): SQL {
  const [start, end] = splitTemplate(template)
  const [before, after] = [start, end].map(({ length }) => sql.raw(String(length)))
  return sql`
    select path, ${resource}::text as resource, substr(${path}, ${before} + 1, greatest(0, length(${path}) - ${before} - ${after})) as slug
    from ${from} each
    where length(${path}) > ${before} + ${after} and starts_with(${path}, ${start}::text)
      and right(${path}, ${after}) = ${end}::text`
}

/** The posts whose path without a language is one of these, but whose language is not the default: `path`, `slug`, `language`. */
export function translatedAt(site: ContentScope, paths: SQL): SQL {
  return sql`
    select c.path, p.slug, p.language from (${slugs('post', site.postPath, sql`path`, paths)}) c
    join ${posts} p on p.site_id = ${site.id} and p.slug = c.slug
    where c.path <> ${postPathOf(site, sql`p.slug`, sql`p.language`)}`
}

/** Rows of `path`, `resource`, `id`, `status`. Without statistics, the limits keep Postgres from reading the whole site per row. */
export function articlesAt(site: ContentScope, of: SQL): SQL {
  return sql`
    select c.path, c.resource, a.id, a.status from ${of} c cross join lateral (
      select * from ${posts} p where p.site_id = ${site.id} and p.slug = c.slug limit 1
    ) a where c.resource = 'post' and c.path = ${postPathOf(site, sql`a.slug`, sql`a.language`)}
    union all
    select c.path, c.resource, a.id, a.status from ${of} c cross join lateral (
      select * from ${guides} g where g.site_id = ${site.id} and g.slug = c.slug limit 1
    ) a where c.resource = 'guide' and c.path = ${guidePathOf(site, sql`a.slug`)}`
}

/** Rows of `path`, `resource`, `slug`, and the `id` of the article that had it. */
export function oldSlugsAt(site: ContentScope, of: SQL): SQL {
  return sql`
    select c.path, o.resource, o.slug, o.resource_id as id from ${of} c
    cross join lateral (
      select * from ${redirects} r where r.site_id = ${site.id} and r.resource = c.resource and r.slug = c.slug limit 1
    ) o
    left join ${posts} a on o.resource = 'post' and a.id = o.resource_id
    where c.path = case o.resource when 'post' then ${postPathOf(site, sql`o.slug`, sql`a.language`)}
      else ${guidePathOf(site, sql`o.slug`)} end`
}

/** A template has no characters to encode. */
function splitTemplate(template: string): [start: string, end: string] {
  const [start = '', end = ''] = template.replace(/\/$/, '').split('{slug}')
  return [start, end]
}
