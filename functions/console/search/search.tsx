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
import { formatQuantity } from '../parts/quantity.ts'
import { Time } from '../parts/time.tsx'
import { readSearch } from '../query.ts'
import { type RecentSite, recentSites } from '../recent-sites.ts'
import { useRequestContext } from '../site.ts'
import { articleCommands, type Command, siteCommands, workspaceCommands } from './commands.ts'
import { type Group, Groups, type Result } from './groups.tsx'
import { Marked } from './marked.tsx'

const NEW_POST_SITES = 2
const ONLY = ['sites', 'posts'] as const

export const search = createApp()

search.get('/', async (c) => {
  const q = readSearch(c, 'q')
  const { site, kind, slug, list } = c.req.query()
  const groups = await find(c, q)
  const kept = Object.entries({ site, kind, slug, list }).flatMap(([name, value]): [string, string][] =>
    value ? [[name, value]] : [],
  )
  return c.render(
    <>
      <PageHeading title="Search" />
      <search>
        <form method="get" action="/console/search" data-find>
          <HiddenFields form={kept} />
          <SearchField q={q} autofocus={q === ''} />
          <div data-results class="plain">
            <Groups groups={groups} q={q} />
            {q !== '' && q.length < 3 && !site && c.req.query('only') !== 'sites' && (
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
    { workspace: 'Search', isNarrow: true },
  )
})

export function SearchField({ q = '', autofocus = false }) {
  return (
    <div class="row find">
      <div class="field">
        <input
          name="q"
          type="search"
          value={q}
          autofocus={autofocus}
          aria-label="Search"
          placeholder="Sites, posts, people"
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
  const only = ONLY.find((each) => each === c.req.query('only')) ?? null
  const from = only === 'posts' ? readFrom(c) : 0
  const found = await searchWorkspace(c.get('ctx'), { search: q, only, from, ...readView(c) })
  const recent = recentSites(c).filter(({ id }) => id !== found.site?.id)
  if (only === 'sites') return siteGroups(q, found, recent)
  if (only === 'posts' && q !== '') return [postGroup(found, q, from)]
  return q === '' ? openGroups(c, found, recent) : foundGroups(c, q, found, recent)
}

function siteGroups(q: string, { site: open, sites }: Found, recent: RecentSite[]): Group[] {
  const show = (site: ShownSite) => ({
    ...toSite(site, q),
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

function otherSites(shown: Found['sites'], q: string): Result[] {
  const total = totalOf(shown)
  if (total === shown.length) return []
  return [toAll(addQuery('/console/sites', { search: q || null }), `See all ${total} sites`)]
}

const readFrom = (c: Http) => Math.min(MAX_COUNTED, Math.max(0, Math.trunc(Number(c.req.query('from'))) || 0))

/** Posts of all sites. `from` is null for the first few, which lead to pages of them. */
function postGroup({ articles }: Found, q: string, from: number | null): Group {
  const total = totalOf(articles)
  const end = (from ?? 0) + articles.length
  const found = articles.map((each) => toArticle(each, null, q))
  const next = addQuery('/console/search', { q, only: 'posts', from: from === null ? null : end })
  const rest = formatQuantity(Math.min(total - end, FOUND_OF_ONE_KIND), 'more post')
  if (end < total) found.push(toAll(next, `See ${from === null ? `all ${countOf(total)} posts` : rest}`))
  if (from === null) return { title: 'Posts', count: countOf(total), found }
  const hint = end === MAX_COUNTED ? '. Add a word to find the others' : ''
  return { title: 'Posts', count: `${from + 1}–${end} of ${countOf(total)}${hint}`, found }
}

/** With links to the lists of the site and to all sites. */
function articleGroup(site: OpenSite, { articles }: Found, q: string): Group {
  const total = site.posts + site.guides
  const found = [...articles.map((each) => toArticle(each, site, q)), ...allMatches(site, q, articles)]
  const nothing = `No posts or guides in ${site.name} match “${q}”.`
  if (total === 0) return { title: articles.length > 0 ? 'Other sites' : nothing, found }
  return { title: `Posts and guides in ${site.name}`, count: countOf(total), found }
}

const countOf = (total: number) =>
  total < MAX_COUNTED ? total.toLocaleString('en') : `${MAX_COUNTED.toLocaleString('en')}+`

/** Before a search: the commands of what is in view, and what the person used last. */
function openGroups(c: Http, found: Found, recent: RecentSite[]): Group[] {
  const { site, article } = found
  const others = found.articles.filter(
    (each) => each.site.id !== site?.id || each.kind !== article?.kind || each.slug !== article.slug,
  )
  const changed = { title: 'Recently changed by you', found: others.map((each) => toArticle(each, site, '')) }
  const visited = { title: 'Recent sites', found: recent.map((each) => toSite(each, '')) }
  const [open, here, workspace] = commandGroups(c, '', found, recent)
  // Results that need no query come first, because the others arrive later and would move them.
  return site ? [open, here, changed, visited] : [visited, workspace, changed]
}

function foundGroups(c: Http, q: string, found: Found, recent: RecentSite[]): Group[] {
  const { site, people } = found
  const [open, here, workspace] = commandGroups(c, q, found, recent)
  const sites = {
    title: 'Sites',
    count: countOf(totalOf(found.sites)),
    found: [...found.sites.map((each) => toSite(each, q)), ...otherSites(found.sites, q)],
  }
  const listed = site ? articleGroup(site, found, q) : postGroup(found, q, null)
  const persons: Result[] = people.map(({ id, name }) => ({
    href: `/console/people/${id}`,
    text: name,
    mark: <Avatar name={name} />,
  }))
  if (totalOf(people) > people.length) persons.push(toAll('/console/people', 'See all people'))
  const groups = [
    open,
    here,
    ...(site ? [listed, sites] : [sites, listed]),
    workspace,
    { title: 'People', count: countOf(totalOf(people)), found: persons },
  ]
  const [last] = recent
  if (site || !last || groups.some((group) => group.found.length > 0)) return groups
  // Such as the webhooks of the site that was visited last.
  return [{ title: last.name, found: offer(c, q, siteCommands(last, true), `/console/sites/${last.id}`) }]
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
  const ofWorkspace = workspaceCommands(isSearch, recent.slice(0, NEW_POST_SITES))
  return [
    { title: article?.title ?? '', found: offer(c, q, ofArticle, inSite) },
    { title: site?.name ?? '', found: site ? offer(c, q, siteCommands(site, isSearch), inSite) : [] },
    { title: 'Workspace', found: offer(c, q, ofWorkspace, '') },
  ]
}

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

const toAll = (href: string, text: string): Result => ({
  href,
  text,
  isUnmarked: true,
  mark: <Icon name="search" />,
})

type ShownSite = { id: string; name: string; domain?: string }

export const toSite = ({ id, name, domain }: ShownSite, q: string): Result => ({
  href: `/console/sites/${id}/overview`,
  text: name,
  about: domain && (
    <span>
      <Marked text={domain} q={q} />
    </span>
  ),
  mark: <Avatar name={name} isSite />,
})

/** The site is named unless it is the one in view. */
function toArticle(article: FoundArticle, site: OpenSite | null, q: string): Result {
  const { kind, slug, title, site: own, inTitle = true, publishAt, updatedAt } = article
  return {
    href: `/console/sites/${own.id}/content/${kind}/${encodeURIComponent(slug)}`,
    text: oneLine(title),
    mark: <Icon name="content" />,
    about: (
      <>
        {!inTitle && (
          <bdi>
            <Marked text={slug} q={q} />
          </bdi>
        )}
        {own.id !== site?.id && <bdi>{own.name}</bdi>} {kind === 'guides' && 'Guide'}{' '}
        <StatusBadge {...article} /> <Time at={publishAt ?? updatedAt} isRelative />
      </>
    ),
  }
}
