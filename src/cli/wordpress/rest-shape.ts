/** Answers of the REST API as they are read: plugins and errors put values of other types in any place. */
type Json = Record<string, unknown>

type Rendered = { rendered?: string; raw?: string; protected?: boolean }
type Embedded = {
  author?: { name?: string }[]
  'wp:featuredmedia'?: {
    source_url?: string
    alt_text?: string
    media_details?: { width?: number; height?: number }
  }[]
}

/** The fields that we read; the last ones are of plugins. */
export type RestPost = {
  id: number
  slug: string
  link?: string
  status: string
  title?: Rendered
  content?: Rendered
  excerpt?: Rendered
  password?: string
  date?: string | null
  date_gmt?: string | null
  modified?: string | null
  modified_gmt?: string | null
  featured_media?: number
  parent?: number
  sticky?: boolean
  format?: string
  meta?: Record<string, unknown> | unknown[]
  _embedded?: Embedded
  lang?: string
  translations?: Record<string, number>
  yoast_head_json?: Record<string, unknown>
}

/** The fields by type. One of another type counts as missing. */
const STRINGS = [
  'slug',
  'link',
  'status',
  'password',
  'date',
  'date_gmt',
  'modified',
  'modified_gmt',
  'format',
  'lang',
]
const NUMBERS = ['featured_media', 'parent']
const OBJECTS = ['title', 'content', 'excerpt', 'meta', '_embedded', 'translations', 'yoast_head_json']
const RENDERED = ['title', 'content', 'excerpt']

/** Undefined for what has no id, and so is no post. */
export function shapedPost(value: unknown): RestPost | undefined {
  const given = objectOf(value)
  if (!Number.isInteger(given?.id)) return undefined
  const post = { slug: '', status: 'publish', ...given }
  for (const name of STRINGS) if (typeof post[name as 'slug'] !== 'string') drop(post, name)
  for (const name of NUMBERS) if (typeof (post as Json)[name] !== 'number') drop(post, name)
  for (const name of OBJECTS) if (!objectOf((post as Json)[name])) drop(post, name)
  for (const name of RENDERED) shapeRendered((post as Json)[name])
  shapeEmbedded((post as Json)._embedded as Json | undefined)
  const { translations } = post as { translations?: Json }
  for (const [language, id] of Object.entries(translations ?? {}))
    if (typeof id !== 'number') delete translations?.[language]
  return { ...post, slug: post.slug ?? '', status: post.status ?? 'publish' } as RestPost
}

/** An object that is no list; undefined for all else. */
export function objectOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function drop(post: object, name: string): void {
  delete (post as Json)[name]
}

function shapeRendered(value: unknown): void {
  const given = objectOf(value)
  for (const name of ['raw', 'rendered']) if (given && typeof given[name] !== 'string') delete given[name]
}

/** Where something may not be read, an error stands in its place. */
function shapeEmbedded(embedded: Json | undefined): void {
  if (!embedded) return
  const author = listOf(embedded.author).map(({ name }) => ({ name: stringOf(name) }))
  const media = listOf(embedded['wp:featuredmedia']).map(({ source_url, alt_text, media_details }) => {
    const { width, height } = objectOf(media_details) ?? {}
    return {
      source_url: stringOf(source_url),
      alt_text: stringOf(alt_text),
      media_details: { width: sizeOf(width), height: sizeOf(height) },
    }
  })
  Object.assign(embedded, { author, 'wp:featuredmedia': media })
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.map((each) => objectOf(each) ?? {}) : []
}

function sizeOf(value: unknown): number | undefined {
  return Number.isInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined
}
