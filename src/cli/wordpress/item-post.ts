import type { CheckHtml } from '../../convert/limits.ts'
import type { Lose } from '../import/losses.ts'
import { readDate } from '../import/values.ts'
import { oldAddressesOf } from './addresses.ts'
import { type Post, readable, titleText } from './article.ts'
import { bodyOf } from './body.ts'
import { AUTHORS, type Catalog, type KnownBlock, languageOf, otherFields } from './catalog.ts'
import { type Item, idOf, itemName } from './export-file.ts'
import { FOOTNOTES_KEY } from './footnotes.ts'
import { losing } from './post-loss.ts'
import type { Attachment } from './shortcodes.ts'
import { wordPressDate, type Zone } from './zone.ts'

const OWN_TAXONOMIES = new Set([AUTHORS, 'category', 'post_tag', 'language', 'post_translations'])

/** The item must be in the catalog. @throws Error with a one-line reason when its body cannot be converted */
export function postOf(item: Item, catalog: Catalog, checkHtml: CheckHtml = () => {}): Post {
  const { number, fields, terms } = item
  const target = catalog.articles.byNumber(number)
  const losses: Post['losses'] = []
  const lose = losing(losses)
  const text = (name: string) => readable(fields[name] ?? '', name, lose)
  const names = (taxonomy: string) =>
    terms.filter((term) => term.taxonomy === taxonomy).map(({ name, slug }) => titleText(name) || slug)

  const id = idOf(item)
  const status = fields['wp:status'] ?? 'publish'
  const moved = catalog.articles.moved.get(number)
  if (moved)
    lose(
      'slug',
      'the slug is taken by another post or guide',
      `${moved.wanted} by item ${moved.rival}: it is ${target?.slug}`,
    )
  const source = catalog.sources.get(number)
  const publishedAt = publishedAtOf(item, status, catalog.zone, lose)
  const post: Post = {
    file: itemName(item),
    id,
    kind: target?.kind ?? 'posts',
    slug: target?.slug ?? '',
    language: target?.language,
    sourceSlug: source === undefined ? undefined : catalog.articles.byNumber(source)?.slug,
    title: text('title'),
    excerpt: text('excerpt:encoded'),
    body: bodyOf(text('content:encoded'), {
      byId: (attachment) => catalog.attachments.get(attachment),
      ofPost: () => (catalog.uploadedTo.get(id) ?? []).flatMap((each) => catalog.attachments.get(each) ?? []),
      block: (ref) => shown(catalog.blocks.get(ref)),
      footnotes: item.meta.get(FOOTNOTES_KEY) ?? '',
      checkHtml,
    }),
    status,
    hasPassword: Boolean(fields['wp:post_password']),
    publishedAt,
    modifiedAt: (
      wordPressDate(fields['wp:post_modified_gmt']) ??
      localInstant(fields['wp:post_modified'], 'modifiedAt', catalog.zone, lose)
    )?.toISOString(),
    authors: authorsOf(item, catalog),
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

function authorsOf({ terms, fields }: Item, { authors, guests }: Catalog): string[] {
  const coAuthors = terms
    .filter(({ taxonomy }) => taxonomy === AUTHORS)
    .map(({ name, slug }) => {
      const login = slug.replace(/^cap-/, '')
      return guests.get(login) ?? authors.get(name) ?? authors.get(login) ?? (titleText(name) || login)
    })
  if (coAuthors.length > 0) return coAuthors
  const login = fields['dc:creator']?.trim() ?? ''
  return [authors.get(login) ?? login].filter(Boolean)
}

function shown(block: KnownBlock | undefined): KnownBlock | undefined {
  if (block) block.isShown = true
  return block
}

/** A draft has a date only if someone set one. */
function publishedAtOf({ fields }: Item, status: string, zone: Zone, lose: Lose): string | undefined {
  const inUtc = wordPressDate(fields['wp:post_date_gmt'])
  if (inUtc) return inUtc.toISOString()
  if (status === 'draft' || status === 'pending') return undefined
  const pubDate = fields.pubDate ?? ''
  const inFeed = / \d{4} /.test(pubDate) ? readDate(pubDate) : null
  if (inFeed) return inFeed.toISOString()
  return localInstant(fields['wp:post_date'], 'publishedAt', zone, lose)?.toISOString()
}

function localInstant(written = '', field: string, zone: Zone, lose: Lose): Date | null {
  const local = wordPressDate(written)
  const instant = zone.instantOf(written)
  if (instant) lose(field, 'its time zone is not in the file: the one of other times is used')
  else if (local) lose(field, 'its time zone is not in the file: UTC is assumed')
  else if (/[^0\s:-]/.test(written)) lose(field, 'its date cannot be read')
  return instant ?? local
}

function imageOf({ meta }: Item, { attachments }: Catalog, lose: Lose): Attachment | undefined {
  const id = Number(meta.get('_thumbnail_id') ?? 0)
  const attachment = attachments.get(id)
  if (id && !attachment) lose('image', 'the featured image is not in this import', `attachment ${id}`)
  return attachment
}

function loseRest(item: Item, lose: Lose): void {
  const { fields, terms } = item
  if (fields['wp:is_sticky'] === '1') lose('wp:is_sticky', 'posts cannot be pinned')
  const parent = Number(fields['wp:post_parent'] ?? 0)
  if (fields['wp:post_type'] === 'page' && parent) lose('wp:post_parent', 'guides cannot be nested')
  const language = terms.find(({ taxonomy }) => taxonomy === 'language')?.slug
  if (language && languageOf(item) === undefined)
    lose('language', 'not a language code', JSON.stringify(language))
  for (const [taxonomy, own] of Map.groupBy(terms, (term) => term.taxonomy)) {
    if (OWN_TAXONOMIES.has(taxonomy)) continue
    lose(taxonomy, 'a taxonomy of a plugin or theme', own.map(({ name, slug }) => name || slug).join(', '))
  }
  for (const key of otherFields(item)) lose(key, 'a custom field')
}
