/** All documents of a folder → the articles to put: with unique slugs, and translations linked to their source. */
import type { Document } from './document.ts'
import { byPath, type Skipped } from './folder.ts'
import { toSlug, withPrefix, withSuffix } from './slug.ts'

export type PlanOptions = {
  as: 'posts' | 'guides'
  status?: 'draft' | 'published'
  /** The language of files that do not name one. */
  language?: string
  /** The site's. */
  defaultLanguage: string
}

type Article = {
  slug: string
  title: string
  contentHtml: string
  excerpt?: string
  status?: 'draft' | 'published'
  publishedAt?: string
  language?: string
  sourceSlug?: string
  seo?: { keywords: string[] }
}

export type Planned = { file: string; article: Article; components: string[] }

type Candidate = { document: Document; language?: string; slug: string; source?: Candidate }

/** Plans the articles of a folder, in path order. */
export function planArticles(documents: Document[], options: PlanOptions) {
  const candidates = documents
    .toSorted((a, b) => byPath(a.file, b.file))
    .map((document): Candidate => {
      return {
        document,
        language: document.language ?? options.language ?? options.defaultLanguage,
        slug: document.slug,
      }
    })
  for (const group of translationGroups(candidates, options)) linkTranslations(group, options)
  const { unique, skipped } = makeUnique(candidates)
  const sourceSlugOf = sourceSlugs(unique)
  const planned = unique.map((candidate): Planned => {
    const { file, components } = candidate.document
    return { file, components, article: toArticle(candidate, sourceSlugOf(candidate), options) }
  })
  return { planned, skipped }
}

/** Files at the same path in folders named after languages, each language once. */
function translationGroups(candidates: Candidate[], options: PlanOptions): Candidate[][] {
  const byKey = Map.groupBy(candidates, (candidate) => candidate.document.key)
  const groups = [...byKey.values()].filter((group) => group.some((one) => one.document.inLanguageFolder))
  return groups.map((group) => {
    const byLanguage = new Map<string, Candidate>()
    for (const candidate of group) {
      const language = languageOf(candidate, options)
      if (!byLanguage.has(language)) byLanguage.set(language, candidate)
    }
    return [...byLanguage.values()]
  })
}

function linkTranslations(group: Candidate[], options: PlanOptions): void {
  const original = group.find((one) => languageOf(one, options) === options.defaultLanguage.toLowerCase())
  const source = original ?? group[0]
  const slugs = group.map((one) => one.slug)
  for (const candidate of group) {
    if (candidate !== source) candidate.source = source
    // A translator's own slug is already distinct.
    const distinct =
      candidate.document.ownSlug && slugs.filter((slug) => slug === candidate.slug).length === 1
    if (candidate === original || distinct) continue
    candidate.slug = withSuffix(candidate.slug, candidate.language ?? options.defaultLanguage)
  }
}

function languageOf(candidate: Candidate, options: PlanOptions): string {
  return (candidate.language ?? options.defaultLanguage).toLowerCase()
}

/** When two have the same slug, the later by path gets its folder's name as a prefix. */
function makeUnique(candidates: Candidate[]): { unique: Candidate[]; skipped: Skipped[] } {
  const bySlug = new Map<string, Candidate>()
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
      candidate.slug = slug
    }
    bySlug.set(candidate.slug, candidate)
  }
  return { unique: [...bySlug.values()], skipped }
}

function folderOf(document: Document): string {
  const parts = document.key.split('/')
  return parts.at(/^_?index$/i.test(parts.at(-1) ?? '') ? -3 : -2) ?? ''
}

function sourceSlugs(unique: Candidate[]): (candidate: Candidate) => string | undefined {
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

function toArticle(candidate: Candidate, sourceSlug: string | undefined, options: PlanOptions): Article {
  const { document, slug, language } = candidate
  const { title, contentHtml, excerpt, publishedAt, keywords } = document
  // Without a status the service keeps that of the post, and a new post is a draft.
  const status = options.status ?? document.status
  const common = { slug, title, contentHtml, excerpt, status, publishedAt }
  if (options.as === 'guides') return common
  return { ...common, language, sourceSlug, ...(keywords.length > 0 && { seo: { keywords } }) }
}
