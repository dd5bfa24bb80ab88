/** What posts of the REST API name by an id: terms, pictures, reusable blocks. It is asked for a page of posts at once. */

import { type ReusableBlock, refsIn } from './blocks.ts'
import type { Material } from './body.ts'
import type { Rest } from './rest.ts'
import type { RestPost } from './rest-post.ts'
import { type Attachment, galleriesIn } from './shortcodes.ts'

const PER_PAGE = 100

type Medium = {
  id: number
  source_url?: string
  alt_text?: string
  caption?: { raw?: string; rendered?: string }
}
type Block = { id: number; status?: string; password?: string; content?: { raw?: string } }

export type Related = {
  /** Asks for everything that these posts name and that is not known yet. */
  fetchFor(posts: RestPost[]): Promise<void>
  /** The names of a post's terms, by taxonomy; null for terms that WordPress does not show. */
  termsOf(post: RestPost): Map<string, (string | null)[]>
  materialOf(post: RestPost): Material
}

export async function openRelated(rest: Rest): Promise<Related> {
  const taxonomies = await readTaxonomies(rest)
  const terms = new Map(taxonomies.map(({ route }) => [route, new Map<number, string | null>()]))
  const media = new Map<number, Attachment | null>()
  const blocks = new Map<number, ReusableBlock | null>()
  let uploads = new Map<number, Attachment[]>()

  /** Those that are not there are noted too, so that nobody asks again. */
  async function fetchInto<Item extends { id: number }, Kept>(
    known: Map<number, Kept | null>,
    route: string,
    ids: number[],
    query: Record<string, string>,
    keep: (item: Item) => Kept,
  ): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => id > 0 && !known.has(id))
    for (let at = 0; at < wanted.length; at += PER_PAGE) {
      const include = wanted.slice(at, at + PER_PAGE)
      for (const id of include) known.set(id, null)
      const { body } = await rest.get(route, {
        include: include.join(','),
        per_page: String(PER_PAGE),
        ...query,
      })
      for (const item of Array.isArray(body) ? (body as Item[]) : []) known.set(item.id, keep(item))
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

  return {
    async fetchFor(posts) {
      for (const { field, route } of taxonomies) {
        const ids = posts.flatMap((post) => idsOf(post, field))
        const known = terms.get(route) ?? new Map()
        await fetchInto<{ id: number; name?: string }, string>(
          known,
          route,
          ids,
          { _fields: 'id,name' },
          ({ name = '' }) => name,
        )
      }
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
        const { body } = await rest.get('wp/v2/media', {
          parent: String(id),
          per_page: '100',
          ...MEDIA_QUERY,
        })
        uploads.set(id, (body as Medium[]).map(attachmentOf))
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
    materialOf: ({ id }) => ({
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

/** A post has the ids of its terms in `field`. */
type Taxonomy = { name: string; field: string; route: string }

async function readTaxonomies(rest: Rest): Promise<Taxonomy[]> {
  const { body } = await rest.get('wp/v2/taxonomies')
  const shown = Object.values(
    body as Record<string, { slug?: string; rest_base?: string; rest_namespace?: string }>,
  )
  return shown.flatMap(({ slug, rest_base, rest_namespace = 'wp/v2' }) =>
    slug && rest_base ? [{ name: slug, field: rest_base, route: `${rest_namespace}/${rest_base}` }] : [],
  )
}

function idsOf(post: RestPost, field: string): number[] {
  const ids = post[field as keyof RestPost]
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : []
}

function attachmentOf({ source_url = '', alt_text = '', caption }: Medium): Attachment {
  return { url: source_url, alt: alt_text, caption: caption?.raw ?? caption?.rendered ?? '' }
}
