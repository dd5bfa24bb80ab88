/** Loads what posts of the REST API refer to by id: terms, images, reusable blocks. One batch per page of posts. */

import { Failure } from '../../transfer/failure.ts'
import { type ReusableBlock, refsIn } from './blocks.ts'
import type { Material } from './body.ts'
import { AUTHORS } from './catalog.ts'
import { FOOTNOTES_KEY } from './footnotes.ts'
import { isTooMuch } from './list.ts'
import type { Rest } from './rest.ts'
import { objectOf, type RestPost, stringOf } from './rest-shape.ts'
import { type Attachment, galleriesIn } from './shortcodes.ts'

const PER_PAGE = 100
/** For a WordPress that cannot handle more. */
const MIN_PER_PAGE = 10
/** Statuses of routes without access. */
const REFUSALS = new Set([401, 403, 404])

type Medium = {
  id: number
  source_url?: string
  alt_text?: string
  caption?: { raw?: string; rendered?: string }
}
type Query = Record<string, string>
type Block = { id: number; status?: string; password?: string; content?: { raw?: string } }

export type Related = {
  fetchFor(posts: RestPost[]): Promise<void>
  termsOf(post: RestPost): Map<string, (string | null)[]>
  materialOf(post: RestPost): Material
  /** Authors in Co-Authors Plus, by display name if it shows one. */
  coAuthorsOf(post: RestPost): string[]
  /** False if WordPress does not list its taxonomies. */
  hasTaxonomies: boolean
}

export async function openRelated(rest: Rest): Promise<Related> {
  const listed = await readTaxonomies(rest)
  const taxonomies = listed ?? OWN_TAXONOMIES
  const terms = new Map(taxonomies.map(({ route }) => [route, new Map<number, string | null>()]))
  const media = new Map<number, Attachment | null>()
  const blocks = new Map<number, ReusableBlock | null>()
  let uploads = new Map<number, Attachment[]>()
  let perPage = PER_PAGE
  /** By login; null if the plugin does not show it. */
  const displayed = new Map<string, string | null>()

  /** Caches missing items, too. */
  async function fetchInto<Item extends { id: number }, Kept>(
    known: Map<number, Kept | null>,
    route: string,
    ids: number[],
    query: Record<string, string>,
    keep: (item: Item) => Kept,
  ): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => id > 0 && !known.has(id))
    for (let at = 0; at < wanted.length; ) {
      const include = wanted.slice(at, at + perPage)
      const body = await getOrShrink(route, { include: include.join(',') }, query)
      if (body === undefined) continue
      at += include.length
      for (const id of include) known.set(id, null)
      for (const item of Array.isArray(body) ? (body as Item[]) : [])
        if (Number.isInteger(objectOf(item)?.id)) known.set(item.id, keep(item))
    }
  }

  /** Undefined after a page that was too large; then the next one is smaller. Null if WordPress refuses. */
  async function getOrShrink(route: string, wanted: Query, query: Query): Promise<unknown> {
    try {
      return (await rest.get(route, { ...wanted, per_page: String(perPage), ...query })).body
    } catch (error) {
      if (isRefusal(error)) return null
      if (!isTooMuch(error) || perPage === MIN_PER_PAGE) throw error
      perPage = MIN_PER_PAGE
      return undefined
    }
  }

  async function fetchBlocks(ids: number[]): Promise<void> {
    for (let next = ids; next.length > 0; ) {
      const fresh = next.filter((id) => !blocks.has(id))
      await fetchInto<Block, ReusableBlock>(blocks, 'wp/v2/blocks', fresh, BLOCK_QUERY, (block) => ({
        content: block.content?.raw ?? '',
        isHidden: block.status !== 'publish' || Boolean(block.password),
      }))
      next = fresh.flatMap((id) => refsIn(blocks.get(id)?.content ?? ''))
    }
  }

  /** Terms of Co-Authors Plus have only logins. */
  async function fetchDisplayNames(posts: RestPost[]): Promise<void> {
    for (const login of new Set(posts.flatMap(loginsOf))) {
      if (displayed.has(login)) continue
      const route = `coauthors/v1/coauthors/${encodeURIComponent(login)}`
      const body = await rest.get(route).then(
        (answer) => answer.body,
        () => null,
      )
      displayed.set(login, stringOf(objectOf(body)?.display_name) || null)
    }
  }

  function loginsOf(post: RestPost): string[] {
    const { field, route } = taxonomies.find(({ name }) => name === AUTHORS) ?? {}
    if (!field || !route) return []
    return idsOf(post, field).flatMap((id) => terms.get(route)?.get(id) ?? [])
  }

  async function uploadsOf(post: number): Promise<Medium[]> {
    const found = new Map<number, Medium>()
    for (let page = 1; ; page++) {
      const size = perPage
      const query = page === 1 ? MEDIA_QUERY : { ...MEDIA_QUERY, page: String(page) }
      const body = await getOrShrink('wp/v2/media', { parent: String(post) }, query)
      if (body === undefined) page = 0
      else {
        const media = (Array.isArray(body) ? body : []).filter((each) => objectOf(each)) as Medium[]
        for (const each of media) found.set(each.id, each)
        if (media.length < size) return [...found.values()]
      }
    }
  }

  return {
    hasTaxonomies: listed !== null,
    async fetchFor(posts) {
      for (const { field, route } of taxonomies) {
        const ids = posts.flatMap((post) => idsOf(post, field))
        const known = terms.get(route) ?? new Map()
        await fetchInto<{ id: number; name?: string }, string>(
          known,
          route,
          ids,
          { _fields: 'id,name' },
          ({ name }) => stringOf(name) ?? '',
        )
      }
      await fetchDisplayNames(posts)
      const raw = posts.map(({ id, content }) => ({ id, text: content?.raw ?? '' }))
      await fetchBlocks(raw.flatMap(({ text }) => refsIn(text)))
      uploads = new Map()
      for (const { id, text } of raw) {
        const galleries = galleriesIn(
          [text, ...refsIn(text).map((ref) => blocks.get(ref)?.content)].join('\n'),
        )
        await fetchInto<Medium, Attachment>(
          media,
          'wp/v2/media',
          galleries.flatMap((ids) => ids ?? []),
          MEDIA_QUERY,
          attachmentOf,
        )
        if (!galleries.includes(null)) continue
        uploads.set(id, (await uploadsOf(id)).map(attachmentOf))
      }
    },
    termsOf(post) {
      return new Map(
        taxonomies.map(({ name, field, route }) => [
          name,
          idsOf(post, field).map((id) => terms.get(route)?.get(id) ?? null),
        ]),
      )
    },
    coAuthorsOf(post) {
      const logins = loginsOf(post)
      // A post with one author already has the display name.
      if (logins.length === 1 && !displayed.get(logins[0]!)) return []
      return logins.map((login) => displayed.get(login) ?? login)
    },
    materialOf: ({ id, meta }) => ({
      footnotes: stringOf(objectOf(meta)?.[FOOTNOTES_KEY]) ?? '',
      byId: (attachment) => media.get(attachment) ?? undefined,
      ofPost: () => uploads.get(id) ?? [],
      block: (ref) => blocks.get(ref) ?? undefined,
    }),
  }
}

const BLOCK_QUERY = { context: 'edit', status: 'any', _fields: 'id,status,password,content' }
const MEDIA_QUERY = {
  ...{ context: 'edit', orderby: 'id', order: 'asc' },
  _fields: 'id,source_url,alt_text,caption',
}

/** `field` is the property of posts with their term ids. */
type Taxonomy = { name: string; field: string; route: string }

const OWN_TAXONOMIES: Taxonomy[] = [
  { name: 'category', field: 'categories', route: 'wp/v2/categories' },
  { name: 'post_tag', field: 'tags', route: 'wp/v2/tags' },
]

/** Null if WordPress refuses. */
async function readTaxonomies(rest: Rest): Promise<Taxonomy[] | null> {
  const body = await getUnlessRefused(rest, 'wp/v2/taxonomies')
  if (body === null) return null
  return Object.values(objectOf(body) ?? {}).flatMap((each) => {
    const { slug, rest_base: field, rest_namespace } = objectOf(each) ?? {}
    const isTaxonomy = typeof slug === 'string' && typeof field === 'string' && slug && field
    return isTaxonomy ? [{ name: slug, field, route: `${stringOf(rest_namespace) ?? 'wp/v2'}/${field}` }] : []
  })
}

export async function getUnlessRefused(rest: Rest, route: string): Promise<unknown> {
  try {
    return (await rest.get(route)).body
  } catch (error) {
    if (isRefusal(error)) return null
    throw error
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Failure && REFUSALS.has(error.status ?? 0)
}

function idsOf(post: RestPost, field: string): number[] {
  const ids = post[field as keyof RestPost]
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : []
}

function attachmentOf({ source_url, alt_text, caption }: Medium): Attachment {
  const { raw, rendered } = objectOf(caption) ?? {}
  return {
    url: stringOf(source_url) ?? '',
    alt: stringOf(alt_text) ?? '',
    caption: stringOf(raw) ?? stringOf(rendered) ?? '',
  }
}
