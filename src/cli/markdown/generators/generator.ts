/** The interface of generators: everything about a page that depends on more than its file. */
import { basename, extname } from 'node:path'
import { isLanguage, languageTag } from '../../import/languages.ts'
import type { Mapping } from '../metadata-lines.ts'

/** The data that a page's address depends on. `path` is below the generator's content. */
export type Page = {
  path: string
  slug: string | undefined
  title: string
  /** RFC 3339, or the date in the file's name, which has no time. */
  date: string | undefined
  day: string | undefined
  categories: string[]
  language: string | undefined
}

/** `path` without parts that are not the file's name; `language` if the name has one. */
export type Name = { path: string; language?: string | undefined }

export type Generator = {
  name:
    | 'astro'
    | 'docusaurus'
    | 'eleventy'
    | 'hexo'
    | 'hugo'
    | 'jekyll'
    | 'logseq'
    | 'mkdocs'
    | 'obsidian'
    | 'pelican'
    | 'zola'
    | null
  /** The folder's path in its project, with a trailing slash, or ''. */
  below: string
  /** The only part of the folder with pages, with a trailing slash; '' for all of it. */
  content: string
  /** Base of page paths in the project, with a trailing slash, or ''. */
  pages: string
  /** True if the files are notes of Obsidian, too. */
  isVault: boolean
  /** Prefix of every path of the site. */
  basePath: string
  /** Authors that `author` may refer to. */
  authors: Mapping
  /** For dates without a zone. */
  timeZone: string
  nameOf(file: string): Name
  /** Reason why the generator builds no page for a file. */
  reasonToHide(file: string): string | undefined
  /** True if a file without text exists for its layout, for example as a list of posts. */
  isForLayout(file: string): boolean
  /** Fields from other files. The file's own fields win, except for lists in `joined`, which are merged. */
  inheritedBy(file: string): Promise<{ fields: Mapping; joined?: string[] }>
  addressOf(page: Page): string | undefined
  /** Title of the page with this file name, for links that show it. */
  titleOf(name: string): string | undefined
}

export const HIDDEN = 'its name or folder begins with "_", so it has no page: imported as a draft'
/** Names with "_" that are not hidden: Jekyll's folders of posts, and Hugo's sections, which are skipped elsewhere. */
const SHOWN = /^_(?:posts|drafts|index\..*)$/

export function anyGenerator(files: readonly string[]): Generator {
  const siblings = languagesOf(files)
  return {
    name: null,
    below: '',
    content: '',
    pages: '',
    isVault: false,
    basePath: '',
    authors: {},
    timeZone: 'UTC',
    nameOf: (file) => splitLanguageOfName(file, (stem, language) => isLanguage(language) && siblings(stem)),
    reasonToHide: (file) => (isHidden(file) ? HIDDEN : undefined),
    isForLayout: () => false,
    inheritedBy: async () => ({ fields: {} }),
    addressOf: () => undefined,
    titleOf: () => undefined,
  }
}

export function isHidden(file: string): boolean {
  return file.split('/').some((part) => part.startsWith('_') && !SHOWN.test(part))
}

/** `first.fr.md` is `first.md` in French, if `isOne` agrees. */
export function splitLanguageOfName(file: string, isOne: (stem: string, language: string) => boolean): Name {
  const [, stem, language, extension] =
    /^(.*[^/])\.([a-z]{2,3}(?:[-_][a-z\d]+)*)(\.[^./]+)$/i.exec(file) ?? []
  if (!stem || !language || !extension || !isOne(stem, language)) return { path: file }
  return { path: stem + extension, language: languageTag(language) }
}

/** True if the name also exists in another language, or without one. */
function languagesOf(files: readonly string[]): (stem: string) => boolean {
  const names = new Map<string, number>()
  const count = (stem: string) => names.set(stem, (names.get(stem) ?? 0) + 1)
  for (const file of files) {
    const stem = withoutExtension(file)
    count(stem)
    const { path, language } = splitLanguageOfName(file, (_, each) => isLanguage(each))
    if (language !== undefined) count(withoutExtension(path))
  }
  return (stem) => (names.get(stem) ?? 0) > 1
}

export function withoutExtension(file: string): string {
  return file.slice(0, file.length - extname(file).length)
}

/** An index page has the name of its folder. */
export function pageNameOf(path: string): string {
  const name = basename(withoutExtension(path))
  return name === 'index' ? basename(path.split('/').slice(0, -1).join('/')) : name
}

/** UTC unless the zone exists. */
export function zoneOf(name: string | undefined): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return name ?? 'UTC'
  } catch {
    return 'UTC'
  }
}

/** Dates with a time are converted to `timeZone`. */
export function dayOf(date: string, timeZone = 'UTC'): [year: string, month: string, day: string] {
  const written = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date)
  if (written) return [written[1]!, written[2]!, written[3]!]
  const [year = '', month = '', day = ''] = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
    .format(new Date(date))
    .split('-')
  return [year, month, day]
}

/** Fills a pattern such as `/:year/:title/`; undefined if a value is missing. */
export function fillPattern(pattern: string, values: Record<string, string | undefined>): string | undefined {
  let isKnown = true
  const filled = pattern.replace(/:(\w+)|\[:?(\w+)\]/g, (_, name: string, other: string) => {
    const value = values[name ?? other]
    isKnown &&= value !== undefined
    return value ?? ''
  })
  return isKnown ? `/${filled}`.replace(/\/{2,}/g, '/') : undefined
}
