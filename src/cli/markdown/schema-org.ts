/** What schema.org says of an article: author, section, image, canonical address and the time of its last change. */

import type { Fields } from './fields.ts'
import * as from from './fields.ts'
import type { Mapping } from './front-matter.ts'

type Loss = { field: string; reason: string }

const IMAGE_ADDRESSES = ['src', 'url', 'image', 'path', 'href']
const REASON = 'no field of a post'

/** The members of `schemaBundle.article` that front matter gives, and the members of its values that are lost. */
export function articleOf(fields: Fields): { article: Record<string, unknown>; losses: Loss[] } {
  const losses: Loss[] = []
  const known = (author: unknown) => {
    const person = typeof author === 'string' ? fields.authors[author] : undefined
    return from.isMapping(person) && from.scalar(person.name) ? onlyPerson(person) : author
  }
  const image = each(fields, 'image', (value, name) => imageOf(value, name, losses))
  const author = each(fields, 'author', (value, name) => personOf(known(value), name, losses))
  const section = from.texts(fields, 'section')
  const canonical = canonicalOf(fields)
  const dateModified = from.modifiedAt(fields)
  const article = {
    ...(author.length > 0 && { author: oneOrAll(author) }),
    ...(section.length > 0 && { articleSection: oneOrAll(section) }),
    ...(image.length > 0 && { image: oneOrAll(image) }),
    ...(canonical && { mainEntityOfPage: { '@type': 'WebPage', '@id': canonical } }),
    ...(dateModified && { dateModified }),
  }
  return { article, losses }
}

/** The values of the first field of a meaning that has some; other fields of that meaning are taken if they say the same. */
function each(
  fields: Fields,
  name: 'image' | 'author',
  read: (value: unknown, field: string) => unknown | undefined,
): unknown[] {
  let first: unknown[] | undefined
  for (const field of from.meaning(fields, name)) {
    const values = [field.value].flat().map((value) => read(value, field.name))
    if (values.length === 0 || values.includes(undefined)) continue
    first ??= values
    if (JSON.stringify(values) === JSON.stringify(first)) from.take(fields, field)
  }
  return first ?? []
}

/** What is kept of an entry that all articles share; the rest is not about an article. */
function onlyPerson({ name, url }: Mapping): Mapping {
  return { name, ...(from.scalar(url) && { url }) }
}

function personOf(value: unknown, field: string, losses: Loss[]): unknown {
  const name = from.scalar(value)
  if (name) return { '@type': 'Person', name }
  if (!from.isMapping(value) || !from.scalar(value.name)) return undefined
  const url = from.scalar(value.url)
  nameLost(value, ['name', 'url'], field, losses)
  return { '@type': 'Person', name: from.scalar(value.name), ...(url && { url }) }
}

function imageOf(value: unknown, field: string, losses: Loss[]): unknown {
  const address = from.scalar(value)
  if (address) return address
  if (!from.isMapping(value)) return undefined
  const member = IMAGE_ADDRESSES.find((name) => from.scalar(value[name]))
  if (member === undefined) return undefined
  const url = from.scalar(value[member])
  const caption = from.scalar(value.caption) || from.scalar(value.alt)
  const textName = from.scalar(value.caption) ? 'caption' : 'alt'
  nameLost(value, [member, textName], field, losses)
  return caption ? { '@type': 'ImageObject', url, caption } : url
}

function nameLost(value: Mapping, kept: string[], field: string, losses: Loss[]): void {
  for (const [name, member] of Object.entries(value)) {
    if (!kept.includes(name) && member !== null && member !== '') {
      losses.push({ field: `${field}.${name}`, reason: REASON })
    }
  }
}

function canonicalOf(fields: Fields): string | undefined {
  for (const field of from.meaning(fields, 'canonical')) {
    const address = from.scalar(field.value)
    if (!address || !/^https?:\/\//i.test(address) || !URL.canParse(address)) continue
    from.take(fields, field)
    return address
  }
  return undefined
}

const oneOrAll = (values: unknown[]) => (values.length === 1 ? values[0] : values)
