/** Validates responses of the REST API: plugins and errors put values of other types anywhere. */
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

/** The fields that we read; plugins add the last ones. */
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

/** Undefined without an id. */
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

/** Items without access are replaced by errors. */
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
