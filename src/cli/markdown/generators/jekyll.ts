/** Jekyll (https://jekyllrb.com/docs/permalinks/, https://jekyllrb.com/docs/configuration/front-matter-defaults/). */
import { dirname, matchesGlob, posix } from 'node:path'
import { splitDate } from '../../../transfer/slug.ts'
import { isMapping, scalar } from '../fields.ts'
import type { Mapping } from '../metadata-lines.ts'
import { type Project, readConfiguration } from './configuration.ts'
import {
  anyGenerator,
  dayOf,
  fillPattern,
  type Generator,
  HIDDEN,
  isHidden,
  type Page,
  withoutExtension,
  zoneOf,
} from './generator.ts'

const STYLES: Record<string, string> = {
  date: '/:categories/:year/:month/:day/:title:output_ext',
  pretty: '/:categories/:year/:month/:day/:title/',
  ordinal: '/:categories/:year/:y_day/:title:output_ext',
  none: '/:categories/:title:output_ext',
}
const POSTS = /(?:^|\/)_(?:posts|drafts)\//

type Default = { path: string; type: string | undefined; values: Mapping }

export async function jekyll({ root, below, names, files }: Project): Promise<Generator> {
  const configuration = await readConfiguration(
    root,
    [...names].find((name) => /^_config\.ya?ml$/.test(name)),
  )
  const collections = isMapping(configuration.collections) ? configuration.collections : {}
  const permalink = scalar(configuration.permalink) ?? 'date'
  const timeZone = zoneOf(scalar(configuration.timezone))
  const defaults = [configuration.defaults].flat().flatMap(readDefault)

  /** For documents of collections except posts. */
  function collectionOf(path: string): [name: string, of: Mapping] | undefined {
    const [first = ''] = path.split('/')
    const of = first.startsWith('_') ? collections[first.slice(1)] : undefined
    return isMapping(of) ? [first.slice(1), of] : undefined
  }

  function addressOf({ path, slug, date, categories }: Page): string | undefined {
    const whole = below + path
    const collection = collectionOf(whole)
    if (collection) {
      const [name, of] = collection
      const pattern = scalar(of.permalink) ?? '/:collection/:path:output_ext'
      const inside = withoutExtension(whole.slice(name.length + 2))
      const title = slug ?? posix.basename(inside)
      return fillPattern(pattern, { collection: name, path: inside, name: title, title, output_ext: '.html' })
    }
    const isPretty = permalink === 'pretty' || (!(permalink in STYLES) && permalink.endsWith('/'))
    if (!POSTS.test(whole)) {
      const page = `/${withoutExtension(whole)}`
      if (posix.basename(page) === 'index') return page.replace(/index$/, '')
      return `${page}${isPretty ? '/' : '.html'}`
    }
    if (date === undefined) return undefined
    const [year, month, day] = dayOf(date, timeZone)
    const { rest } = splitDate(posix.basename(withoutExtension(whole)))
    const title = slug ?? rest
    return fillPattern(STYLES[permalink] ?? permalink, {
      ...{ year, month, day, title, slug: title, output_ext: '.html' },
      short_year: year.slice(2),
      i_month: String(Number(month)),
      i_day: String(Number(day)),
      categories: categories.map((each) => encodeURIComponent(each.toLowerCase())).join('/'),
    })
  }

  return {
    ...anyGenerator(files),
    name: 'jekyll',
    below,
    timeZone,
    basePath: scalar(configuration.baseurl)?.replace(/\/+$/, '') ?? '',
    reasonToHide(file) {
      const collection = collectionOf(below + file)
      if (collection) return collection[1].output === true ? undefined : HIDDEN
      return isHidden(file) ? HIDDEN : undefined
    },
    isForLayout: (file) => !POSTS.test(below + file) && !collectionOf(below + file),
    async inheritedBy(file) {
      const path = below + file
      const type = POSTS.test(path) ? 'posts' : (collectionOf(path)?.[0] ?? 'pages')
      const fitting = defaults
        .filter((each) => (each.type ?? type) === type && isBelow(path, each.path))
        .sort((a, b) => a.path.length - b.path.length)
      const [, above] = /^(.+)\/_posts\//.exec(path) ?? []
      const ofFolders = above ? { categories: above.split('/').filter((part) => !part.startsWith('_')) } : {}
      const fields: Mapping = Object.assign(ofFolders, ...fitting.map(({ values }) => values))
      return { fields, joined: ['categories'] }
    },
    addressOf,
  }
}

function readDefault(value: unknown): Default[] {
  if (!isMapping(value) || !isMapping(value.values)) return []
  const scope = isMapping(value.scope) ? value.scope : {}
  return [{ path: scalar(scope.path) ?? '', type: scalar(scope.type), values: value.values }]
}

function isBelow(path: string, scope: string): boolean {
  const folder = scope.replace(/\/+$/, '')
  if (folder.includes('*')) return matchesGlob(path, folder) || matchesGlob(dirname(path), folder)
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}
