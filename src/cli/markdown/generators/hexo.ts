/** Hexo (https://hexo.io/docs/configuration, https://hexo.io/docs/permalinks). */
import { join, posix } from 'node:path'
import { splitDate } from '../../../transfer/slug.ts'
import { readTextSync } from '../../files.ts'
import { scalar } from '../fields.ts'
import { parseFrontMatter, splitFrontMatter } from '../front-matter.ts'
import { isBelow, type Project, readConfiguration } from './configuration.ts'
import {
  anyGenerator,
  dayOf,
  fillPattern,
  type Generator,
  HIDDEN,
  isHidden,
  type Page,
  pageNameOf,
  withoutExtension,
  zoneOf,
} from './generator.ts'

const POSTS = /^(?:.*\/)?_(?:posts|drafts)\//

export async function hexo({ root, below, names, files }: Project): Promise<Generator | null> {
  const configuration = await readConfiguration(
    root,
    [...names].find((name) => /^_config\.ya?ml$/.test(name)),
  )
  const timeZone = zoneOf(scalar(configuration.timezone))
  const permalink = scalar(configuration.permalink) ?? ':year/:month/:day/:title/'
  const source = `${scalar(configuration.source_dir) ?? 'source'}/`
  if (!isBelow(below, source)) return null
  const titles = new Map<string, string | undefined>()

  function addressOf({ path, title, date, categories }: Page): string | undefined {
    const whole = below + path
    const page = whole.startsWith(source) ? whole.slice(source.length) : whole
    if (!POSTS.test(page)) return `/${withoutExtension(page)}`.replace(/\/index$/, '/')
    if (date === undefined) return undefined
    const [year, month, day] = dayOf(date, timeZone)
    const inside = withoutExtension(page.replace(POSTS, ''))
    const { rest: name } = splitDate(posix.basename(inside))
    return fillPattern(permalink.startsWith('/') ? permalink : `/${permalink}`, {
      ...{ year, month, day, name, post_title: title, category: categories[0] ?? 'uncategorized' },
      title: posix.join(posix.dirname(inside), name),
      i_month: String(Number(month)),
      i_day: String(Number(day)),
    })
  }

  function titleIn(name: string): string | undefined {
    const file = files.find((each) => pageNameOf(each) === posix.basename(name))
    try {
      const { source } = splitFrontMatter(file ? readTextSync(join(root, below, file)) : '')
      return scalar(parseFrontMatter(source).title)
    } catch {
      return undefined
    }
  }

  return {
    ...anyGenerator(files),
    name: 'hexo',
    below,
    content: below === '' ? source : '',
    timeZone,
    basePath: scalar(configuration.root)?.replace(/\/+$/, '') ?? '',
    reasonToHide: (file) => (isHidden(file) ? HIDDEN : undefined),
    addressOf,
    titleOf(name) {
      if (!titles.has(name)) titles.set(name, titleIn(name))
      return titles.get(name)
    },
  }
}
