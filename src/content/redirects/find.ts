import { type SQL, sql } from 'drizzle-orm'
import { likeSubstring, wordsOf } from '../../core/fold.ts'
import { contentVersionOf } from '../../db/content-version.ts'
import { guides, posts, type redirectKinds, redirects, type resources } from '../../db/schema.ts'
import type { ContentScope } from '../../db/site-scope.ts'
import { articlesAt, guidePathOf, postPathOf, slugsAt } from './pages.ts'

type RedirectKind = (typeof redirectKinds)[number]

/** The end of a page. `at` is `created_at` in milliseconds. */
export type RedirectCursor = { at: number; kind: RedirectKind; slug: string }

export type RedirectRow = {
  /** `address`, or the kind of article that had the old slug. */
  kind: RedirectKind
  old_slug: string
  /** As `readSitePath` returns it. */
  path: string
  /** The target's kind; null if it leads to `target`. */
  resource: (typeof resources)[number] | null
  slug: string | null
  language: string | null
  target: string | null
  suffix: string | null
  /** False if it leads to a draft, or if an article has a page at the path. */
  served: boolean
  /** True if it leads to a draft. */
  is_to_draft: boolean
  at: string
}

type Selection = { limit: number; after: RedirectCursor | null; search?: string }

/** Counting stops here. */
export const MAX_COUNTED_REDIRECTS = 10_000

export const countRedirects = (site: ContentScope, search: string): SQL => sql`
  select count(*)::integer as count from (
    select from ${redirects} r where ${matches(site, search)} limit ${MAX_COUNTED_REDIRECTS}
  ) counted`

/** Each word is compared with every redirect of the site. */
const MAX_WORDS = 5

/** The redirects of the site that have each word in their path or target. Paths are without a language. */
function matches(site: ContentScope, search = ''): SQL {
  const language = sql`null::text`
  const textOf = (slug: SQL) => sql`case coalesce(r.target_resource, r.resource)
    when 'post' then ${postPathOf(site, slug, language)} else ${guidePathOf(site, slug)} end`
  const slugOfTarget = (table: typeof posts | typeof guides) =>
    sql`(select ${textOf(sql`a.slug`)} from ${table} a where a.id = r.resource_id and a.site_id = r.site_id)`
  const words = wordsOf(search)
    .slice(0, MAX_WORDS)
    .map((word) => {
      const pattern = likeSubstring(word)
      return sql`(case r.resource when 'address' then r.slug else ${textOf(sql`r.slug`)} end ilike ${pattern}
      or r.target ilike ${pattern} or ${slugOfTarget(posts)} ilike ${pattern} or ${slugOfTarget(guides)} ilike ${pattern})`
    })
  return sql.join([sql`r.site_id = ${site.id}`, ...words], sql` and `)
}

/** The first row has the content version, even without redirects. */
export function selectRedirects(site: ContentScope, { limit, after, search }: Selection): SQL {
  const place = after
    ? sql`and (r.created_at, r.resource, r.slug) < (to_timestamp(${after.at}::double precision / 1000), ${after.kind}, ${after.slug})`
    : sql``
  const oldSlug = sql`r.slug`
  return sql`
    with page as materialized (
      select * from ${redirects} r where ${matches(site, search)} ${place}
      order by r.created_at desc, r.resource desc, r.slug desc limit ${limit}
    ),
    found as materialized (
      select r.resource as kind, r.slug as old_slug, coalesce(r.target_resource, nullif(r.resource, 'address')) as resource,
        coalesce(p.slug, g.slug) as slug, p.language, r.target, r.suffix, r.created_at, coalesce(p.status, g.status) as status,
        case r.resource when 'post' then ${postPathOf(site, oldSlug, sql`p.language`)}
          when 'guide' then ${guidePathOf(site, oldSlug)} else r.slug end as path
      from page r
      left join ${posts} p on coalesce(r.target_resource, r.resource) = 'post' and p.id = r.resource_id and p.site_id = r.site_id
      left join ${guides} g on coalesce(r.target_resource, r.resource) = 'guide' and g.id = r.resource_id and g.site_id = r.site_id
    ),
    slugs as materialized (${slugsAt(site, sql`found`)}),
    used as materialized (select path from (${articlesAt(site, sql`slugs`)}) a where a.status = 'published')
    select ${contentVersionOf(site.id, 'published')} as content_version, f.kind, f.old_slug, f.resource, f.slug, f.language, f.target, f.suffix, f.path,
      (f.target is not null or f.status = 'published') and f.path not in (select path from used) as served,
      f.target is null and f.status = 'draft' as is_to_draft,
      (extract(epoch from f.created_at) * 1000)::bigint::text as at
    from (select) one left join found f on true
    order by f.created_at desc, f.kind desc, f.old_slug desc`
}

export const cursorOf = ({ at, kind, old_slug }: RedirectRow): RedirectCursor => ({
  at: Number(at),
  kind,
  slug: old_slug,
})
