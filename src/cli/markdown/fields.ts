/** Reads the fields of a post from the front matter of any generator. */

import type { Article, Loss } from '../../transfer/source.ts'
import { flagOf, readDate } from '../import/values.ts'
import type { Mapping } from './metadata-lines.ts'

/** Names of each field in generators, in order of preference. */
const NAMES = {
  id: ['id', 'uuid'],
  title: ['title'],
  slug: ['slug'],
  permalink: ['permalink', 'url'],
  aliases: ['aliases', 'alias', 'redirect_from'],
  sourceSlug: ['sourceSlug'],
  language: ['language', 'lang', 'locale'],
  excerpt: ['excerpt', 'summary', 'description'],
  draft: ['draft', 'isDraft', 'is_draft'],
  published: ['published', 'publish', 'isPublished', 'is_published'],
  status: ['status'],
  private: ['private'],
  public: ['public'],
  visibility: ['visibility'],
  password: ['password'],
  headless: ['headless'],
  unlisted: ['unlisted', 'hidden'],
  render: ['build.render'],
  list: ['build.list'],
  leadsTo: ['redirect_to'],
  expiry: ['expiryDate', 'unpublishDate'],
  date: `publishedAt publishDate pubDate date date.created published published_at publishedDate published_date publishedOn
    publish_date pub_date datePublished date_published postDate post_date posted created created_at createdAt dateCreated
    date_created`.split(/\s+/),
  modified:
    `lastmod updated modified last_modified_at updatedDate updatedAt dateModified lastUpdated last_updated
    last_update.date date.updated`.split(/\s+/),
  keywords: ['keywords', 'tags', 'tag'],
  author: ['author', 'authors'],
  section: ['category', 'categories', 'section'],
  image: `image images cover coverImage cover_image hero heroImage hero_image featured_image featuredImage
    feature_image featureImage thumbnail banner ogImage og_image`.split(/\s+/),
  canonical: ['canonical', 'canonicalUrl', 'canonical_url', 'canonicalURL'],
  metaDescription: `metaDescription meta_description seoDescription seo_description seo.metaDescription
    seo.description`.split(/\s+/),
  ogTitle: `ogTitle og_title seoTitle seo_title metaTitle meta_title seo.ogTitle seo.title`.split(' '),
  ogDescription: ['ogDescription', 'og_description', 'seo.ogDescription'],
} satisfies Record<string, string[]>
const KNOWN = new Set(
  Object.values(NAMES)
    .flat()
    .map((name) => name.toLowerCase()),
)

const PLAIN = ['excerpt'] as const satisfies (Name & keyof Article)[]

const SHOWN_STATUSES = new Set(['published', 'publish', 'public', 'live'])
const HIDDEN_STATUSES = new Set(['draft', 'hidden', 'pending', 'private', 'scheduled'])

/** Nested mappings whose members are fields, with their prefix; Hugo's and Zola's have none. */
const NESTED: Record<string, string> = {
  seo: 'seo.',
  date: 'date.',
  build: 'build.',
  _build: 'build.',
  last_update: 'last_update.',
  params: '',
  taxonomies: '',
  extra: '',
}

type Name = keyof typeof NAMES
/** `isInherited` marks a field from another file; `joined` is another file's list to append. */
type Field = { name: string; value: unknown; isInherited: boolean; joined?: unknown }

/** By name in lower case. `taken` has the names of used fields. */
export type Fields = {
  byName: Map<string, Field>
  taken: Set<string>
  isJekyll: boolean
  /** Authors that `author` may refer to. */
  authors: Mapping
  /** For dates without a zone. */
  timeZone: string
  notDates: Set<string>
}

type FieldContext = {
  /** True if spaces separate `tags` and `categories` (https://jekyllrb.com/docs/posts/). */
  isJekyll?: boolean
  authors?: Mapping
  timeZone?: string
  inherited?: { fields: Mapping; joined?: string[] }
}

export function fieldsOf(
  mapping: Mapping,
  { isJekyll = false, authors = {}, timeZone = 'UTC', inherited = { fields: {} } }: FieldContext = {},
): Fields {
  const byName = new Map<string, Field>()
  const add = (prefix: string, from: Mapping, prefixToName: string, isInherited: boolean) => {
    for (const [key, value] of Object.entries(from)) {
      const inner = prefix === '' ? NESTED[key.toLowerCase()] : undefined
      const name = `${prefixToName}${key}`
      const existing = byName.get(name.toLowerCase())
      // MkDocs has several dates in this mapping.
      const isNested = isMapping(value) && (inner !== 'date.' || 'created' in value || 'updated' in value)
      if (inner !== undefined && isNested) add(`${key}.`, value, inner, isInherited)
      else if (!existing) byName.set(name.toLowerCase(), { name: `${prefix}${key}`, value, isInherited })
      else if (isInherited && inherited.joined?.includes(name)) existing.joined = value
    }
  }
  add('', mapping, '', false)
  add('', inherited.fields, '', true)
  return { byName, taken: new Set(), isJekyll, authors, timeZone, notDates: new Set() }
}

export function fieldsNamed(fields: Fields, name: Name): Field[] {
  return NAMES[name].flatMap((each) => fields.byName.get(each.toLowerCase()) ?? [])
}

/** The first text or number among the fields for `name`, trimmed. Marks those with the same value as used. */
export function text(fields: Fields, name: Name): string | undefined {
  let first: string | undefined
  for (const field of fieldsNamed(fields, name)) {
    const value = scalar(field.value)
    if (!value) continue
    first ??= value
    if (value === first) take(fields, field)
  }
  return first
}

export function plainFields(fields: Fields): Pick<Article, (typeof PLAIN)[number]> {
  const entries = PLAIN.map((name) => [name, text(fields, name)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value))
}

/** Distinct texts of the fields for `name`, from lists and comma-separated texts. */
export function texts(fields: Fields, name: Name): string[] {
  const values = fieldsNamed(fields, name).flatMap((field) => {
    const isDivided = fields.isJekyll && /^(?:tags|categories)$/i.test(field.name)
    const listOf = (value: unknown) =>
      Array.isArray(value) ? value.flat().map(scalar) : scalar(value)?.split(isDivided ? /[\s,]+/ : ',')
    const list = listOf(field.value)
    if (list?.every((each) => each !== undefined)) take(fields, field)
    return [...(listOf(field.joined) ?? []), ...(list ?? [])]
  })
  return [...new Set(values.flatMap((value) => value?.trim() || []))]
}

/** From `draft`, `published` and `status`. An unreadable value makes a draft. */
export function status(fields: Fields): 'draft' | 'published' | undefined {
  let isDraft: boolean | undefined
  for (const [name, draftValue] of [
    ['draft', true],
    ['published', false],
  ] as const) {
    for (const field of fieldsNamed(fields, name)) {
      const flag = flagOf(field.value)
      if (flag !== undefined) take(fields, field)
      else if (name === 'published' || !scalar(field.value)) continue
      isDraft = (isDraft ?? false) || flag !== !draftValue
    }
  }
  for (const field of fieldsNamed(fields, 'status')) {
    const value = scalar(field.value)?.toLowerCase()
    if (!value) continue
    const isShown = SHOWN_STATUSES.has(value)
    if (isShown || HIDDEN_STATUSES.has(value)) take(fields, field)
    isDraft = (isDraft ?? false) || !isShown
  }
  return isDraft === undefined ? undefined : isDraft ? 'draft' : 'published'
}

/** RFC 3339 in UTC, as are the next two. */
export const publishedAt = (fields: Fields) => readableDate(fields, 'date')

export const modifiedAt = (fields: Fields) => readableDate(fields, 'modified')

export const expiresAt = (fields: Fields) => readableDate(fields, 'expiry')

/** The first readable date. Records the fields before it that are not dates. */
function readableDate(fields: Fields, name: Name): string | undefined {
  for (const field of fieldsNamed(fields, name)) {
    const { value } = field
    if (value === undefined || value === null || value === '') continue
    if (field.name.toLowerCase() === 'published' && flagOf(value) !== undefined) continue
    // Eleventy computes these from Git or the file system.
    if (/^(?:git )?(?:last modified|created)$/i.test(String(value))) continue
    const at = dateOf(value, fields)
    if (at) {
      take(fields, field)
      return at.toISOString()
    }
    fields.notDates.add(field.name)
  }
  return undefined
}

export function writtenDay(fields: Fields): string | undefined {
  const field = fieldsNamed(fields, 'date').find(({ name }) => fields.taken.has(name))
  return field && /^\d{4}-\d{2}-\d{2}/.exec(dateText(field.value))?.[0]
}

/** True if a date that controls visibility cannot be read. The file's name may have the date, too. */
export function isUndated(fields: Fields, isDatedByName: boolean): boolean {
  return (['date', 'expiry'] as const).some((name) => {
    if (name === 'date' && isDatedByName) return false
    readableDate(fields, name)
    return fieldsNamed(fields, name).some((field) => fields.notDates.has(field.name))
  })
}

export function take({ taken }: Fields, { name }: Pick<Field, 'name'>): void {
  taken.add(name)
}

export function untaken({ byName, taken, notDates }: Fields): Omit<Loss, 'file'>[] {
  return [...byName].flatMap(([key, { name, value, isInherited }]) => {
    if (isInherited || taken.has(name) || value === null || value === '' || value === undefined) return []
    if (Array.isArray(value) && value.length === 0) return []
    const detail = scalar(value)
    if (notDates.has(name)) return [{ field: name, reason: 'not a date', ...(detail && { detail }) }]
    const reason = KNOWN.has(key)
      ? 'its value cannot be read, or another field with that meaning is used'
      : 'posts have no such field'
    return [{ field: name, reason }]
  })
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

export function scalar(value: unknown): string | undefined {
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return undefined
  return String(value).trim()
}

const YAML_TIME = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d+)?$/

/** Jekyll reads YAML times without a zone as UTC (https://github.com/jekyll/jekyll/issues/9278). */
function dateOf(value: unknown, { isJekyll, timeZone }: Fields): Date | null {
  const text = dateText(value)
  return readDate(text, isJekyll && YAML_TIME.test(text) ? 'UTC' : timeZone, isJekyll)
}

function dateText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value ?? '').trim()
}
