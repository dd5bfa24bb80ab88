/** Resolves addresses of the old site to articles and media. */
import type { Source, Target } from '../../transfer/source.ts'

export type WordPressAddresses = {
  /** For example `https://blog.example/` or `https://example.com/blog/`. */
  base: URL | null
  mediaHosts: ReadonlySet<string>
  /** `path` in the form of `pathOf`. */
  byPath(path: string): Target | undefined
  byId(id: number): Target | undefined
}

const PARTS_OF_A_POST = /\/(?:\d+|comment-page-\d+|amp|feed)$/
const FILE = /\.[a-z][a-z0-9]{1,4}$/i
const PAGE = /\.(?:php|html?|aspx?)$/i

export function addressesOf(site: WordPressAddresses): Pick<Source, 'target' | 'mediaPath'> {
  const { base } = site
  const below = base?.pathname.replace(/\/*$/, '/') ?? '/'

  return {
    target(address) {
      const url = base && urlOf(address, base)
      if (!url || !base || !isSameHost(url, base) || !`${url.pathname}/`.startsWith(below)) return undefined
      const id = Number(['p', 'page_id'].map((name) => url.searchParams.get(name)).find(Boolean))
      if (id) return site.byId(id) ?? null
      const path = pathOf(url)
      return site.byPath(path) ?? site.byPath(path.replace(PARTS_OF_A_POST, '')) ?? null
    },
    mediaPath(address) {
      const url = base && urlOf(address, base)
      if (!url || !base || !FILE.test(url.pathname) || PAGE.test(url.pathname)) return null
      if (isSameHost(url, base) && url.pathname.startsWith(below)) return url.pathname.slice(below.length)
      return site.mediaHosts.has(url.host) ? url.pathname.slice(1) : null
    },
  }
}

/** Normalises a path: equal for all spellings of an address. */
export function pathOf(url: URL): string {
  let path = url.pathname
  try {
    path = decodeURIComponent(path)
  } catch {
    // Stays encoded.
  }
  return path.replace(/\/+/g, '/').replace(/\/$/, '').normalize('NFC')
}

/** Paths of the permalink, and of old slugs, which WordPress redirects. Empty for a draft, whose link is a query. */
export function oldAddressesOf(link: string | undefined, oldSlugs: string[], base: URL | null): string[] {
  const url = base && link ? urlOf(link, base) : null
  if (!url || !base || !isSameHost(url, base) || url.search !== '' || url.pathname === '/') return []
  const [, folder = '', end = ''] = /^(.*?\/)[^/]*(\/?)$/.exec(url.pathname) ?? []
  return [url.pathname, ...oldSlugs.map((slug) => folder + slug + end)]
}

function urlOf(address: string, base: URL): URL | null {
  if (address === '' || address.startsWith('#')) return null
  const url = URL.parse(address, base.href)
  return url && /^https?:$/.test(url.protocol) ? url : null
}

function isSameHost(a: URL, b: URL): boolean {
  return withoutWww(a.host) === withoutWww(b.host)
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, '')
}
