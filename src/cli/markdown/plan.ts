/** All documents of a folder → which articles they become: with unique slugs, and translations linked to their source. */

import type { ArticleKind } from '../../foundation/article-filters.ts'
import { toSlug, withPrefix, withSuffix } from '../convert/slug.ts'
import type { Article, Skipped } from '../import/source.ts'
import { DRAFT, type StatusFlags, statusOf } from '../import/status.ts'
import type { Content, Outline } from './document.ts'
import { byPath } from './folder.ts'
import { heldAt } from './status.ts'

export type PlanOptions = StatusFlags & {
  as: ArticleKind
  /** What tells the folder from others in the site. */
  origin?: string
  /** The language of files that do not name one. */
  language?: string
  /** The site's. */
  defaultLanguage: string
}

/** What a document becomes. */
export type Planned<Of extends Outline = Outline> = {
  document: Of
  kind: ArticleKind
  slug: string
  language: string | undefined
  sourceSlug: string | undefined
  moved?: string | undefined
}

type Candidate<Of extends Outline> = {
  document: Of
  language: string
  slug: string
  source?: Candidate<Of>
  /** Why it has not the slug that it would have. */
  moved?: string
}

/** Plans the articles of a folder, in path order. */
export function planArticles<Of extends Outline>(documents: Of[], options: PlanOptions) {
  const sorted = documents.toSorted((a, b) => byPath(a.file, b.file))
  const candidates = sorted
    .filter((document) => document.exported === undefined)
    .map((document): Candidate<Of> => {
      const language = document.language ?? options.language ?? options.defaultLanguage
      return { document, language, slug: document.slug }
    })
  for (const group of translationGroups(candidates)) linkTranslations(group, options)
  const { unique, skipped } = makeUnique(candidates)
  const sourceSlugOf = sourceSlugs(unique)
  const planned = unique.map((candidate): Planned<Of> => {
    const { document, slug, language, moved } = candidate
    return { document, kind: options.as, slug, language, sourceSlug: sourceSlugOf(candidate), moved }
  })
  const exported = sorted.flatMap((document): Planned<Of>[] => {
    const { exported: kind, slug, language, sourceSlug } = document
    return kind === undefined ? [] : [{ document, kind, slug, language, sourceSlug }]
  })
  return { planned: [...planned, ...exported], skipped }
}

/** The article of a document, and what of it is not taken over. */
export function toArticle(
  { document, slug, language, sourceSlug, moved }: Planned,
  content: Content,
  options: PlanOptions,
) {
  const isExported = document.exported !== undefined
  const { publishedAt, status: own } = content.article
  // What was exported stays as it was: the service shows what is dated in the future.
  const reason = heldAt(Date.now(), content, isExported ? null : publishedAt)
  const held = reason === undefined ? undefined : { reason }
  const { status, because } = statusOf(own, own === 'draft' ? (held ?? DRAFT) : held, options)
  const ofStatus = because === undefined ? [] : [{ field: 'status', reason: because.reason }]
  const article: Article = {
    slug,
    ...content.article,
    // Without a status the service keeps that of the post, and a new post is a draft.
    ...(status && { status }),
    ...(language !== undefined && { language }),
    ...(sourceSlug !== undefined && { sourceSlug }),
  }
  const ofSlug = moved === undefined ? [] : [{ field: 'slug', reason: moved }]
  return { article, losses: [...content.losses, ...ofStatus, ...ofSlug], exported: isExported }
}

/** Files at the same path in folders named after languages, each language once. */
function translationGroups<Of extends Outline>(candidates: Candidate<Of>[]): Candidate<Of>[][] {
  const byKey = Map.groupBy(candidates, (candidate) => candidate.document.key)
  const groups = [...byKey.values()].filter((group) => group.some((one) => one.document.inLanguageFolder))
  return groups.map((group) => {
    const byLanguage = new Map<string, Candidate<Of>>()
    for (const candidate of group) {
      const language = candidate.language.toLowerCase()
      if (!byLanguage.has(language)) byLanguage.set(language, candidate)
    }
    return [...byLanguage.values()]
  })
}

function linkTranslations<Of extends Outline>(group: Candidate<Of>[], options: PlanOptions): void {
  const original = group.find((one) => one.language.toLowerCase() === options.defaultLanguage.toLowerCase())
  const source = original ?? group[0]
  const slugs = group.map((one) => one.slug)
  for (const candidate of group) {
    if (candidate !== source && source) candidate.source = source
    // A translator's own slug is already distinct.
    const distinct =
      candidate.document.ownSlug && slugs.filter((slug) => slug === candidate.slug).length === 1
    if (candidate === original || distinct) continue
    candidate.slug = withSuffix(candidate.slug, candidate.language)
  }
}

/** When two have the same slug, the later by path gets its folder's name as a prefix. */
function makeUnique<Of extends Outline>(candidates: Candidate<Of>[]) {
  const bySlug = new Map<string, Candidate<Of>>()
  const skipped: Skipped[] = []
  for (const candidate of candidates) {
    const rival = bySlug.get(candidate.slug)
    if (rival) {
      const folder = toSlug(folderOf(candidate.document))
      const slug = folder && withPrefix(folder, candidate.slug)
      if (!slug || bySlug.has(slug)) {
        const reason = `the slug ${candidate.slug} is taken by ${rival.document.file}`
        skipped.push({ file: candidate.document.file, reason })
        continue
      }
      candidate.moved = `${candidate.slug} is taken by ${rival.document.file}: it is ${slug}`
      candidate.slug = slug
    }
    bySlug.set(candidate.slug, candidate)
  }
  return { unique: [...bySlug.values()], skipped }
}

function folderOf(document: Outline): string {
  const parts = document.key.split('/')
  return parts.at(/^index$/i.test(parts.at(-1) ?? '') ? -3 : -2) ?? ''
}

function sourceSlugs<Of extends Outline>(
  unique: Candidate<Of>[],
): (candidate: Candidate<Of>) => string | undefined {
  const bySlug = new Map(unique.map((candidate) => [candidate.slug, candidate]))
  const byWritten = Map.groupBy(unique, (candidate) => candidate.document.slug)
  return (candidate) => {
    const { source, document } = candidate
    const written = document.sourceSlug
    // A source that was skipped has no slug of its own.
    if (written === undefined) return source && bySlug.get(source.slug) === source ? source.slug : undefined
    // `sourceSlug` may name the slug that the other file was written with, before it was made unique here.
    const named = [bySlug.get(written), ...(byWritten.get(written) ?? [])].find(
      (other) => other !== candidate,
    )
    return named?.slug ?? written
  }
}
