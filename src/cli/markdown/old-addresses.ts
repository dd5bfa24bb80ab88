/** Where the generator of a folder served a page: what its front matter says, and else what the generator makes of its path. */
import { posix } from 'node:path'
import * as from from './fields.ts'
import type { Generator, Page } from './generators/generator.ts'

/** What Eleventy puts in place of the name of a file. */
const FILE_SLUG = /\{\{-?\s*(?:page\.)?fileSlug\s*-?\}\}/g
const PATTERN = /\/:|^:|\{\{/

/** Where the front matter puts a page; a pattern such as `/:year/:title/` says nothing about one. */
export function permalinkOf(fields: from.Fields, name: string): string | undefined {
  for (const field of from.meaning(fields, 'permalink')) {
    const address = from.scalar(field.value)?.replace(FILE_SLUG, name)
    if (typeof field.value !== 'string' || !address || PATTERN.test(address)) continue
    from.take(fields, field)
    return address
  }
  return undefined
}

export function addressesOf(
  fields: from.Fields,
  generator: Generator,
  { permalink, isShown, page }: { permalink: string | undefined; isShown: boolean; page: Page },
): { addresses: string[]; otherNames: string[] } {
  const isUnknown = permalink === undefined && from.meaning(fields, 'permalink').some(({ value }) => !!value)
  const made = permalink === undefined && isShown && !isUnknown ? generator.addressOf(page) : undefined
  const isHome = made !== undefined && generator.basePath + made === '/'
  const own = permalink === undefined ? (isHome ? undefined : made) : fromRoot(permalink)
  const written = from.texts(fields, 'aliases')
  const otherNames = generator.name === 'obsidian' ? written.filter((each) => !each.includes('/')) : []
  const aliases = written
    .filter((each) => !otherNames.includes(each))
    .map((each) => aliasOf(each, generator, own))
  return { addresses: [...(own === undefined ? [] : [own]), ...aliases], otherNames }
}

/** To Hugo one is relative to the folder of the page's address, to Jekyll and Zola to the root. */
function aliasOf(alias: string, { name }: Generator, own: string | undefined): string {
  if (name === 'jekyll' || name === 'zola') return fromRoot(alias)
  if (name !== 'hugo' || own === undefined || isAbsolute(alias)) return alias
  return posix.join(posix.dirname(own.replace(/\/$/, '')), alias)
}

const isAbsolute = (address: string) => /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(address)

const fromRoot = (address: string) => (isAbsolute(address) ? address : `/${address}`)

export function lastSegment(address: string): string | undefined {
  const path = address.replace(/^https?:\/\/[^/]*|[?#].*$/gi, '').replace(/\/index\.html?$/i, '')
  const segment = path.split('/').filter(Boolean).at(-1)
  return segment?.replace(/\.html?$/i, '') || undefined
}
