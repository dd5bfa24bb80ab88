import {
  imageObject,
  type KnownMetadata,
  type Metadata,
  oneOrAll,
} from '../../content/model/post-metadata.ts'
import type { Fields } from './fields.ts'
import * as from from './fields.ts'
import type { Mapping } from './metadata-lines.ts'

type Loss = { field: string; reason: string; detail?: string }
type Person = NonNullable<Metadata['authors']>[number]
type Image = NonNullable<Metadata['image']> & { caption?: string }

const IMAGE_ADDRESSES = ['src', 'url', 'image', 'path', 'href']
const REASON = 'posts have no such field'

/** `article` has metadata that only schema.org can express: further images, and captions unlike the alt text. */
export function metadataOf(fields: Fields): {
  metadata: KnownMetadata
  article: Record<string, unknown>
  losses: Loss[]
} {
  const losses: Loss[] = []
  const known = (author: unknown) => {
    const person = typeof author === 'string' ? fields.authors[author] : undefined
    return from.isMapping(person) && from.scalar(person.name) ? onlyPerson(person) : author
  }
  const images = each(fields, 'image', (value, name) => imageOf(value, name, losses))
  const [image] = images
  const metadata = {
    authors: each(fields, 'author', (value, name) => personOf(known(value), name, losses)),
    image: image && withoutCaption(image),
    categories: from.texts(fields, 'section'),
    tags: from.texts(fields, 'keywords'),
    canonicalUrl: canonicalOf(fields),
    modifiedAt: from.modifiedAt(fields),
  }
  const isMore = images.length > 1 || image?.caption
  const all = images.map(({ url, alt, caption }) => imageObject(url, caption || alt))
  return { metadata, article: isMore ? { image: oneOrAll(all) } : {}, losses }
}

/** Values of the first non-empty field for `name`. Fields with the same values count as used. */
function each<Value>(
  fields: Fields,
  name: 'image' | 'author',
  read: (value: unknown, field: string) => Value | undefined,
): Value[] {
  let first: Value[] | undefined
  for (const field of from.fieldsNamed(fields, name)) {
    const values = [field.value].flat().flatMap((value) => read(value, field.name) ?? [])
    if (values.length === 0 || values.length < [field.value].flat().length) continue
    first ??= values
    if (JSON.stringify(values) === JSON.stringify(first)) from.take(fields, field)
  }
  return first ?? []
}

/** The rest of a shared author entry is not about the article. */
function onlyPerson({ name, url }: Mapping): Mapping {
  return { name, ...(from.scalar(url) && { url }) }
}

function personOf(value: unknown, field: string, losses: Loss[]): Person | undefined {
  const name = from.scalar(value)
  if (name) return { name }
  if (!from.isMapping(value)) return undefined
  const { name: written, url } = value
  const own = from.scalar(written)
  if (!own) return undefined
  nameLost(value, ['name', 'url'], field, losses)
  return { name: own, ...(from.scalar(url) && { url: from.scalar(url) }) }
}

function imageOf(value: unknown, field: string, losses: Loss[]): Image | undefined {
  const address = from.scalar(value)
  if (address) return { url: address }
  if (!from.isMapping(value)) return undefined
  const member = IMAGE_ADDRESSES.find((name) => from.scalar(value[name]))
  const url = member && from.scalar(value[member])
  if (!url) return undefined
  nameLost(value, [member, 'caption', 'alt'], field, losses)
  const [alt, caption] = [from.scalar(value.alt), from.scalar(value.caption)]
  return { url, ...(alt && { alt }), ...(caption && { caption }) }
}

const withoutCaption = ({ caption: _, ...image }: Image) => image

function nameLost(value: Mapping, kept: string[], field: string, losses: Loss[]): void {
  for (const [name, member] of Object.entries(value)) {
    if (!kept.includes(name) && member !== null && member !== '') {
      losses.push({ field: `${field}.${name}`, reason: REASON })
    }
  }
}

function canonicalOf(fields: Fields): string | undefined {
  for (const field of from.fieldsNamed(fields, 'canonical')) {
    const address = from.scalar(field.value)
    if (!address || !/^https?:\/\//i.test(address) || !URL.canParse(address)) continue
    from.take(fields, field)
    return address
  }
  return undefined
}
