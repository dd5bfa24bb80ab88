/** Resolves an address to an article of the folder, in the notation of any generator. */
import { posix } from 'node:path'
import type { SiteAddress } from '../../content/model/urls.ts'
import type { Target } from '../../transfer/source.ts'
import { isLanguage } from '../import/languages.ts'
import type { Generator } from './generators/generator.ts'
import { fileName, pageName } from './pages.ts'
import type { Planned } from './plan.ts'

/** `base` is the site's URL, `url` the former URL of the folder. */
export type OldSite = { site: SiteAddress; base: string; url?: string }

const SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** The source's `target` and `mediaPath`, and each page's own paths. */
export function addressBook(
  planned: Planned[],
  old: OldSite,
  generator: Pick<Generator, 'isVault' | 'below' | 'pages' | 'basePath'>,
  others: string[],
) {
  const byFile = new Map<string, Planned>()
  const byAddress = new Map<string, Planned>()
  const bySlug = new Map<string, Planned>()
  for (const one of planned) {
    const page = pageOf(one.document.file)
    if (!byFile.has(page)) byFile.set(page, one)
    bySlug.set(`${one.kind}/${one.slug}`, one)
    const { addresses, canonical } = one.document
    for (const address of [...addresses, ...(canonical ? [canonical] : [])])
      byAddress.set(normalAddress(address), one)
  }
  const byKey = Map.groupBy(planned, ({ document }) => pageOf(document.key))
  const byName = Map.groupBy(planned, ({ document }) =>
    pageName(generator.isVault ? document.file : pageOf(document.key)),
  )
  const languages = new Map(planned.map(({ document, language }) => [document.file, language]))
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
    const found = place.isRoot ? atPath(place.path, file) : (atFile(place.path, file) ?? null)
    return found ? targetOf(found) : null
  }

  /** Undefined for addresses outside the site. */
  function placeOf(address: string, file: string): { isRoot: boolean; path: string } | undefined {
    if (/^(?:https?:)?\/\//i.test(address)) {
      const url = URL.parse(address, 'https://invalid')
      return url && hosts.has(url.host) ? { isRoot: true, path: url.pathname } : undefined
    }
    if (SCHEME.test(address) || address.startsWith('#')) return undefined
    if (address.startsWith('@site/')) return { isRoot: true, path: inProject(address) }
    // Zola's addresses start at its content.
    if (address.startsWith('@/')) return { isRoot: true, path: address.slice(1).replace(/[?#].*$/s, '') }
    const path = address.replace(/[?#].*$/s, '')
    if (path === '') return { isRoot: false, path: posix.basename(file) }
    return { isRoot: path.startsWith('/'), path }
  }

  /** Docusaurus serves `static` at the root. */
  function inProject(address: string): string {
    const path = address.replace(/^@site\/|[?#].*$/gs, '')
    const { below } = generator
    return `/${path.replace(/^static\//, '').slice(path.startsWith(below) ? below.length : 0)}`
  }

  function atFile(path: string, file: string): Planned | undefined {
    const folder = posix.dirname(file)
    const written = decoded(path)
    return (
      pageAt(pageOf(posix.join(folder, written)), file) ??
      // Browsers treat the page as a folder.
      pageAt(pageOf(posix.join(pageOf(file), written)), file) ??
      pageAt(pageOf(written), file) ??
      pageAt(inFolder(pageOf(written)), file) ??
      pageAt(pageOf(`_posts/${written}`), file) ??
      (generator.isVault ? noteCalled(written, file) : pageCalled(written, file))
    )
  }

  /** Prefers a translation into the language of `file`, or the site's. */
  function pageAt(page: string, file: string): Planned | undefined {
    const all = byKey.get(page) ?? []
    return (
      translationOf(page, file) ??
      byFile.get(page) ??
      all.find(({ document }) => !document.inLanguageFolder) ??
      all.find(isIn(languages.get(file))) ??
      all.find(isIn(old.site.defaultLanguage))
    )
  }

  /** Hugo resolves a path to the page in the language of the linking page. */
  function translationOf(page: string, file: string): Planned | undefined {
    return generator.pages === '' ? undefined : byKey.get(page)?.find(isIn(languages.get(file)))
  }

  /** Converts a path in the generator's content to one in the folder. */
  function inFolder(page: string): string {
    const { pages, below } = generator
    return `${pages}${page}`.startsWith(below) ? `${pages}${page}`.slice(below.length) : page
  }

  function pageCalled(name: string, file: string): Planned | undefined {
    const all = name.includes('/') ? [] : (byName.get(pageName(name)) ?? [])
    const [one, more] = all.length > 1 ? all.filter(isIn(languages.get(file))) : all
    return more ? undefined : one
  }

  /** Obsidian prefers the note nearest to the linking one, or else to the root. */
  function noteCalled(path: string, file: string): Planned | undefined {
    const isCalled = ({ document }: Planned) => `/${stemOf(document.file)}`.endsWith(`/${stemOf(path)}`)
    const isBelow = ({ document }: Planned) => document.file.startsWith(`${posix.dirname(file)}/`)
    const all = (byName.get(pageName(path)) ?? []).filter(isCalled)
    return all.sort((a, b) => a.document.file.length - b.document.file.length).find(isBelow) ?? all[0]
  }

  function atPath(path: string, file: string): Planned | undefined {
    const isAddress = path.endsWith('/')
    const address =
      (isAddress ? undefined : translationOf(inFolder(pageOf(decoded(path))), file)) ??
      byAddress.get(normalAddress(path))
    if (address) return address
    const { basePath } = generator
    if (basePath && path.startsWith(`${basePath}/`)) return atPath(path.slice(basePath.length), file)
    const page = pageOf(decoded(path))
    const [first = '', ...rest] = page.split('/')
    const language = isLanguage(first) && rest.length > 0 ? first : null
    const isDefault = language?.toLowerCase() === old.site.defaultLanguage.toLowerCase()
    const without = rest.join('/')
    const pages =
      language === null ? variants(page) : [...variants(page), ...variants(without, `${language}/`)]
    for (const each of isDefault ? [...pages, ...variants(without)] : pages) {
      const found = pageAt(each, file)
      if (found) return found
    }
    return bySlugAt(page) ?? (language === null ? undefined : bySlugAt(without))
  }

  function variants(page: string, before = ''): string[] {
    const mounts =
      mount === undefined
        ? [old.site.postPath, old.site.guidePath].map((path) => path.split('{slug}')[0])
        : [mount]
    const below = mounts.flatMap((each) => {
      const prefix = `${each?.replace(/^\/+|\/+$/g, '')}/`
      return prefix !== '/' && page.startsWith(prefix) ? [page.slice(prefix.length)] : []
    })
    return [page, ...below, inFolder(page)].map((each) => before + each)
  }

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

  /** A page's own address as a path of the site; null if it is on another host, or its folder is unknown. */
  function ownPath(address: string): string | null {
    if (/^\/(?!\/)/.test(address)) return address
    const url = /^(?:https?:)?\/\//i.test(address) ? URL.parse(address, 'https://invalid') : null
    return url && hosts.has(url.host) ? url.pathname + url.search : null
  }

  return { target, mediaPath, ownPath }
}

/** Obsidian finds a medium next to the note, from the vault's root, or by its name. */
function mediaOf(others: string[]): (path: string, file: string) => string | undefined {
  const paths = new Set(others)
  const byName = Map.groupBy(others, fileName)
  return (path, file) =>
    [posix.join(posix.dirname(file), path), posix.normalize(path)].find((each) => paths.has(each)) ??
    byName.get(fileName(path))?.[0]
}

const isIn =
  (language: string | undefined) =>
  (one: Planned): boolean =>
    one.language?.toLowerCase() === language?.toLowerCase()

const stemOf = (path: string) =>
  path
    .normalize('NFC')
    .toLowerCase()
    .replace(/\.(?:mdx?|markdown|html?)$/, '')

function targetOf({ kind, slug, language }: Planned): Target {
  return { kind, slug, language: language ?? null }
}

/** `/a/b/index.html`, `a/b.md` and `a/b/` are the page `a/b`. */
function pageOf(path: string): string {
  return path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.(?:mdx?|markdown|html?)$/i, '')
    .replace(/(?:^|\/)index$/i, '')
    .normalize('NFC')
}

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
