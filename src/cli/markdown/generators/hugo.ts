/** Hugo (https://gohugo.io/content-management/organization/, https://gohugo.io/configuration/permalinks/). */
import { dirname, join, posix } from 'node:path'
import { readText } from '../../files.ts'
import { isMapping, scalar } from '../fields.ts'
import { parseFrontMatter, splitFrontMatter } from '../front-matter.ts'
import type { Mapping } from '../metadata-lines.ts'
import { isBelow, type Project, readConfiguration } from './configuration.ts'
import {
  anyGenerator,
  dayOf,
  fillPattern,
  type Generator,
  type Page,
  pageNameOf,
  splitLanguageOfName,
  withoutExtension,
  zoneOf,
} from './generator.ts'

const CONFIGURATION = /^(?:hugo|config)\.(?:toml|ya?ml|json)$/
const INDEX = /(?:^|\/)index(?:\.[\w-]+)?\.[a-z]+$/i

export async function hugo({ root, below, names, files }: Project): Promise<Generator | null> {
  const configuration = await readConfiguration(
    root,
    [...names].find((name) => CONFIGURATION.test(name)),
  )
  const get = (name: string) => memberOf(configuration, name)
  const any = anyGenerator(files)
  const languages = Object.keys(mappingOf(get('languages'))).map((each) => each.toLowerCase())
  const mainLanguage = (scalar(get('defaultContentLanguage')) ?? 'en').toLowerCase()
  const folder = `${scalar(get('contentDir')) ?? 'content'}/`
  const languageFolders = Object.values(mappingOf(get('languages'))).flatMap((each) =>
    isMapping(each) ? (scalar(memberOf(each, 'contentDir')) ?? []) : [],
  )
  const mounts = [mappingOf(get('module')).mounts]
    .flat()
    .flatMap((each) => (isMapping(each) ? (scalar(each.source) ?? []) : []))
  if (![folder, ...languageFolders, ...mounts].some((each) => isBelow(below, each))) return null
  const content = below === '' ? folder : ''
  const timeZone = zoneOf(scalar(get('timeZone')))
  const bundles = new Set(files.filter((file) => INDEX.test(file)).map((file) => dirname(file)))
  const patterns = mappingOf(mappingOf(get('permalinks')).page ?? get('permalinks'))
  const cascades = new Map<string, Promise<Mapping>>()

  function pathIn(path: string): string {
    const whole = below + path
    return (whole.startsWith(folder) ? whole.slice(folder.length) : whole).toLowerCase().replace(/\s+/g, '-')
  }

  function addressOf({ path, slug, title, date, day: written, language }: Page): string | undefined {
    const page = pathIn(path)
    const sections = posix.dirname(/(?:^|\/)index\.[^/]+$/.test(page) ? posix.dirname(page) : page)
    const [section = ''] = page.includes('/') ? page.split('/') : []
    const name = urlName(slug ?? pageNameOf(page))
    const pattern =
      scalar(memberOf(patterns, section)) ?? `/${sections === '.' ? '' : `${sections}/`}${name}/`
    const [year, month, day] = date === undefined ? [] : dayOf(written ?? date, timeZone)
    const filled = fillPattern(pattern, {
      ...{ year, month, day, section, sections: sections === '.' ? '' : sections },
      slug: slug ?? urlName(title),
      title: urlName(title),
      slugorfilename: name,
      slugorcontentbasename: name,
      filename: pageNameOf(page),
      contentbasename: pageNameOf(page),
    })
    if (filled === undefined) return undefined
    const isUgly = get('uglyURLs') === true
    const address = isUgly ? filled.replace(/\/$/, '.html') : filled.replace(/\/?$/, '/')
    const isMain = language === undefined || language.toLowerCase() === mainLanguage
    return isMain && get('defaultContentLanguageInSubdir') !== true
      ? address
      : `/${(language ?? mainLanguage).toLowerCase()}${address}`
  }

  async function inheritedBy(file: string) {
    const fields: Mapping = {}
    for (let at = dirname(below + file); at !== '.'; at = dirname(at)) {
      if (!cascades.has(at)) cascades.set(at, cascadeOf(join(root, at)))
      const handed = await cascades.get(at)
      for (const [name, value] of Object.entries(handed ?? {})) fields[name] ??= value
    }
    return { fields }
  }

  return {
    ...any,
    name: 'hugo',
    below,
    content,
    pages: folder,
    timeZone,
    basePath: basePathOf(scalar(get('baseURL'))),
    nameOf(file) {
      const name = splitLanguageOfName(file, (_, language) => languages.includes(language.toLowerCase()))
      return name.language === undefined && languages.length === 0 ? any.nameOf(file) : name
    },
    reasonToHide(file) {
      for (let at = dirname(file); at !== '.'; at = dirname(at)) {
        const isIts = at === dirname(file) && INDEX.test(file)
        if (bundles.has(at) && !isIts)
          return 'part of a page bundle, without a page of its own: imported as a draft'
      }
      return undefined
    },
    inheritedBy,
    addressOf,
  }
}

/** From `_index.md`; entries with a target are left out, since it cannot be resolved here. */
async function cascadeOf(folder: string): Promise<Mapping> {
  try {
    const { source } = splitFrontMatter(await readText(join(folder, '_index.md')))
    const { cascade } = parseFrontMatter(source)
    const all = [cascade]
      .flat()
      .filter((each) => isMapping(each) && !('target' in each) && !('_target' in each))
    return Object.assign({}, ...all)
  } catch {
    return {}
  }
}

/** Names in Hugo's configuration ignore case. */
function memberOf(mapping: Mapping, name: string): unknown {
  const key = Object.keys(mapping).find((each) => each.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : mapping[key]
}

const mappingOf = (value: unknown): Mapping => (isMapping(value) ? value : {})

function basePathOf(url: string | undefined): string {
  const path = URL.parse(url ?? '')?.pathname ?? ''
  return path.replace(/\/+$/, '')
}

function urlName(text: string): string {
  return withoutExtension(`${text}.`)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}._~-]+/gu, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-|-$/g, '')
}
