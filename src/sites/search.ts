/** The console's search over everything that the actor can reach. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { withoutInvisible, wordsOf } from '../core/fold.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'
import { guides, posts, postTitles, sites } from '../db/schema.ts'
import { matchesWords } from '../db/word-search.ts'
import { selectOperatorsByName } from '../people/operators.ts'
import { matchesWord } from './overview.ts'

const FOUND_OF_A_KIND = 8
/** Bounds the sort of a search that matches many titles. */
const MAX_CANDIDATES = 1_000
/** The trigram index needs three letters. */
const MIN_INDEXED_LENGTH = 3

export type FoundSite = { id: string; name: string; domain: string }
type FoundPerson = { id: string; name: string }
export type FoundArticle = {
  kind: 'posts' | 'guides'
  slug: string
  title: string
  site: { id: string; name: string }
}

/** In a site: its posts and guides by title or slug. Otherwise: posts of all reachable sites by title, newest first. */
export async function searchWorkspace(
  ctx: Context,
  search: string,
  site: { id: string; name: string } | null,
): Promise<{ sites: FoundSite[]; articles: FoundArticle[]; people: FoundPerson[] }> {
  const words = wordsOf(withoutInvisible(search))
  if (words.length === 0) return { sites: [], articles: [], people: [] }
  const isFound = and(ofReachableSites(ctx, sql`s.id`), ...words.map(matchesWord))
  const [foundSites, articles, people] = await ctx.db.batch([
    ctx.db.execute<FoundSite>(sql`
      select s.id, s.name, s.domain from ${sites} s where s.deletion_started_at is null and ${isFound}
      order by lower(s.name), s.id limit ${FOUND_OF_A_KIND}`),
    ctx.db.execute<FoundArticle>(site ? findInSite(site, search) : findInAllSites(ctx, search, words)),
    selectOperatorsByName(ctx, words, FOUND_OF_A_KIND),
  ])
  return { sites: foundSites.rows, articles: articles.rows, people }
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
function findInAllSites(ctx: Context, search: string, words: string[]): SQL {
  const isIndexed = words.some((word) => [...word].length >= MIN_INDEXED_LENGTH)
  const isFound = and(matchesWords(search, sql`t.title_key`, null), ofReachableSites(ctx, sql`t.site_id`))
  return sql`
    select 'posts' as kind, p.slug, p.title, jsonb_build_object('id', s.id, 'name', s.name) as site from (
      select t.site_id, t.id, t.updated_at from ${postTitles} t
      where ${isIndexed} and ${isFound} limit ${MAX_CANDIDATES}
    ) t
    join ${posts} p on p.site_id = t.site_id and p.id = t.id
    join ${sites} s on s.id = t.site_id and s.deletion_started_at is null
    order by t.updated_at desc limit ${FOUND_OF_A_KIND}`
}
