import type { OpenArticle } from '../../../src/content/search.ts'
import { schedulePath } from '../content/schedule.tsx'
import { type MenuPage, SITE_PAGES, TABS, WORKSPACE_PAGES } from '../menu.ts'
import { addQuery, itemPath } from '../parent-list.ts'
import type { RecentSite } from '../recent-sites.ts'

/** `posts` is a field that the command posts to its path. `copies` is a text for the clipboard. */
export type Command = MenuPage & { posts?: [name: string, value: string]; copies?: string }

/** Offered before anything is typed. */
const FIRST_OF_ARTICLE = 6

const SITE_COMMANDS: Command[] = [
  { name: 'New post', path: '/content/new/posts', icon: 'content', needs: 'editor' },
  { name: 'New guide', path: '/content/new/guides', icon: 'content', needs: 'editor' },
  { name: 'New key', path: '/keys/new', icon: 'api', needs: 'admin' },
  { name: 'Add webhook', path: '/integrations/webhooks', icon: 'integrations', needs: 'admin' },
  { name: 'Import and export', path: TABS.Settings['Import and export'], icon: 'transfer' },
]

/** The tabs that are no pages of the menu. The commands above have import and export. */
const SITE_LISTS: Command[] = [
  ...tabsOf('Content', 'content'),
  ...tabsOf('Integrations', 'integrations'),
  ...tabsOf('Settings', 'settings', 'Settings: '),
  { name: 'Delete site', path: '/settings/deletion', icon: 'settings', needs: 'admin' },
]

function tabsOf(of: keyof typeof TABS, icon: MenuPage['icon'], before = ''): Command[] {
  return Object.entries(TABS[of])
    .filter(([name]) => !['Posts', 'General', 'Import and export'].includes(name))
    .map(([name, path]) => ({ name: before + name, path, icon }))
}

const WORKSPACE_COMMANDS: Command[] = [
  { name: 'New site', path: '/console/sites/new', icon: 'sites', needs: 'admin' },
  { name: 'Add person', path: '/console/people/new', icon: 'people', needs: 'admin' },
]

export function siteCommands(site: { id: string }, isSearch: boolean): Command[] {
  const copy: Command = { name: 'Copy site ID', path: '', icon: 'api', copies: site.id }
  if (isSearch) return [...SITE_PAGES, ...SITE_COMMANDS, copy, ...SITE_LISTS]
  return [...SITE_COMMANDS, copy, ...SITE_PAGES.filter(({ name }) => name === 'Settings')]
}

/** `recent` are sites to write a post in. */
export function workspaceCommands(isSearch: boolean, recent: RecentSite[]): Command[] {
  return [
    ...recent.map(({ id, name }) => ({
      name: `New post in ${name}`,
      path: `/console/sites/${id}/content/new/posts`,
      icon: 'content' as const,
      needs: 'editor' as const,
    })),
    ...(isSearch ? WORKSPACE_PAGES : []),
    ...WORKSPACE_COMMANDS,
  ]
}

/** In the order of use. `list` is the list that the article was opened from. Publishing and unpublishing are the buttons of the article's page. */
export function articleCommands(
  article: OpenArticle,
  { isSearch, list }: { isSearch: boolean; list: string | undefined },
): Command[] {
  const path = itemPath(article.kind, article.slug)
  const isDraft = article.status === 'draft'
  const isDraftOfPost = isDraft && article.kind === 'posts'
  const edits = { icon: 'content', needs: 'editor' } as const
  const commands: (Command | false)[] = [
    isDraft &&
      article.canBePublished && {
        ...edits,
        name: 'Publish',
        path: `${path}/publication`,
        posts: ['status', 'published'],
      },
    { ...edits, name: 'Edit', path: `${path}/edit` },
    isDraftOfPost && article.canBePublished && { ...edits, name: 'Schedule', path: schedulePath(path) },
    isDraftOfPost && {
      ...edits,
      name: 'Preview link',
      path: `${path}/preview-links`,
      posts: ['id', crypto.randomUUID()],
    },
    { name: 'Copy ID', path, icon: 'api', copies: article.id },
    { name: 'View JSON', path: `${path}/json`, icon: 'api' },
    { name: 'Preview HTML', path: `${path}/preview`, icon: 'content' },
    { name: 'Copy slug', path, icon: 'api', copies: article.slug },
    isDraftOfPost &&
      article.canBeReady && { ...edits, name: 'Mark ready', path: `${path}/readiness`, posts: ['', ''] },
    !isDraft && {
      ...edits,
      name: 'Unpublish',
      path: `${path}/publication`,
      posts: ['status', 'draft'],
    },
    { ...edits, name: 'Change slug', path: `${path}/edit#slug` },
    { ...edits, name: 'Delete', path: `${path}/deletion` },
  ]
  const offered = commands
    .filter((command) => command !== false)
    .map((command) => ({ ...command, path: addQuery(command.path, { list }) }))
  return isSearch ? offered : offered.slice(0, FIRST_OF_ARTICLE)
}
