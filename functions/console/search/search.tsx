import { parseSlug } from '../../../src/content/model/slug.ts'
import {
  FOUND_OF_ONE_KIND,
  type Found,
  type FoundArticle,
  MAX_COUNTED,
  type OpenSite,
  searchWorkspace,
} from '../../../src/content/search.ts'
import { isAllowed, isReachable } from '../../../src/core/actor.ts'
import { foldCase, wordsOf } from '../../../src/core/fold.ts'
import { UUID } from '../../../src/core/ids.ts'
import { createApp, type Http } from '../../http/env.ts'
import { KINDS } from '../content/article.tsx'
import { StatusBadge } from '../content/state-badges.tsx'
import { addQuery } from '../parent-list.ts'
import { Avatar } from '../parts/avatar.tsx'
import { HiddenFields } from '../parts/fields/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { oneLine } from '../parts/one-line.ts'
import { EmptyState, PageHeading } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { readSearch } from '../query.ts'
import { recentSites } from '../recent-sites.ts'
import { useRequestContext } from '../site.ts'
import { articleCommands, type Command, newPostPath, siteCommands, workspaceCommands } from './commands.ts'
import { type Group, Groups, type Result } from './groups.tsx'
import { Marked } from './marked.tsx'

const NEW_POST_SITES = 2
const ONLY = ['sites', 'posts'] as const

export const search = createApp()

search.get('/', async (c) => {
  const q = readSearch(c, 'q')
  const { site, kind, slug, list, for: use } = c.req.query()
  const isForPost = use === 'post'
  const groups = await find(c, q)
  const kept = Object.entries({ site, kind, slug, list, for: use }).flatMap(
    ([name, value]): [string, string][] => (value ? [[name, value]] : []),
  )
  const title = isForPost ? 'New post' : 'Search'
  return c.render(
    <>
      <PageHeading title={title} lead={isForPost && 'Choose a site.'} />
      <search>
        <form method="get" action="/console/search" data-find>
          <HiddenFields form={kept} />
          <SearchField q={q} isForPost={isForPost} autofocus={q === ''} />
          <div data-results class="plain">
            <Groups groups={groups} q={q} />
            {q !== '' && q.length < 3 && !site && !isForPost && c.req.query('only') !== 'sites' && (
              <p class="hint">Type three letters to find posts.</p>
            )}
            {groups.every(({ found }) => found.length === 0) && q !== '' && (
              <EmptyState title="Nothing found">
                <p>No site, post, person, page or command matches “{q}”.</p>
              </EmptyState>
            )}
          </div>
        </form>
      </search>
    </>,
    { workspace: 'Search', title, isNarrow: true },
  )
})

export function SearchField({ q = '', isForPost = false, autofocus = false }) {
  return (
    <div class="row find">
      <div class="field">
        <input
          name="q"
          type="search"
          value={q}
          autofocus={autofocus}
          aria-label={isForPost ? 'Site' : 'Search'}
          placeholder={isForPost ? 'Name or domain' : 'Sites, posts, people'}
          dir="auto"
          autocomplete="off"
          spellcheck={false}
        />
      </div>
      <button type="submit" class="button primary">
        Search
      </button>
    </div>
  )
}

/** Commands and recent sites, without a query. The script adds the rest when the dialog opens. */
export function FirstResults() {
  const c = useRequestContext()
  const { site = null } = c.var as Partial<typeof c.var>
  const recent = recentSites(c).filter(({ id }) => id !== site?.id)
  const found = {
    site: site && { ...site, posts: 0, guides: 0 },
    article: null,
    sites: [],
    articles: [],
    people: [],
  }
  return <Groups groups={openGroups(c, found, recent)} q="" />
}

/** The site and the article in view, from the URL. */
function readView(c: Http) {
  const { site, kind, slug = '' } = c.req.query()
  const siteId = site && UUID.test(site) && isReachable(c.get('person'), site) ? site : null
  const parsed = parseSlug(slug)
  const known = (['posts', 'guides'] as const).find((each) => each === kind)
  const article = known && parsed ? { kind: known, slug: parsed } : null
  return { siteId, article }
}

/** The results by group. */
async function find(c: Http, q: string): Promise<Group[]> {
  const { only: kind, for: use } = c.req.query()
  // Menus that choose a site list sites.
  const only = use === 'post' ? 'sites' : (ONLY.find((each) => each === kind) ?? null)
  const found = await searchWorkspace(c.get('ctx'), { search: q, only, ...readView(c) })
  const recent = recentSites(c).filter(({ id }) => id !== found.site?.id)
  if (only === 'sites') return siteGroups(c, q, found, recent)
  if (only === 'posts' && q !== '') return [articleGroup(found, q)]
  return q === '' ? openGroups(c, found, recent) : foundGroups(c, q, found, recent)
}

type RecentSite = ReturnType<typeof recentSites>[number]

function siteGroups(c: Http, q: string, { site: open, sites }: Found, recent: RecentSite[]): Group[] {
  const show = (site: ShownSite) => ({
    ...toSite(site, q, c.req.query('for') === 'post' ? newPostPath(site.id) : undefined),
    ...(site.id === open?.id && { about: 'This site' }),
  })
  const all = {
    title: 'Sites',
    count: countOf(totalOf(sites)),
    found: [...sites.map(show), ...otherSites(sites, q)],
  }
  return q === '' ? [{ title: 'Recent sites', found: recent.map(show) }, all] : [all]
}

const totalOf = ([first]: { total?: number }[]) => first?.total ?? 0

const toAll = (href: string, text: string): Result => ({
  href,
  text,
  isUnmarked: true,
  mark: <Icon name="search" />,
})

function otherSites(shown: Found['sites'], q: string): Result[] {
  const total = totalOf(shown)
  if (total === shown.length) return []
  return [toAll(addQuery('/console/sites', { search: q || null }), `See all ${total} sites`)]
}

/** In a site, with links to its lists and to all sites. In the workspace, with a link to more results. */
function articleGroup({ site, articles }: Found, q: string): Group {
  const total = site ? site.posts + site.guides : totalOf(articles)
  const found = articles.map((each) => toArticle(each, site))
  if (site) found.push(...allMatches(site, q, articles))
  else if (total > found.length && found.length < FOUND_OF_ONE_KIND) {
    const more =
      total > FOUND_OF_ONE_KIND ? `See the ${FOUND_OF_ONE_KIND} last changed` : `See all ${total} posts`
    found.push(toAll(addQuery('/console/search', { q, only: 'posts' }), more))
  }
  if (site && total === 0) return { title: 'Other sites', found }
  return { title: site ? `Posts and guides in ${site.name}` : 'Posts', count: countOf(total), found }
}

const countOf = (total: number) =>
  total < MAX_COUNTED ? total.toLocaleString('en') : `${MAX_COUNTED.toLocaleString('en')}+`

/** Before a search: the commands of what is in view, and what the person used last. */
function openGroups(c: Http, found: Found, recent: RecentSite[]): Group[] {
  const { site, article } = found
  const others = found.articles.filter(
    (each) => each.site.id !== site?.id || each.kind !== article?.kind || each.slug !== article.slug,
  )
  const changed = { title: 'Recently changed by you', found: others.map((each) => toArticle(each, site)) }
  const visited = { title: 'Recent sites', found: recent.map((each) => toSite(each, '')) }
  const [open, here, workspace] = commandGroups(c, '', found, recent)
  return site ? [open, changed, here, visited] : [changed, visited, workspace]
}

function foundGroups(c: Http, q: string, found: Found, recent: RecentSite[]): Group[] {
  const { site, people } = found
  const [open, here, workspace] = commandGroups(c, q, found, recent)
  const sites = {
    title: 'Sites',
    count: countOf(totalOf(found.sites)),
    found: [...found.sites.map((each) => toSite(each, q)), ...otherSites(found.sites, q)],
  }
  const listed = articleGroup(found, q)
  const persons: Result[] = people.map(({ id, name }) => ({
    href: `/console/people/${id}`,
    text: name,
    mark: <Avatar name={name} />,
  }))
  if (totalOf(people) > people.length) persons.push(toAll('/console/people', 'See all people'))
  return [
    open,
    here,
    ...(site ? [listed, sites] : [sites, listed]),
    workspace,
    { title: 'People', count: countOf(totalOf(people)), found: persons },
  ]
}

function commandGroups(
  c: Http,
  q: string,
  { site, article }: Found,
  recent: RecentSite[],
): [Group, Group, Group] {
  const isSearch = q !== ''
  const inSite = site ? `/console/sites/${site.id}` : ''
  const ofArticle = article ? articleCommands(article, { isSearch, list: c.req.query('list') }) : []
  const ofSite = site ? siteCommands(site, isSearch) : []
  const ofWorkspace = workspaceCommands(isSearch, recent.slice(0, NEW_POST_SITES))
  return [
    { title: article?.title ?? '', found: offer(c, q, ofArticle, inSite) },
    { title: site?.name ?? '', found: offer(c, q, ofSite, inSite) },
    { title: 'Workspace', found: offer(c, q, ofWorkspace, '') },
  ]
}

type ShownSite = { id: string; name: string; domain?: string }

const toSite = (
  { id, name, domain }: ShownSite,
  q: string,
  href = `/console/sites/${id}/overview`,
): Result => ({
  href,
  text: name,
  about: domain && (
    <span>
      <Marked text={domain} q={q} />
    </span>
  ),
  mark: <Avatar name={name} isSite />,
})

/** The commands that the person may use and that match. */
function offer(c: Http, q: string, commands: Command[], base: string): Result[] {
  return commands
    .filter(({ name, needs = 'viewer' }) => isAllowed(c.get('person'), needs) && matches(name, q))
    .map(({ name, path, icon, posts, copies }) => ({
      text: name,
      mark: <Icon name={icon} />,
      ...(posts ? { action: base + path, posts } : copies ? { copies } : { href: base + path }),
    }))
}

/** Each word of the search, in any order. Invisible characters match nothing. */
function matches(name: string, q: string): boolean {
  const words = wordsOf(foldCase(q))
  return q === '' || (words.length > 0 && words.every((word) => foldCase(name).includes(word)))
}

/** The site is named unless it is the one in view. */
function toArticle(article: FoundArticle, site: OpenSite | null): Result {
  const { kind, slug, title, site: own, inTitle = true } = article
  return {
    href: `/console/sites/${own.id}/content/${kind}/${encodeURIComponent(slug)}`,
    text: oneLine(title),
    mark: <Icon name="content" />,
    slug: inTitle ? undefined : slug,
    about: (
      <>
        {own.id !== site?.id && <bdi>{own.name}</bdi>} <State {...article} />
      </>
    ),
  }
}

function State(article: FoundArticle) {
  const { kind, publishAt, updatedAt } = article
  return (
    <>
      {kind === 'guides' && 'Guide'} <StatusBadge {...article} />{' '}
      <Time at={publishAt ?? updatedAt} isRelative />
    </>
  )
}

/** Links to the lists with all matches, where some are not shown, and to the search of all sites. */
function allMatches(site: OpenSite, q: string, shown: FoundArticle[]): Result[] {
  const lists = (['posts', 'guides'] as const).flatMap((kind) => {
    if (site[kind] <= shown.filter((each) => each.kind === kind).length) return []
    const { list, noun } = KINDS[kind]
    const all = `${countOf(site[kind])} ${site[kind] === 1 ? noun : kind}`
    return toAll(addQuery(`/console/sites/${site.id}${list}`, { search: q }), `See all ${all}`)
  })
  return [...lists, toAll(addQuery('/console/search', { q }), `Search all sites for “${q}”`)]
}
