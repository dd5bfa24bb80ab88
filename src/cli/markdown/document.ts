/** Converts one file on its own, before it is compared with the others. */
import { posix } from 'node:path'
import type { ArticleKind } from '../../content/model/article-filters.ts'
import { convertMarkdown } from '../../convert/convert.ts'
import { isTemplate, shortcodesIn } from '../../convert/shortcodes.ts'
import { splitDate, toSlug } from '../../transfer/slug.ts'
import type { Article } from '../../transfer/source.ts'
import { languageTag, splitLanguage } from '../import/languages.ts'
import { metadataFields } from '../import/metadata.ts'
import { readDate } from '../import/values.ts'
import { convertBody } from './body.ts'
import * as from from './fields.ts'
import { NoArticle } from './folder.ts'
import { parseFrontMatter, splitFrontMatter, splitHead } from './front-matter.ts'
import { anyGenerator, type Generator } from './generators/generator.ts'
import { metadataOf } from './metadata.ts'
import type { Mapping } from './metadata-lines.ts'
import { addressesOf, lastSegment, permalinkOf } from './old-addresses.ts'
import { readVisibility, type VisibilityFacts } from './status.ts'

const JEKYLL = /(?:^|\/)(?:_posts|_drafts)\/|(?:^|\/)\d{4}-\d{2}-\d{2}-[^/]+$/
const PICTOGRAPH = /\p{Extended_Pictographic}/u
/** Without tabs and line breaks. */
const CONTROLS = /[^\P{Cc}\t\n\r]/gu
const MAY_BE_METADATA = 'it may begin with unknown metadata: imported as a draft'
/** Created once, since a strict decoder takes 2 ms. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Kept for every document, so it is small. */
export type Outline = {
  /** Relative to the imported folder, with `/`. */
  file: string
  id?: string | undefined
  slug: string
  /** True if the author wrote the slug. */
  ownSlug: boolean
  sourceSlug: string | undefined
  /** From the front matter, or the folder's name. */
  language: string | undefined
  inLanguageFolder: boolean
  /** The path without language folder and extension, equal for all translations of a post. */
  key: string
  /** Former addresses: paths or URLs of `permalink` and `aliases`. */
  addresses: string[]
  canonical: string | undefined
  leadsTo?: string | undefined
  /** Set for files of an export. Their slug is final, and nothing is derived from the path. */
  exported: ArticleKind | undefined
}

type Loss = { field: string; reason: string; detail?: string }

/** The part of an article that depends only on the file. */
export type Content = Omit<VisibilityFacts, 'status'> & {
  article: Omit<Article, 'slug' | 'language' | 'sourceSlug'>
  losses: Loss[]
}

export type Document = Outline & Content

type Around = {
  generator: Generator
  isPage: (name: string) => boolean
  inherited?: Awaited<ReturnType<Generator['inheritedBy']>>
}

const NOTHING_AROUND: Around = { generator: anyGenerator([]), isPage: () => false }

/** The result is cached, so it must not depend on time or flags. @throws Error with a one-line reason */
export function toDocument(
  folder: string,
  file: string,
  bytes: Uint8Array,
  { generator, isPage, inherited }: Around = NOTHING_AROUND,
): Document {
  const decoded = decode(bytes)
  const plain = decoded.replace(CONTROLS, '').replace(/\r(?!\n)/g, '\n')
  const { source, body, doubt } =
    (/\.html?$/i.test(file) ? splitHead(plain) : null) ?? splitFrontMatter(plain)
  const mapping = parseFrontMatter(source)
  if (mapping.bodyFormat !== undefined) {
    const exported = splitFrontMatter(decoded)
    return exportedDocument(file, parseFrontMatter(exported.source, { exact: true }), exported.body)
  }

  const isJekyll =
    generator.name === 'jekyll' || (generator.name !== 'hexo' && JEKYLL.test(`${folder}/${file}`))
  const { authors, timeZone } = generator
  const fields = from.fieldsOf(mapping, { isJekyll, authors, timeZone, ...(inherited && { inherited }) })
  const isMade = fields.byName.has('layout') || shortcodesIn(body).length > 0
  if (isMade && isTemplate(body) && !from.text(fields, 'leadsTo') && generator.isForLayout(file))
    throw new NoArticle('only Liquid or a layout, not a post')
  const { path, language: languageOfName } = generator.nameOf(file)
  const { language: languageOfFolder, rest } = splitLanguage(path)
  const language = languageOfName ?? languageOfFolder
  const key = rest.replace(/\.[^./]*$/, '')
  const name = splitDate(nameOf(folder, key))

  const writtenTitle = from.text(fields, 'title')
  const isNamedByFile = generator.name === 'obsidian'
  const hasTitle = writtenTitle !== undefined
  const titleFromName = isNamedByFile && !hasTitle ? { title: name.rest } : {}
  const converted = convertBody(body, file, generator, {
    ...{ hasTitle, isPage, isNote: generator.isVault, titleOf: generator.titleOf },
    ...(generator.name === 'hexo' && { assetFolder: `${posix.basename(key)}/` }),
    ...titleFromName,
  })
  const title = writtenTitle ?? (isNamedByFile ? name.rest : converted.heading || titleOf(name.rest))
  const isNamed = title !== writtenTitle && title !== converted.heading && !isNamedByFile
  const ofTitle = [
    ...(isNamed
      ? [{ field: 'title', reason: 'it has no title: the name of its file is used', detail: title }]
      : []),
    ...shortcodesIn(writtenTitle ?? '').map((detail) => ({ field: 'title', reason: 'kept as text', detail })),
  ]

  const permalink = permalinkOf(fields, name.rest)
  const writtenSlug = from.text(fields, 'slug')
  const ownSlug = (writtenSlug?.replace(/^\/$/, '') || undefined) ?? (permalink && lastSegment(permalink))
  const slug = toSlug(ownSlug ?? name.rest)
  if (!slug) throw new Error(`no slug can be derived from ${JSON.stringify(ownSlug ?? name.rest)}`)
  const isOther =
    writtenSlug === undefined || ownSlug !== writtenSlug
      ? PICTOGRAPH.test(ownSlug ?? name.rest)
      : writtenSlug.replace(/^\/|\/$/g, '') !== slug
  const ofSlug = isOther
    ? [{ field: 'slug', reason: 'has characters that a slug cannot have', detail: `it is ${slug}` }]
    : []
  const sourceSlug = from.text(fields, 'sourceSlug')
  const ownLanguage = from.text(fields, 'language')
  const { metadata, article, losses } = metadataOf(fields)
  const plainFields = from.plainFields(fields)
  const seo = seoOf(fields)
  const dated = from.publishedAt(fields)
  const ofName = name.date === undefined ? undefined : readDate(name.date, timeZone)?.toISOString()
  const publishedAt = dated ?? ofName
  const { status, ...visibility } = readVisibility(`${folder}/${file}`, fields, {
    otherReason: doubt === undefined ? generator.reasonToHide(file) : MAY_BE_METADATA,
    isDatedByName: ofName !== undefined,
  })
  const ofDate =
    name.date !== undefined && publishedAt === undefined
      ? [{ field: 'date', reason: 'not a date', detail: name.date }]
      : []
  const { addresses, otherNames } = addressesOf(fields, generator, {
    permalink,
    isShown: status !== 'draft' && visibility.held === undefined,
    page: {
      path,
      slug: writtenSlug,
      title,
      date: dated ?? name.date,
      day: from.writtenDay(fields),
      categories: metadata.categories ?? [],
      language: ownLanguage ? languageTag(ownLanguage) : language,
    },
  })
  return {
    file,
    id: from.text(fields, 'id'),
    slug,
    ownSlug: ownSlug !== undefined,
    sourceSlug: sourceSlug && (toSlug(sourceSlug) ?? sourceSlug),
    language: ownLanguage ? languageTag(ownLanguage) : language,
    inLanguageFolder: language !== undefined,
    key,
    addresses,
    canonical: metadata.canonicalUrl ?? undefined,
    leadsTo: from.text(fields, 'leadsTo'),
    exported: undefined,
    ...visibility,
    ...(ofDate.length > 0 && { isUndated: true }),
    article: {
      title,
      contentHtml: converted.html,
      ...plainFields,
      ...(status && { status }),
      ...(publishedAt && { publishedAt }),
      ...metadataFields(metadata, { seo, article }, (field, reason, detail) =>
        losses.push({ field, reason, detail }),
      ),
    },
    losses: [
      ...(doubt === undefined
        ? []
        : [{ field: 'contentHtml', reason: 'looks like metadata, and is kept as text', detail: doubt }]),
      ...losses,
      ...ofTitle,
      ...ofSlug,
      ...ofDate,
      ...otherNames.map((detail) => ({
        field: 'aliases',
        reason: 'an alias of a note leads nowhere',
        detail,
      })),
      ...controlsIn(decoded),
      ...from.untaken(fields),
      ...converted.losses.map((loss) => ({ field: 'contentHtml', ...loss })),
    ],
  }
}

/** A file of an export: the front matter has the API's fields and `kind`, and the rest is the body, unchanged. */
function exportedDocument(file: string, mapping: Mapping, body: string): Document {
  const { bodyFormat, kind = 'posts', slug, sourceSlug, language, ...fields } = mapping
  if (bodyFormat !== 'html' && bodyFormat !== 'markdown')
    throw new Error('bodyFormat must be html or markdown')
  const contentHtml = bodyFormat === 'html' ? body : convertMarkdown(body, { hasTitle: true }).html
  if (kind !== 'posts' && kind !== 'guides') throw new Error('kind must be posts or guides')
  if (typeof slug !== 'string') throw new Error('it has a bodyFormat but no slug')
  return {
    file,
    slug,
    ownSlug: true,
    sourceSlug: from.scalar(sourceSlug),
    language: from.scalar(language),
    inLanguageFolder: false,
    key: file,
    addresses: [],
    canonical: undefined,
    exported: kind,
    article: { ...(fields as { title: string }), contentHtml },
    losses: [],
  }
}

function seoOf(fields: from.Fields): NonNullable<Article['seo']> {
  const description = from.fieldsNamed(fields, 'excerpt').find(({ name }) => !fields.taken.has(name))
  const metaDescription =
    from.text(fields, 'metaDescription') ?? (description && from.scalar(description.value))
  if (description && metaDescription === from.scalar(description.value)) from.take(fields, description)
  const ogTitle = from.text(fields, 'ogTitle')
  const ogDescription = from.text(fields, 'ogDescription')
  return {
    ...(metaDescription && { metaDescription }),
    ...(ogTitle && { ogTitle }),
    ...(ogDescription && { ogDescription }),
  }
}

function controlsIn(text: string): Loss[] {
  const names = new Set(
    [...text.matchAll(CONTROLS)].map(
      ([each]) => `U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    ),
  )
  return [...names].map((detail) => ({
    field: 'contentHtml',
    reason: 'a control character is left out',
    detail,
  }))
}

function titleOf(name: string): string {
  if (/\s/.test(name)) return name
  const words = name.replace(/[-_]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

// An index file is the page of its folder.
function nameOf(folder: string, key: string): string {
  const parts = [folder, ...key.split('/')]
  return (/^index$/i.test(parts.at(-1) ?? '') ? parts.at(-2) : parts.at(-1)) ?? ''
}

function decode(bytes: Uint8Array): string {
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    throw new Error('not valid UTF-8')
  }
  if (text.includes('\0')) throw new Error('contains a NUL byte')
  if (text.trim() === '') throw new NoArticle('empty')
  return text
}
