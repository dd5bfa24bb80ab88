/** The console's search over everything that the actor can reach. */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { withoutInvisible, wordsOf } from '../core/fold.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'
import { auditLog, guides, posts, postTitles, sites } from '../db/schema.ts'
import { matchesWords } from '../db/word-search.ts'
import { selectOperatorsByName } from '../people/operators.ts'
import { matchesWord } from '../sites/overview.ts'
import type { ArticleKind } from './model/article-filters.ts'
import { CHANGES_REQUESTED } from './posts/fields.ts'

const FOUND_OF_A_KIND = 8
/** If only one kind is listed. */
export const FOUND_OF_ONE_KIND = 50
/** Bounds the sort of a search that matches many titles. */
const MAX_CANDIDATES = 1_000
/** Counting stops here, because each keystroke counts. */
export const MAX_COUNTED = 1_000
/** The trigram index needs three letters. */
const MIN_INDEXED_LENGTH = 3
/** Bounds the search for the articles that a person changed last. */
const RECENT_ENTRIES = 200
const RECENT_ARTICLES = 6

/** How many match, of which some are found. */
type Counted = { total: number }
type FoundSite = Counted & { id: string; name: string; domain: string }
type FoundPerson = Counted & { id: string; name: string }

type Article = {
  kind: ArticleKind
  slug: string
  title: string
  status: 'draft' | 'published'
  publishAt: string | null
}

export type FoundArticle = Article &
  Partial<Counted> & {
    readyAt: string | null
    /** True if an editor has requested changes. */
    isBlocked: boolean
    updatedAt: string
    site: { id: string; name: string }
    /** False if a search found the slug alone. */
    inTitle?: boolean
  }

/** The article in view. */
export type OpenArticle = Article & { id: string; canBePublished: boolean; canBeReady: boolean }

/** The site in view, with the numbers of its posts and guides that match. */
export type OpenSite = { id: string; name: string; posts: number; guides: number }

export type SearchInput = {
  search: string
  siteId: string | null
  article: { kind: ArticleKind; slug: string } | null
  /** More results of one kind. Sites are listed without a search, too. */
  only: 'sites' | 'posts' | null
  /** Skips this many posts of all sites. */
  from?: number
}

export type Found = {
  site: OpenSite | null
  article: OpenArticle | null
  sites: FoundSite[]
  articles: FoundArticle[]
  people: FoundPerson[]
}

/**
 * In a site: its posts and guides by title, then by slug. Otherwise: posts of all reachable sites by title, newest first. Without a search:
 * the articles that the actor changed last.
 */
export async function searchWorkspace(
  ctx: Context,
  { search, siteId, article, only, from = 0 }: SearchInput,
): Promise<Found> {
  const words = wordsOf(withoutInvisible(search))
  const limit = words.length > 0 ? FOUND_OF_A_KIND : 0
  const limitOf = (kind: 'sites' | 'posts') => (only === kind ? FOUND_OF_ONE_KIND : limit)
  const isFound = and(ofReachableSites(ctx, sql`s.id`), ...words.map(matchesWord)) ?? sql`true`
  const [site, opened, foundSites, articles, people] = await ctx.db.batch([
    ctx.db.execute<OpenSite>(selectSite(ctx, siteId, words.length > 0 ? search : null)),
    ctx.db.execute<OpenArticle>(selectArticle(ctx, siteId, article)),
    ctx.db.execute<FoundSite>(sql`
      select s.id, s.name, s.domain, count(*) over ()::integer as total from ${sites} s
      where s.deletion_started_at is null and ${isFound}
      order by lower(s.name), s.id limit ${limitOf('sites')}`),
    ctx.db.execute<FoundArticle>(
      selectArticles(ctx, { search, words, siteId, limit: limitOf('posts'), from }),
    ),
    selectOperatorsByName(ctx, words, limit),
  ])
  return {
    site: site.rows[0] ?? null,
    article: opened.rows[0] ?? null,
    sites: foundSites.rows,
    articles: articles.rows,
    people,
  }
}

const matchesPosts = (siteId: string | null, search: string | null) =>
  and(eq(postTitles.siteId, sql`${siteId}`), matchesWords(search, postTitles.titleKey, postTitles.slugFolded))

const matchesGuides = (siteId: string | null, search: string | null) =>
  and(
    sql`a.site_id = ${siteId}`,
    matchesWords(search, sql`without_diacritics(a.title_folded)`, sql`lower(a.slug)`),
  )

function selectSite(ctx: Context, siteId: string | null, search: string | null): SQL {
  const counted = (from: SQL, where: SQL | undefined) =>
    search === null
      ? sql`0`
      : sql`(select count(*)::integer from (select from ${from} where ${where} limit ${MAX_COUNTED}) m)`
  const isReachable = ofReachableSites(ctx, sql`s.id`) ?? sql`true`
  return sql`
    select s.id, s.name, ${counted(sql`${postTitles}`, matchesPosts(siteId, search))} as posts,
      ${counted(sql`${guides} a`, matchesGuides(siteId, search))} as guides
    from ${sites} s where s.id = ${siteId} and s.deletion_started_at is null and ${isReachable}`
}

function selectArticle(ctx: Context, siteId: string | null, article: SearchInput['article']): SQL {
  const { kind, slug } = article ?? { kind: 'posts', slug: null }
  const isReachable = ofReachableSites(ctx, sql`s.id`) ?? sql`true`
  const ofPost = sql`publish_at as "publishAt", not ${CHANGES_REQUESTED} as "canBePublished",
    ready_at is null and quality_band is not null and not ${CHANGES_REQUESTED} as "canBeReady"`
  const ofGuide = sql`null as "publishAt", true as "canBePublished", false as "canBeReady"`
  return sql`
    select a.id, ${kind}::text as kind, slug, title, status, ${kind === 'posts' ? ofPost : ofGuide}
    from ${kind === 'posts' ? posts : guides} a
    join ${sites} s on s.id = a.site_id and s.deletion_started_at is null and ${isReachable}
    where a.site_id = ${siteId} and slug = ${slug}`
}

type ArticleSearch = { search: string; words: string[]; siteId: string | null; limit: number; from: number }

function selectArticles(ctx: Context, { siteId, ...asked }: ArticleSearch): SQL {
  const { search, words } = asked
  if (words.length === 0) return selectRecent(ctx, search === '' ? RECENT_ARTICLES : 0)
  return siteId ? findInSite(ctx, siteId, search) : findInAllSites(ctx, asked)
}

/** Columns of a found article. Only posts are scheduled and reviewed. */
const shown = (kind: ArticleKind) => sql`${kind}::text as kind, a.slug, a.title, a.status,
  ${kind === 'posts' ? sql`a.publish_at` : sql`null::timestamptz`} as "publishAt",
  ${kind === 'posts' ? sql`a.ready_at` : sql`null::timestamptz`} as "readyAt",
  ${kind === 'posts' ? CHANGES_REQUESTED : sql`false`} as "isBlocked",
  a.updated_at as "updatedAt"`

const siteOf = sql`jsonb_build_object('id', s.id, 'name', s.name)`

/** A request counts as one change. Posts and guides that are gone are left out. */
function selectRecent(ctx: Context, limit: number): SQL {
  const { id = null, name = null } = ctx.actor ?? {}
  const isOwn = id
    ? eq(auditLog.actorId, id)
    : and(isNull(auditLog.actorId), eq(auditLog.actor, sql`${name}`))
  const changed = (kind: ArticleKind) => sql`
    select ${shown(kind)}, ${siteOf} as site, r.at
    from recent r
    join ${kind === 'posts' ? posts : guides} a on a.site_id = r.site_id and a.id = r.resource_id
    join ${sites} s on s.id = r.site_id and s.deletion_started_at is null`
  return sql`
    with recent as materialized (
      select e.site_id, e.resource_id, max(e.at) as at from (
        select site_id, resource_id, at, action from ${auditLog}
        where ${isOwn} and is_head order by at desc, id desc limit ${RECENT_ENTRIES}
      ) e
      where (e.action like 'post.%' or e.action like 'guide.%') and ${ofReachableSites(ctx, sql`e.site_id`) ?? sql`true`}
      group by e.site_id, e.resource_id
    )
    select f.* from (${changed('posts')} union all ${changed('guides')}) f order by f.at desc limit ${limit}`
}

function findInSite(ctx: Context, siteId: string, search: string): SQL {
  const inTitle = (title: SQL) => sql`(${matchesWords(search, title, null)}) is true as "inTitle"`
  const found = (kind: ArticleKind, matches: SQL) => sql`
    (select ${shown(kind)}, m."inTitle" from (${matches} order by updated_at desc limit ${MAX_CANDIDATES}) m
    join ${kind === 'posts' ? posts : guides} a on a.site_id = ${siteId} and a.id = m.id
    order by m."inTitle" desc, m.updated_at desc limit ${FOUND_OF_A_KIND})`
  const isReachable = ofReachableSites(ctx, sql`s.id`) ?? sql`true`
  return sql`
    select f.*, ${siteOf} as site from (
      ${found(
        'posts',
        sql`select id, updated_at, ${inTitle(sql`title_key`)} from ${postTitles} where ${matchesPosts(siteId, search)}`,
      )}
      union all
      ${found(
        'guides',
        sql`select id, updated_at, ${inTitle(sql`without_diacritics(a.title_folded)`)}
          from ${guides} a where ${matchesGuides(siteId, search)}`,
      )}
    ) f
    join ${sites} s on s.id = ${siteId} and s.deletion_started_at is null and ${isReachable}
    order by f."inTitle" desc, f."updatedAt" desc limit ${FOUND_OF_A_KIND}`
}

/** By the index of titles alone, since the workspace may have many sites. */
function findInAllSites(ctx: Context, { search, words, limit, from }: Omit<ArticleSearch, 'siteId'>): SQL {
  const isIndexed = words.some((word) => [...word].length >= MIN_INDEXED_LENGTH)
  const isOpen = sql`t.site_id not in (select id from ${sites} where deletion_started_at is not null)`
  const isFound = and(
    matchesWords(search, sql`t.title_key`, null),
    isOpen,
    ofReachableSites(ctx, sql`t.site_id`),
  )
  return sql`
    select ${shown('posts')}, ${siteOf} as site, t.total from (
      select *, count(*) over ()::integer as total from (
        select t.site_id, t.id, t.updated_at from ${postTitles} t
        where ${isIndexed} and ${isFound} limit ${MAX_CANDIDATES}
      ) c
    ) t
    join ${posts} a on a.site_id = t.site_id and a.id = t.id
    join ${sites} s on s.id = t.site_id
    order by t.updated_at desc, t.id limit ${limit} offset ${from}`
}
