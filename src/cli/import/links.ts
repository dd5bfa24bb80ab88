/** Rewrites addresses in an article: links to articles of the import, and media with `--media`. */
import { guidePath, postPath, type SiteAddress } from '../../content/model/urls.ts'
import type { Report } from '../../transfer/report.ts'
import type { Article, Source, SourceArticle, Target } from '../../transfer/source.ts'
import { type Attribute, attributesIn, type Edit, srcsetParts, withEdits } from './addresses.ts'
import type { Size } from './image-size.ts'
import { type Media, mediaFile } from './media.ts'
import { mediaKind } from './media-kinds.ts'

/** `base` is the site's URL without a trailing slash. */
export type RewriteTarget = { site: SiteAddress; base: string; media: Media }

type Rewriting = RewriteTarget & {
  source: Source
  report: Pick<Report, 'lose' | 'image'>
  file: string
  seen: Set<string>
}

type Medium = { to: string; size: Size | null }

/** Unknown addresses stay unchanged, and are reported. */
export async function withNewAddresses(
  found: SourceArticle,
  source: Source,
  rewriteTarget: RewriteTarget,
  report: Rewriting['report'],
): Promise<Article> {
  const rewriting = { ...rewriteTarget, source, report, file: found.file, seen: new Set<string>() }
  const { article } = found
  const edits: Edit[] = []
  for (const attribute of attributesIn(article.contentHtml)) {
    const edit = await editOf(rewriting, attribute)
    if (edit) edits.push(edit)
  }
  const { schemaBundle, canonicalUrl, image, ...rest } = article
  const canonical = canonicalUrl ? await newCanonical(rewriting, found, canonicalUrl) : undefined
  const medium = image && (await findMedia(rewriting, image.url, 'image'))
  const about =
    schemaBundle && (await rewriteSchemaArticle(rewriting, schemaBundle.article, { canonicalUrl, canonical }))
  return {
    ...rest,
    contentHtml: edits.length > 0 ? withEdits(article.contentHtml, edits) : article.contentHtml,
    ...(canonical && { canonicalUrl: canonical }),
    ...(image && { image: medium ? { ...medium.size, ...image, url: medium.to } : image }),
    ...(about && Object.keys(about).length > 0 && { schemaBundle: { ...schemaBundle, article: about } }),
  }
}

/** Omits a canonical address that is the article's own, since the service derives it. */
async function newCanonical(
  rewriting: Rewriting,
  { kind, article: { slug } }: SourceArticle,
  address: string,
): Promise<string | undefined> {
  const { source, file, report } = rewriting
  if (ownPath(source, address, file) === null) return address
  const target = source.target(address, file)
  if (target) return target.kind === kind && target.slug === slug ? undefined : pageUrl(rewriting, target)
  const reason = 'a link leads to no post or guide of this import'
  await report.lose({ file, field: 'canonicalUrl', reason, detail: address })
  return address
}

type Canonical = { canonicalUrl: string | null | undefined; canonical: string | undefined }

/** Metadata that has no field of its own. WordPress repeats the canonical URL in `url`. */
async function rewriteSchemaArticle(
  rewriting: Rewriting,
  { url, ...about }: Record<string, unknown>,
  { canonicalUrl, canonical }: Canonical,
): Promise<Record<string, unknown>> {
  const { image } = about
  const to = canonicalUrl && url === canonicalUrl ? canonical : url
  return {
    ...about,
    ...(to !== undefined && { url: to }),
    ...(image !== undefined && { image: await withNewImages(rewriting, image) }),
  }
}

async function editOf(rewriting: Rewriting, attribute: Attribute): Promise<Edit | null> {
  const { element, name, value } = attribute
  if (name === 'href') {
    const to = await linkFrom(rewriting, value.trim())
    return to === null ? null : { attribute, value: to }
  }
  if (name === 'srcset') {
    const to = await newSrcset(rewriting, value)
    return to === value ? null : { attribute, value: to }
  }
  const medium = await findMedia(rewriting, value.trim(), 'contentHtml')
  if (!medium) return null
  const size = element === 'img' && name === 'src' && !attribute.sized ? medium.size : null
  const more = size ? ` width="${size.width}" height="${size.height}"` : ''
  return { attribute, value: medium.to, more }
}

async function linkFrom(rewriting: Rewriting, address: string): Promise<string | null> {
  const { source, report, file } = rewriting
  if (address === '' || address.startsWith('#')) return null
  const target = source.target(address, file)
  if (target) return pageUrl(rewriting, target) + suffixOf(address)
  if (mediaKind(address) && source.mediaPath(address, file) !== null) {
    return (await findMedia(rewriting, address, 'contentHtml'))?.to ?? null
  }
  if (target === null) {
    const reason = 'a link leads to no post or guide of this import'
    await report.lose({ file, field: 'contentHtml', reason, detail: address })
  }
  return null
}

function pageUrl({ site, base }: RewriteTarget, { kind, slug, language }: Target): string {
  const path =
    kind === 'guides' ? guidePath(site, { slug }) : postPath(site, { slug, language: language ?? null })
  return base + path
}

async function newSrcset(rewriting: Rewriting, srcset: string): Promise<string> {
  let rewritten = ''
  let at = 0
  for (const { address, start, end } of srcsetParts(srcset)) {
    const medium = await findMedia(rewriting, address, 'contentHtml')
    rewritten += srcset.slice(at, start) + (medium?.to ?? address)
    at = end
  }
  return rewritten + srcset.slice(at)
}

/** In schema.org an image is an address, an ImageObject, or a list of them. */
async function withNewImages(rewriting: Rewriting, image: unknown): Promise<unknown> {
  if (typeof image === 'string') {
    return (await findMedia(rewriting, image, 'image'))?.to ?? image
  }
  if (Array.isArray(image)) {
    const images: unknown[] = []
    for (const each of image) images.push(await withNewImages(rewriting, each))
    return images
  }
  if (typeof image !== 'object' || image === null) return image
  const entries: [string, unknown][] = []
  for (const [name, value] of Object.entries(image)) {
    entries.push([name, /^(?:url|contentUrl)$/.test(name) ? await withNewImages(rewriting, value) : value])
  }
  return Object.fromEntries(entries)
}

/** Null if the address stays unchanged. */
async function findMedia(rewriting: Rewriting, address: string, field: string): Promise<Medium | null> {
  const { source, file, media, report, seen } = rewriting
  if (media.base !== null && address.startsWith(`${media.base}/`)) return null
  const localPath = ownPath(source, address, file)
  const path = localPath ?? foreignPath(address)
  if (path === null) return null
  const onDisk = media.dir === null ? null : await mediaFile(media.dir, path)
  const moves = media.base !== null && (localPath !== null || media.takesForeign || onDisk?.exists === true)
  const to = moves ? `${media.base}/${path}${suffixOf(address)}` : null
  if (!seen.has(address)) {
    seen.add(address)
    await report.image({ file, src: address, to })
    if (moves && onDisk?.exists === false) {
      await report.lose({
        file,
        field,
        reason: 'a file is not in --media',
        detail: `${address} as ${path}`,
      })
    }
  }
  return to === null ? null : { to, size: onDisk?.size ?? null }
}

function ownPath(source: Source, address: string, file: string): string | null {
  if (address === '' || /^(?:#|(?!https?:)[a-z][a-z0-9+.-]*:)/i.test(address)) return null
  return source.mediaPath(address, file)?.replace(/^\/+/, '') ?? null
}

function foreignPath(address: string): string | null {
  if (!/^(?:https?:)?\/\//i.test(address)) return null
  const url = URL.parse(address, 'https://invalid')
  return url && url.pathname !== '/' ? url.host + url.pathname : null
}

/** Query and fragment. Without the query if it identifies the page, as in `/?p=12`. */
function suffixOf(address: string): string {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? []
  return /^(?:(?:https?:)?\/\/[^/]*)?\/?$/i.test(path) ? fragment : query + fragment
}
