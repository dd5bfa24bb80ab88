/**
 * The list that an item was opened from, with its filter and page. The URL carries it, through forms as well, so that every tab leads
 * back to its own list, without a script.
 */
import type { Http } from '../http/env.ts'
import { CLAIMS } from './actions/signed-notices.ts'
import { TABS } from './menu.ts'

/** Each list of a site, and the folder of its items. */
export const PARENT_LISTS = {
  posts: { list: TABS.Content.Posts, items: '/content/posts' },
  guides: { list: TABS.Content.Guides, items: TABS.Content.Guides },
  training: { list: TABS.Content['Training rows'], items: TABS.Content['Training rows'] },
  deliveries: { list: TABS.Integrations.Deliveries, items: TABS.Integrations.Deliveries },
} as const

const isList = (page: string) => Object.values(PARENT_LISTS).some(({ list }) => list === page)
const isItem = (page: string) => Object.values(PARENT_LISTS).some(({ items }) => page.startsWith(`${items}/`))

const PARAMETER = 'list'
/** Parameters of notices, which are shown once. */
const NOTICES = [...CLAIMS, 'sig', 'undo', 'select', 'tested']
/** Fits the longest filter: a character may take nine bytes. */
const MAX_LENGTH = 4_096

/** `id` is the slug of an article. */
export function itemPath(of: keyof typeof PARENT_LISTS, id: string): string {
  return `${PARENT_LISTS[of].items}/${encodeURIComponent(id)}`
}

/** Adds the list to the path of an item. Leaves other paths alone. */
export function withParentList(c: Http, page: string): string {
  const list = isItem(page) ? readList(c) : null
  return list ? addQuery(page, { [PARAMETER]: list }) : page
}

/** The list with its filter and page, if the item was opened from it. */
export function parentList(c: Http, list: string): string {
  const [path = ''] = list.split('#')
  const opened = readList(c)
  return opened?.startsWith(`${path}?`) ? opened + list.slice(path.length) : list
}

/** The current list, or the one that the item was opened from. Null without a filter or page. */
function readList(c: Http): string | null {
  const { pathname, searchParams } = new URL(c.req.url)
  // The form of selected rows posts with the query of the list.
  const shown = pathname.replace(/^\/console\/sites\/[^/]+/, '').replace(/\/selection(?=\/|$)/, '')
  const text = isList(shown) ? `${shown}?${searchParams}` : (searchParams.get(PARAMETER) ?? '')
  const at = text.indexOf('?')
  if (at < 0 || text.length > MAX_LENGTH || !isList(text.slice(0, at))) return null
  const query = new URLSearchParams(text.slice(at))
  for (const name of [...NOTICES, PARAMETER]) query.delete(name)
  return query.size > 0 ? `${text.slice(0, at)}?${query}` : null
}

/** Null and undefined are left out. */
export type Added = Record<string, string | number | null | undefined>

export function addQuery(page: string, added: Added): string {
  const [path = '', hash] = page.split('#')
  const [start = '', query] = path.split('?')
  const all = new URLSearchParams(query)
  for (const [name, value] of Object.entries(added))
    if (value !== null && value !== undefined) all.set(name, String(value))
  return `${start}${all.size > 0 ? `?${all}` : ''}${hash === undefined ? '' : `#${hash}`}`
}
