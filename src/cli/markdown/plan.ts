/** Plans the articles of a folder: makes slugs unique, and links translations to their source. */

import type { ArticleKind } from '../../content/model/article-filters.ts'
import { slugChooser, toSlug, withPrefix, withSuffix } from '../../transfer/slug.ts'
import type { Article } from '../../transfer/source.ts'
import { DRAFT, type StatusFlags, statusOf } from '../import/status.ts'
import type { Content, Outline } from './document.ts'
import { byPath } from './folder.ts'
import { reasonToHoldBack } from './status.ts'

export type PlanOptions = StatusFlags & {
  as: ArticleKind
  /** Distinguishes the folder from others in the site. */
  origin?: string
  language?: string
  defaultLanguage: string
  before?: (document: Outline) => string | undefined
}

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
  moved?: string
}

export function planArticles<Of extends Outline>(documents: Of[], options: PlanOptions): Planned<Of>[] {
  const sorted = documents.toSorted((a, b) => byPath(a.file, b.file))
  const candidates = sorted
    .filter((document) => document.exported === undefined)
    .map((document): Candidate<Of> => {
      const language = document.language ?? options.language ?? options.defaultLanguage
      return { document, language, slug: document.slug }
    })
  for (const group of translationGroups(candidates)) linkTranslations(group, options)
  const exported = sorted.flatMap((document): Planned<Of>[] => {
    const { exported: kind, slug, language, sourceSlug } = document
    return kind === undefined ? [] : [{ document, kind, slug, language, sourceSlug }]
  })
  const others = exported.filter(({ kind }) => kind === options.as)
  const unique = makeUnique(candidates, new Map(others.map((one) => [one.slug, one.document.file])), options)
  const sourceSlugOf = sourceSlugs(unique)
  const planned = unique.map((candidate): Planned<Of> => {
    const { document, slug, language, moved } = candidate
    return { document, kind: options.as, slug, language, sourceSlug: sourceSlugOf(candidate), moved }
  })
  return [...planned, ...exported]
}

export function toArticle(
  { document, slug, language, sourceSlug, moved }: Planned,
  content: Content,
  options: PlanOptions,
) {
  const isExported = document.exported !== undefined
  const { publishedAt, status: sourceStatus } = content.article
  // Exports keep their status: the service shows posts with a future date.
  const reason = reasonToHoldBack(Date.now(), content, isExported ? null : publishedAt)
  const held = reason === undefined ? undefined : { reason, isPrivate: content.isPrivate ?? false }
  const { status, because } = statusOf(
    sourceStatus,
    sourceStatus === 'draft' ? (held ?? DRAFT) : held,
    options,
  )
  const ofStatus = because === undefined ? [] : [{ field: 'status', reason: because.reason }]
  const article: Article = {
    slug,
    ...content.article,
    // Without a status, a post keeps its own, and a new one is a draft.
    ...(status && { status }),
    ...(language !== undefined && { language }),
    ...(sourceSlug !== undefined && { sourceSlug }),
  }
  const ofSlug =
    moved === undefined
      ? []
      : [
          {
            field: 'slug',
            reason: 'the slug is taken by another post or guide',
            detail: `${moved}: it is ${slug}`,
          },
        ]
  return { article, losses: [...content.losses, ...ofStatus, ...ofSlug], exported: isExported }
}

/** Files at the same path in language folders, each language once. */
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
    // A translator's own slug is distinct already.
    const distinct =
      candidate.document.ownSlug && slugs.filter((slug) => slug === candidate.slug).length === 1
    if (candidate === original || distinct) continue
    candidate.slug = withSuffix(candidate.slug, candidate.language)
  }
}

/**
 * Assigns contested slugs: to an exported file (`taken` has their slugs), the article that had the slug before, or the one
 * in the fewest folders. Others keep their earlier slug, or get as many folder names as a prefix as they need.
 */
function makeUnique<Of extends Outline>(
  candidates: Candidate<Of>[],
  taken: Map<string, string>,
  { before }: PlanOptions,
): Candidate<Of>[] {
  const moved: Candidate<Of>[] = []
  const had = new Map(candidates.map((each) => [each, before?.(each.document)]))
  for (const [slug, rivals] of Map.groupBy(candidates, (each) => each.slug)) {
    const inOrder = rivals.toSorted((a, b) => foldersOf(a.document).length - foldersOf(b.document).length)
    const holder = taken.has(slug) ? undefined : (rivals.find((each) => had.get(each) === slug) ?? inOrder[0])
    if (holder) taken.set(slug, holder.document.file)
    moved.push(...inOrder.filter((each) => each !== holder))
  }
  const give = (candidate: Candidate<Of>, slug: string) => {
    candidate.moved = `${candidate.slug} by ${taken.get(candidate.slug)}`
    candidate.slug = slug
    taken.set(slug, candidate.document.file)
  }
  const left = moved.filter((candidate) => {
    const slug = had.get(candidate)
    const keeps = slug !== undefined && !taken.has(slug)
    if (keeps) give(candidate, slug)
    return !keeps
  })
  const chooseSlug = slugChooser((slug) => taken.has(slug))
  for (const candidate of left) {
    const { slug, document } = candidate
    const prefixes = foldersOf(document).map((_, i, all) => all.slice(i).join('-'))
    const others = prefixes.reverse().map((prefix) => withPrefix(prefix, slug))
    give(candidate, chooseSlug(slug, others))
  }
  return candidates
}

/** In slug form, without Jekyll's own folders. */
function foldersOf({ key }: Outline): string[] {
  const parts = key.split('/')
  const above = parts.slice(0, /^index$/i.test(parts.at(-1) ?? '') ? -2 : -1)
  return above.flatMap((part) =>
    /^_(?:posts|drafts)$/.test(part) ? [] : (toSlug(part.replace(/^_+/, '')) ?? []),
  )
}

function sourceSlugs<Of extends Outline>(
  unique: Candidate<Of>[],
): (candidate: Candidate<Of>) => string | undefined {
  const bySlug = new Map(unique.map((candidate) => [candidate.slug, candidate]))
  const byWritten = Map.groupBy(unique, (candidate) => candidate.document.slug)
  return (candidate) => {
    const { source, document } = candidate
    const sourceSlug = document.sourceSlug
    if (sourceSlug === undefined) return source?.slug
    // `sourceSlug` may be the other file's original slug, before it was made unique here.
    const named = [bySlug.get(sourceSlug), ...(byWritten.get(sourceSlug) ?? [])].find(
      (other) => other !== candidate,
    )
    return named?.slug ?? sourceSlug
  }
}
