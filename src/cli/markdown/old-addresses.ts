/** Former addresses of a page: from its front matter, otherwise from its path by the generator's rules. */
import { posix } from 'node:path'
import * as from from './fields.ts'
import type { Generator, Page } from './generators/generator.ts'

/** Eleventy replaces this by the file's name. */
const FILE_SLUG = /\{\{-?\s*(?:page\.)?fileSlug\s*-?\}\}/g
const PATTERN = /\/:|^:|\{\{/

/** Ignores patterns such as `/:year/:title/`. */
export function permalinkOf(fields: from.Fields, name: string): string | undefined {
  for (const field of from.fieldsNamed(fields, 'permalink')) {
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
  const isUnknown =
    permalink === undefined && from.fieldsNamed(fields, 'permalink').some(({ value }) => !!value)
  const made = permalink === undefined && isShown && !isUnknown ? generator.addressOf(page) : undefined
  const isHome = made !== undefined && generator.basePath + made === '/'
  const currentAddress = permalink === undefined ? (isHome ? undefined : made) : fromRoot(permalink)
  const aliasTexts = from.texts(fields, 'aliases')
  const otherNames = generator.name === 'obsidian' ? aliasTexts.filter((each) => !each.includes('/')) : []
  const aliases = aliasTexts
    .filter((each) => !otherNames.includes(each))
    .map((each) => aliasOf(each, generator, currentAddress))
  return { addresses: [...(currentAddress === undefined ? [] : [currentAddress]), ...aliases], otherNames }
}

/** Hugo resolves aliases relative to the page's address, Jekyll and Zola from the root. */
function aliasOf(alias: string, { name }: Generator, currentAddress: string | undefined): string {
  if (name === 'jekyll' || name === 'zola') return fromRoot(alias)
  if (name !== 'hugo' || currentAddress === undefined || isAbsolute(alias)) return alias
  return posix.join(posix.dirname(currentAddress.replace(/\/$/, '')), alias)
}

const isAbsolute = (address: string) => /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(address)

const fromRoot = (address: string) => (isAbsolute(address) ? address : `/${address}`)

export function lastSegment(address: string): string | undefined {
  const path = address.replace(/^https?:\/\/[^/]*|[?#].*$/gi, '').replace(/\/index\.html?$/i, '')
  const segment = path.split('/').filter(Boolean).at(-1)
  return segment?.replace(/\.html?$/i, '') || undefined
}
