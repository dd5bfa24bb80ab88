/** The first pass over an export: collects the data that posts need from other items, and what is left out. */

import type { ArticleKind } from '../../content/model/article-filters.ts'
import { languageTag } from '../import/languages.ts'
import type { Reason } from '../import/losses.ts'
import { pathOf } from './addresses.ts'
import { titleText } from './article.ts'
import { type ArticleIndex, articleIndexBuilder, copyOf } from './article-index.ts'
import type { ReusableBlock } from './blocks.ts'
import { type Ending, type Item, idOf, itemName, readExport } from './export-file.ts'
import { FOOTNOTES_KEY } from './footnotes.ts'
import type { PostLoss } from './post-loss.ts'
import { SEO_KEYS } from './seo.ts'
import type { Attachment } from './shortcodes.ts'
import { slugOf } from './slug.ts'
import { groupOf, type Member, sourcesOf, WPML_KEYS } from './translations.ts'
import { openZone, type Zone } from './zone.ts'

/** Total of all reusable blocks, which stay in memory. */
const MAX_BLOCK_BYTES = 32 * 2 ** 20
const LANGUAGE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/
const EDITOR_FIELDS = new Set(['_edit_last', '_edit_lock', '_pingme', '_encloseme'])
const CACHED = /^_oembed_/
const READ_KEYS = new Set([...SEO_KEYS, ...WPML_KEYS, '_thumbnail_id', FOOTNOTES_KEY, ...EDITOR_FIELDS])

/** Taxonomy of Co-Authors Plus, and the type of its authors without an account. */
export const AUTHORS = 'author'
const GUEST = 'guest-author'

export type CatalogOptions = { pages: 'guides' | 'none'; language?: string; defaultLanguage: string }

export type KnownBlock = ReusableBlock & { name: string; isShown: boolean }

export type Catalog = {
  base: URL | null
  siteName: string
  authors: Map<string, string>
  /** Display names of Co-Authors Plus's guest authors, by the end of their term's slug. */
  guests: Map<string, string>
  attachments: Map<number, Attachment>
  /** Ids of uploads by post id. */
  uploadedTo: Map<number, number[]>
  mediaHosts: Set<string>
  /** Numbered like their items. */
  articles: ArticleIndex
  /** Number of the original by number of the translation. */
  sources: Map<number, number>
  skipped: Map<number, string>
  blocks: Map<number, KnownBlock>
  zone: Zone
  comments: number
  ending: Ending
}

export async function readCatalog(
  path: string,
  shownPath: string,
  options: CatalogOptions,
): Promise<Catalog> {
  const channel: Record<string, string> = {}
  const builder = articleIndexBuilder()
  const catalog: Catalog = {
    base: null,
    siteName: '',
    authors: new Map(),
    guests: new Map(),
    attachments: new Map(),
    uploadedTo: new Map(),
    mediaHosts: new Set(),
    articles: builder.build(''),
    sources: new Map(),
    skipped: new Map(),
    blocks: new Map(),
    zone: openZone(),
    comments: 0,
    ending: { isExport: false, declares: false, cutOff: null },
  }
  const groups = new Map<string, Member[]>()
  let blockBytes = 0
  const parts = readExport(path, shownPath)
  for (let next = await parts.next(); ; next = await parts.next()) {
    if (next.done) {
      catalog.ending = next.value
      break
    }
    if ('channel' in next.value) addChannel(channel, catalog, next.value)
    else addItem(next.value.item)
  }
  catalog.siteName = titleText(channel.title ?? '')
  catalog.base = baseOf(channel)
  settleAttachments(catalog)
  const language = defaultLanguage(options, channel.language)
  catalog.articles = builder.build(language)
  for (const [number, first] of catalog.articles.repeated) {
    catalog.skipped.set(number, `it has the same id as item ${first}, which is imported`)
  }
  catalog.sources = sourcesOf(groups.values(), language)
  return catalog

  function addItem(item: Item): void {
    const { number, fields } = item
    catalog.zone.add(item)
    if (fields['wp:post_type'] === 'attachment') addAttachment(catalog, item)
    if (fields['wp:post_type'] === 'wp_block') addBlock(item)
    if (fields['wp:post_type'] === GUEST) addGuest(catalog, item)
    const kind = kindOf(item, options.pages)
    if (typeof kind !== 'string') return
    if (item.isTooLarge) {
      catalog.skipped.set(number, 'larger than 8 MiB')
      return
    }
    catalog.comments += item.comments
    const id = idOf(item)
    const language = languageOf(item)
    const link = URL.parse(fields.link ?? '')
    builder.add({
      number,
      id,
      kind,
      slug: slugOf(fields['wp:post_name'] ?? '', fields.title ?? '', kind, id),
      isPublic: fields['wp:status'] === 'publish',
      language,
      path: link ? pathOf(link) : '',
    })
    const group = groupOf(item)
    if (group) {
      const members = groups.get(group.name) ?? []
      if (members.length === 0) groups.set(copyOf(group.name), members)
      members.push({ number, kind, language, isOriginal: group.isOriginal })
    }
  }

  function addBlock(item: Item): void {
    const content = item.fields['content:encoded'] ?? ''
    blockBytes += content.length
    if (item.isTooLarge || blockBytes > MAX_BLOCK_BYTES) return
    const { 'wp:post_id': id, 'wp:status': status, 'wp:post_password': password } = item.fields
    catalog.blocks.set(Number(id), {
      content: copyOf(content),
      isHidden: status !== 'publish' || Boolean(password),
      name: copyOf(itemName(item)),
      isShown: false,
    })
  }
}

export function otherFields({ meta }: Item): string[] {
  return [...meta.keys()].filter((key) => !READ_KEYS.has(key) && !CACHED.test(key))
}

export function kindOf({ fields }: Item, pages: CatalogOptions['pages']): ArticleKind | PostLoss {
  const type = fields['wp:post_type'] ?? 'post'
  const status = fields['wp:status'] ?? 'publish'
  if (type !== 'post' && type !== 'page')
    return { field: type, reason: NOT_ARTICLES[type] ?? 'neither a post nor a page' }
  if (status === 'trash') return { field: 'wp:status', reason: 'in the trash' }
  if (status === 'auto-draft' || status === 'inherit') {
    return { field: 'wp:status', reason: 'an internal status of WordPress', detail: status }
  }
  if (type === 'post') return 'posts'
  return pages === 'guides' ? 'guides' : { field: 'page', reason: 'a page: --pages guides imports it' }
}

/** From Polylang or WPML. */
export function languageOf({ terms, meta }: Item): string | undefined {
  const written =
    meta.get('_wpml_import_language_code') ?? terms.find(({ taxonomy }) => taxonomy === 'language')?.slug
  const tag = written && languageTag(written.trim())
  return tag && LANGUAGE.test(tag) && tag.length <= 35 ? copyOf(tag) : undefined
}

const NOT_ARTICLES: Record<string, Reason> = {
  attachment: 'an upload: its file is not moved, and its page is left out',
  [GUEST]: 'an author: only the name is kept, with the posts',
  nav_menu_item: 'an entry of a menu',
  revision: 'a revision',
}

function addChannel(
  channel: Record<string, string>,
  catalog: Catalog,
  { channel: name, fields }: { channel: string; fields: Record<string, string> },
): void {
  const { 'wp:author_login': login, 'wp:author_display_name': displayed } = fields
  if (name === 'wp:author' && login)
    catalog.authors.set(copyOf(login.trim()), copyOf(titleText(displayed ?? '') || login))
  else if (fields[name]) channel[name] ??= copyOf(fields[name].trim())
}

function addGuest({ guests }: Catalog, { fields, meta }: Item): void {
  const name = titleText(meta.get('cap-display_name') || fields.title || '')
  const logins = [meta.get('cap-user_login'), fields['wp:post_name']?.replace(/^cap-/, '')]
  for (const login of logins) if (login && name) guests.set(copyOf(login.trim()), copyOf(name))
}

function addAttachment({ attachments, uploadedTo }: Catalog, { fields, meta }: Item): void {
  const id = Number(fields['wp:post_id'])
  const url = (fields['wp:attachment_url'] || fields.guid)?.trim()
  if (!id || !url) return
  const alt = meta.get('_wp_attachment_image_alt') ?? ''
  attachments.set(id, {
    url: copyOf(url),
    alt: copyOf(alt),
    caption: copyOf(fields['excerpt:encoded'] ?? ''),
    ...sizeIn(meta.get('_wp_attachment_metadata') ?? ''),
  })
  const parent = Number(fields['wp:post_parent'])
  if (!parent) return
  const others = uploadedTo.get(parent)
  if (others) others.push(id)
  else uploadedTo.set(parent, [id])
}

/** From serialised PHP, which begins with the image's size. */
function sizeIn(metadata: string): Pick<Attachment, 'width' | 'height'> {
  const [, width, height] = /^a:\d+:\{s:5:"width";i:(\d+);s:6:"height";i:(\d+);/.exec(metadata) ?? []
  return width && height ? { width: Number(width), height: Number(height) } : {}
}

function settleAttachments({ attachments, mediaHosts, base }: Catalog): void {
  for (const attachment of attachments.values()) {
    const url = URL.parse(attachment.url, base?.href)
    if (!url) continue
    attachment.url = url.href
    mediaHosts.add(url.host)
  }
}

/** The blog's language, unless it differs from the site's only by region. */
function defaultLanguage(options: CatalogOptions, written = ''): string {
  if (options.language) return options.language
  const primary = (tag: string) => tag.split('-')[0]?.toLowerCase()
  const isOther = LANGUAGE.test(written) && primary(written) !== primary(options.defaultLanguage)
  return isOther ? written : options.defaultLanguage
}

function baseOf(channel: Record<string, string>): URL | null {
  const url = URL.parse(channel['wp:base_blog_url'] || channel.link || channel['wp:base_site_url'] || '')
  if (!url || !/^https?:$/.test(url.protocol)) return null
  url.pathname = url.pathname.replace(/\/*$/, '/')
  return url
}
