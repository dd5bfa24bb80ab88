import type { Source } from '../../transfer/source.ts'
import type { Survey } from './survey.ts'

const SOMEWHERE = 'https://old-site.invalid'
const OTHER_PAGES = new Set([
  'assets',
  'author',
  'content',
  'ghost',
  'members',
  'page',
  'public',
  'rss',
  'tag',
  'webmentions',
])

/** Posts may have been at `/{slug}/` or deeper, for example at `/2020/05/{slug}/`. */
export function addressesOf(
  { slugs, newSlugOf }: Pick<Survey, 'slugs' | 'newSlugOf'>,
  { oldUrl, language }: { oldUrl?: string; language?: string },
): Pick<Source, 'target' | 'mediaPath'> {
  const site = new URL(oldUrl ?? SOMEWHERE)
  const root = site.pathname.replace(/\/*$/, '/')

  /** Path below the old site's root; null if the address is elsewhere. */
  function pathOf(address: string): string | null {
    const url = URL.parse(address.trim().replace(/^__GHOST_URL__\/?/, site.origin + root), site.origin + root)
    if (!url || !/^https?:$/.test(url.protocol)) return null
    const isOurs = url.host.replace(/^www\./, '') === site.host.replace(/^www\./, '')
    return isOurs && `${url.pathname}/`.startsWith(root) ? url.pathname.slice(root.length) : null
  }

  return {
    target(address) {
      if (address.trim() === '' || address.trim().startsWith('#')) return undefined
      const path = pathOf(address)
      if (path === null) return undefined
      const parts = path.split('/').filter((part) => part !== '' && part !== 'amp')
      if (OTHER_PAGES.has(parts[0] ?? '')) return null
      for (const kind of ['posts', 'guides'] as const) {
        const slug = newSlugOf(kind, decoded(parts.at(-1) ?? ''))
        if (slug !== null && slugs[kind].has(slug))
          return { kind, slug, language: slugs[kind].get(slug) ?? language ?? null }
      }
      return null
    },
    mediaPath(address) {
      const path = address.trim() === '' ? null : pathOf(address)
      return path || null
    },
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
