/** Which article of a folder an address leads to, however the site wrote it that the folder is of. */
import { posix } from 'node:path'
import type { SiteAddress } from '../../foundation/urls.ts'
import { isLanguage } from '../convert/languages.ts'
import type { Target } from '../import/source.ts'
import type { Generator } from './generators/generator.ts'
import { fileName, pageName } from './pages.ts'
import type { Planned } from './plan.ts'

/** `base` is the site's address, `url` where the folder was served, if that is known. */
export type OldSite = { site: SiteAddress; base: string; url?: string }

const SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** `target` and `mediaPath` of the source, and what an address says of a page that names it as its own. */
export function addressBook(
  planned: Planned[],
  old: OldSite,
  generator: Pick<Generator, 'isVault' | 'below' | 'basePath'>,
  others: string[],
) {
  const byFile = new Map<string, Planned>()
  const byName = new Map<string, Planned | null>()
  const byAddress = new Map<string, Planned>()
  const bySlug = new Map<string, Planned>()
  for (const one of planned) {
    const page = pageOf(one.document.file)
    const name = pageName(one.document.file)
    if (!byFile.has(page)) byFile.set(page, one)
    byName.set(name, byName.has(name) ? null : one)
    bySlug.set(`${one.kind}/${one.slug}`, one)
    const { addresses, canonical } = one.document
    for (const address of [...addresses, ...(canonical ? [canonical] : [])])
      byAddress.set(normalAddress(address), one)
  }
  for (const one of planned) {
    const { key, inLanguageFolder } = one.document
    const page = pageOf(key)
    if (!inLanguageFolder && !byFile.has(page)) byFile.set(page, one)
  }
  const media = generator.isVault ? mediaOf(others) : undefined
  const hosts = new Set(
    [`https://${old.site.domain}`, old.base, ...(old.url ? [old.url] : [])].map((url) => new URL(url).host),
  )
  const mount = old.url === undefined ? undefined : new URL(old.url).pathname.replace(/\/+$/, '')

  function target(address: string, file: string): Target | null | undefined {
    const place = placeOf(address, file)
    if (place === undefined) {
      const one = /^https?:/i.test(address) ? byAddress.get(normalAddress(address)) : undefined
      return one && targetOf(one)
    }
    const found = place.isRoot ? atPath(place.path) : (atFile(place.path, file) ?? null)
    return found ? targetOf(found) : null
  }

  /** Where an address of this site leads; undefined for others. */
  function placeOf(address: string, file: string): { isRoot: boolean; path: string } | undefined {
    if (/^(?:https?:)?\/\//i.test(address)) {
      const url = URL.parse(address, 'https://invalid')
      return url && hosts.has(url.host) ? { isRoot: true, path: url.pathname } : undefined
    }
    if (SCHEME.test(address) || address.startsWith('#')) return undefined
    if (address.startsWith('@site/')) return { isRoot: true, path: inProject(address) }
    const path = address.replace(/[?#].*$/s, '')
    if (path === '') return { isRoot: false, path: posix.basename(file) }
    return { isRoot: path.startsWith('/'), path }
  }

  /** Docusaurus serves what is in `static` at the root. */
  function inProject(address: string): string {
    const path = address.replace(/^@site\/|[?#].*$/gs, '')
    const { below } = generator
    return `/${path.replace(/^static\//, '').slice(path.startsWith(below) ? below.length : 0)}`
  }

  function atFile(path: string, file: string): Planned | undefined {
    const folder = posix.dirname(file)
    const written = decoded(path)
    return (
      byFile.get(pageOf(posix.join(folder, written))) ??
      // As a browser resolves it, for which the page is a folder.
      byFile.get(pageOf(posix.join(pageOf(file), written))) ??
      byFile.get(pageOf(written)) ??
      byFile.get(pageOf(`_posts/${written}`)) ??
      (written.includes('/') ? undefined : (byName.get(pageName(written)) ?? undefined))
    )
  }

  function atPath(path: string): Planned | undefined {
    const address = byAddress.get(normalAddress(path))
    if (address) return address
    const { basePath } = generator
    if (basePath && path.startsWith(`${basePath}/`)) return atPath(path.slice(basePath.length))
    const page = pageOf(decoded(path))
    const [first = '', ...rest] = page.split('/')
    const language = isLanguage(first) && rest.length > 0 ? first : null
    const isDefault = language?.toLowerCase() === old.site.defaultLanguage.toLowerCase()
    const without = rest.join('/')
    const pages =
      language === null ? variants(page) : [...variants(page), ...variants(without, `${language}/`)]
    for (const each of isDefault ? [...pages, ...variants(without)] : pages) {
      const found = byFile.get(each)
      if (found) return found
    }
    return bySlugAt(page) ?? (language === null ? undefined : bySlugAt(without))
  }

  /** A page, and the same below the folder's mount. */
  function variants(page: string, before = ''): string[] {
    const mounts =
      mount === undefined
        ? [old.site.postPath, old.site.guidePath].map((path) => path.split('{slug}')[0])
        : [mount]
    const below = mounts.flatMap((each) => {
      const prefix = `${each?.replace(/^\/+|\/+$/g, '')}/`
      return prefix !== '/' && page.startsWith(prefix) ? [page.slice(prefix.length)] : []
    })
    return [page, ...below].map((each) => before + each)
  }

  /** An address that this site gives already. */
  function bySlugAt(page: string): Planned | undefined {
    for (const [kind, template] of [
      ['posts', old.site.postPath],
      ['guides', old.site.guidePath],
    ] as const) {
      const [start = '', end = ''] = pageOf(template).split('{slug}')
      if (!page.startsWith(start) || !page.endsWith(end)) continue
      const found = bySlug.get(`${kind}/${page.slice(start.length, page.length - end.length)}`)
      if (found) return found
    }
    return undefined
  }

  function mediaPath(address: string, file: string): string | null {
    const place = placeOf(address, file)
    if (place === undefined) return null
    if (place.isRoot) return place.path.slice(1).replace(/[?#].*$/s, '')
    const anywhere = media?.(decoded(place.path), file)
    if (anywhere !== undefined) return encodeURI(anywhere).replace(/[?#]/g, encodeURIComponent)
    const folder = encodeURI(posix.dirname(file)).replace(/[?#]/g, encodeURIComponent)
    return posix.join('/', mount ?? '', folder, place.path).slice(1)
  }

  /** An address of a page's own as a path of the site; null if it is another host's, or its folder is not known. */
  function ownPath(address: string): string | null {
    if (/^\/(?!\/)/.test(address)) return address
    const url = /^(?:https?:)?\/\//i.test(address) ? URL.parse(address, 'https://invalid') : null
    return url && hosts.has(url.host) ? url.pathname + url.search : null
  }

  return { target, mediaPath, ownPath }
}

/** Where Obsidian finds a medium: beside the note, from the vault's root, or else by its name alone. */
function mediaOf(others: string[]): (path: string, file: string) => string | undefined {
  const paths = new Set(others)
  const byName = Map.groupBy(others, fileName)
  return (path, file) =>
    [posix.join(posix.dirname(file), path), posix.normalize(path)].find((each) => paths.has(each)) ??
    byName.get(fileName(path))?.[0]
}

function targetOf({ kind, slug, language }: Planned): Target {
  return { kind, slug, language: language ?? null }
}

/** `/a/b/index.html`, `a/b.md` and `a/b/` are the page `a/b`. */
function pageOf(path: string): string {
  return path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.(?:mdx?|markdown|html?)$/i, '')
    .replace(/(?:^|\/)index$/i, '')
}

/** A path or URL without query, fragment and what a server adds at its end. */
function normalAddress(address: string): string {
  const [origin = ''] = /^https?:\/\/[^/?#]*/i.exec(address) ?? []
  return `${origin.toLowerCase()}/${pageOf(decoded(address.slice(origin.length).replace(/[?#].*$/s, '')))}`
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
