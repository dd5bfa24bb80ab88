/** An item of an export as a post. */
import { readDate } from '../convert/values.ts'
import { oldAddressesOf } from './addresses.ts'
import { type Post, titleText } from './article.ts'
import { bodyOf } from './body.ts'
import { type Catalog, languageOf } from './catalog.ts'
import { type Item, itemName } from './export-file.ts'

const OWN_TAXONOMIES = new Set(['category', 'post_tag', 'language', 'post_translations'])
const UNREADABLE = /(?![\t\n\r])\p{Cc}|\uFFFD/gu

/**
 * The post of an item that is in the catalog. Throws an Error with a one-line reason when its body cannot be converted.
 */
export function postOf(item: Item, catalog: Catalog): Post {
  const { number, fields, terms } = item
  const target = catalog.articles.byNumber(number)
  const losses: Post['losses'] = []
  const lose = (field: string, reason: string) => losses.push({ field, reason })
  const text = (name: string) => {
    const written = fields[name] ?? ''
    const readable = written.replace(UNREADABLE, (character) => (character === '\uFFFD' ? character : ''))
    if (UNREADABLE.test(written))
      lose(name, 'it has control characters, or bytes that are not text in its encoding')
    UNREADABLE.lastIndex = 0
    return readable
  }
  const names = (taxonomy: string) =>
    terms.filter((term) => term.taxonomy === taxonomy).map(({ name, slug }) => titleText(name) || slug)

  const id = Number(fields['wp:post_id'])
  const status = fields['wp:status'] ?? 'publish'
  const moved = catalog.articles.moved.get(number)
  if (moved) lose('slug', `${moved.wanted} is taken by item ${moved.rival}: it is ${target?.slug}`)
  const source = catalog.sources.get(number)
  const publishedAt = publishedAtOf(item, status, lose)
  const post: Post = {
    file: itemName(item),
    kind: target?.kind ?? 'posts',
    slug: target?.slug ?? '',
    language: target?.language,
    sourceSlug: source === undefined ? undefined : catalog.articles.byNumber(source)?.slug,
    title: text('title'),
    excerpt: text('excerpt:encoded'),
    body: bodyOf(text('content:encoded'), {
      byId: (attachment) => catalog.attachments.get(attachment),
      ofPost: () => (catalog.uploadedTo.get(id) ?? []).flatMap((each) => catalog.attachments.get(each) ?? []),
    }),
    status,
    hasPassword: Boolean(fields['wp:post_password']),
    publishedAt,
    modifiedAt: (
      wordPressDate(fields['wp:post_modified_gmt']) ?? wordPressDate(fields['wp:post_modified'])
    )?.toISOString(),
    author:
      catalog.authors.get(fields['dc:creator']?.trim() ?? '') ?? (fields['dc:creator']?.trim() || undefined),
    categories: names('category'),
    tags: names('post_tag'),
    image: imageOf(item, catalog, lose),
    link: fields.link?.trim(),
    oldAddresses: oldAddressesOf(fields.link?.trim(), item.oldSlugs, catalog.base),
    losses,
  }
  loseRest(item, lose)
  return post
}

type Lose = (field: string, reason: string) => void

/** `0000-00-00 00:00:00` in UTC means that there is no date yet, or none in UTC. */
function publishedAtOf({ fields }: Item, status: string, lose: Lose): string | undefined {
  const inUtc = wordPressDate(fields['wp:post_date_gmt'])
  if (inUtc) return inUtc.toISOString()
  if (status === 'draft' || status === 'pending') return undefined
  const pubDate = fields.pubDate ?? ''
  const inFeed = / \d{4} /.test(pubDate) ? readDate(pubDate) : null
  if (inFeed) return inFeed.toISOString()
  const local = wordPressDate(fields['wp:post_date'])
  if (local) lose('publishedAt', 'its time zone is not in the file: it is taken as UTC')
  else if (/[^0\s:-]/.test(fields['wp:post_date'] ?? '')) lose('publishedAt', 'its date cannot be read')
  return local?.toISOString()
}

function wordPressDate(text = ''): Date | null {
  return readDate(text.trim())
}

function imageOf({ meta }: Item, { attachments }: Catalog, lose: Lose): string | undefined {
  const id = Number(meta.get('_thumbnail_id') ?? 0)
  const url = attachments.get(id)?.url
  if (id && !url)
    lose('schemaBundle.article.image', `the featured image, attachment ${id}, is not in the file`)
  return url
}

function loseRest(item: Item, lose: Lose): void {
  const { fields, terms } = item
  if (fields['wp:is_sticky'] === '1') lose('wp:is_sticky', 'no post stays on top')
  const parent = Number(fields['wp:post_parent'] ?? 0)
  if (fields['wp:post_type'] === 'page' && parent) lose('wp:post_parent', 'no guide is below another')
  const language = terms.find(({ taxonomy }) => taxonomy === 'language')?.slug
  if (language && languageOf(item) === undefined)
    lose('language', `${JSON.stringify(language)} is not a language code`)
  for (const [taxonomy, own] of Map.groupBy(terms, (term) => term.taxonomy)) {
    if (OWN_TAXONOMIES.has(taxonomy)) continue
    lose(taxonomy, `a taxonomy of a plugin or theme: ${own.map(({ name, slug }) => name || slug).join(', ')}`)
  }
}
