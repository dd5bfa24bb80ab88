/** What the generator of a folder makes of a file, where that depends on more than the file. */
import { basename, extname } from 'node:path'
import { isLanguage, languageTag } from '../../convert/languages.ts'
import type { Mapping } from '../metadata-lines.ts'

/** A page, as far as its address depends on it. `path` is below the generator's content. */
export type Page = {
  path: string
  slug: string | undefined
  title: string
  /** As RFC 3339, or as the file's name has it: then it is no time. */
  date: string | undefined
  /** Of the date, as it is written in whatever zone. */
  day: string | undefined
  categories: string[]
  language: string | undefined
}

/** `path` is that of the file without what is no part of its name; the language is one that the name says. */
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
  /** The folder's path in its project, with a slash at its end, or ''. */
  below: string
  /** Of the folder, what alone has pages, with a slash at its end; '' for all of it. */
  content: string
  /** Where its own paths of pages begin in its project, with a slash at its end, or ''. */
  pages: string
  /** Whether its files are notes of Obsidian, too. */
  isVault: boolean
  /** Before each path of the site. */
  basePath: string
  /** What `author` may name instead of a person. */
  authors: Mapping
  /** That of dates which name none. */
  timeZone: string
  nameOf(file: string): Name
  /** Why it makes no page of a file, if it does not. */
  heldAt(file: string): string | undefined
  /** Whether a file that says nothing itself is there for its layout, as a list of posts is. */
  isForLayout(file: string): boolean
  /** The fields that a file has from others. Its own come first, but for lists, where `joined` are added. */
  inheritedBy(file: string): Promise<{ fields: Mapping; joined?: string[] }>
  /** Where the page is served, if that is known. */
  addressOf(page: Page): string | undefined
  /** The title of the page with that file name, for links that show it. */
  titleOf(name: string): string | undefined
}

export const HIDDEN = 'its name or folder begins with "_", so no page of its own, and put as a draft'
/** Jekyll's folders of posts, and Hugo's names of sections, which are skipped elsewhere. */
const SHOWN = /^_(?:posts|drafts|index\..*)$/

/** One of which nothing is known. */
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
    heldAt: (file) => (isHidden(file) ? HIDDEN : undefined),
    isForLayout: () => false,
    inheritedBy: async () => ({ fields: {} }),
    addressOf: () => undefined,
    titleOf: () => undefined,
  }
}

export function isHidden(file: string): boolean {
  return file.split('/').some((part) => part.startsWith('_') && !SHOWN.test(part))
}

/** `first.fr.md` is `first.md` in French, if that is so called. */
export function splitLanguageOfName(file: string, isOne: (stem: string, language: string) => boolean): Name {
  const [, stem, language, extension] =
    /^(.*[^/])\.([a-z]{2,3}(?:[-_][a-z\d]+)*)(\.[^./]+)$/i.exec(file) ?? []
  if (!stem || !language || !extension || !isOne(stem, language)) return { path: file }
  return { path: stem + extension, language: languageTag(language) }
}

/** Whether there is a file of that name in another language, or in none. */
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

/** The name of a page, which is that of its folder if it is an index. */
export function pageNameOf(path: string): string {
  const name = basename(withoutExtension(path))
  return name === 'index' ? basename(path.split('/').slice(0, -1).join('/')) : name
}

/** A zone that a configuration names, if there is one of that name. */
export function zoneOf(name: string | undefined): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return name ?? 'UTC'
  } catch {
    return 'UTC'
  }
}

/** The year, month and day of a date, of a time as it is in `timeZone`. */
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

/** A pattern of addresses such as `/:year/:title/`; undefined if a part of it is not known. */
export function fillPattern(pattern: string, values: Record<string, string | undefined>): string | undefined {
  let isKnown = true
  const filled = pattern.replace(/:(\w+)|\[:?(\w+)\]/g, (_, name: string, other: string) => {
    const value = values[name ?? other]
    isKnown &&= value !== undefined
    return value ?? ''
  })
  return isKnown ? `/${filled}`.replace(/\/{2,}/g, '/') : undefined
}
