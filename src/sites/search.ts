/** The console's search over everything that the actor can reach. */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { foldCase, likeSubstring, withoutInvisible, wordsOf } from '../core/fold.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'
import { guides, posts, postTitles, sites } from '../db/schema.ts'
import { matchesWords } from '../db/word-search.ts'

const FOUND_OF_A_KIND = 8
/** Bounds the sort of a search that matches many titles. */
const MAX_CANDIDATES = 1_000
/** The trigram index needs three letters. */
const MIN_INDEXED_LENGTH = 3

export type FoundSite = { id: string; name: string; domain: string }
export type FoundArticle = {
  kind: 'posts' | 'guides'
  slug: string
  title: string
  site: { id: string; name: string }
}

/** Posts and guides of `site` by title or slug. Without a site: posts of all reachable sites by title, newest first. */
export async function searchWorkspace(
  ctx: Context,
  search: string,
  site: { id: string; name: string } | null,
): Promise<{ sites: FoundSite[]; articles: FoundArticle[] }> {
  const words = wordsOf(search)
  if (words.length === 0) return { sites: [], articles: [] }
  const [foundSites, articles] = await ctx.db.batch([
    ctx.db
      .select({ id: sites.id, name: sites.name, domain: sites.domain })
      .from(sites)
      .where(
        and(
          ofReachableSites(ctx, sites.id),
          isNull(sites.deletionStartedAt),
          ...words.map((word) => sql`(${sites.name} || ' ' || ${sites.domain}) ilike ${likeSubstring(word)}`),
        ),
      )
      .orderBy(sql`lower(${sites.name})`, sites.id)
      .limit(FOUND_OF_A_KIND),
    ctx.db.execute<FoundArticle>(site ? findInSite(site, search) : findInAllSites(ctx, words)),
  ])
  return { sites: foundSites, articles: articles.rows }
}

function findInSite(site: { id: string; name: string }, search: string): SQL {
  const found = (kind: FoundArticle['kind'], table: SQL, where: SQL | undefined) => sql`
    (select ${kind} as kind, a.slug, a.title, a.updated_at from ${table} where ${where}
      order by a.updated_at desc limit ${FOUND_OF_A_KIND})`
  return sql`
    select f.kind, f.slug, f.title, ${JSON.stringify({ id: site.id, name: site.name })}::jsonb as site from (
      ${found(
        'posts',
        sql`${postTitles} join ${posts} a on a.site_id = ${site.id} and a.id = ${postTitles.id}`,
        and(eq(postTitles.siteId, site.id), matchesWords(search, postTitles.titleKey, postTitles.slugFolded)),
      )}
      union all
      ${found(
        'guides',
        sql`${guides} a`,
        and(
          sql`a.site_id = ${site.id}`,
          matchesWords(search, sql`without_diacritics(a.title_folded)`, sql`lower(a.slug)`),
        ),
      )}
    ) f order by f.updated_at desc limit ${FOUND_OF_A_KIND}`
}

/** By the index of titles alone, since the workspace may have many sites. */
function findInAllSites(ctx: Context, words: string[]): SQL {
  const folded = words.map((word) => foldCase(withoutInvisible(word)))
  const isIndexed = folded.some((word) => [...word].length >= MIN_INDEXED_LENGTH)
  const matches = folded.map((word) => sql`t.title_key like without_diacritics(${likeSubstring(word)})`)
  return sql`
    select 'posts' as kind, p.slug, p.title, jsonb_build_object('id', s.id, 'name', s.name) as site from (
      select t.site_id, t.id, t.updated_at from ${postTitles} t
      where ${isIndexed} and ${and(...matches, ofReachableSites(ctx, sql`t.site_id`))} limit ${MAX_CANDIDATES}
    ) t
    join ${posts} p on p.site_id = t.site_id and p.id = t.id
    join ${sites} s on s.id = t.site_id and s.deletion_started_at is null
    order by t.updated_at desc limit ${FOUND_OF_A_KIND}`
}
