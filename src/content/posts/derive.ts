import * as z from 'zod/mini'
import { Instant } from '../../core/time.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { deriveText, deriveTextAgain, shorten } from '../articles/text.ts'
import { schemaArticle } from '../model/post-metadata.ts'
import { postUrl, postUrlTemplate, siteUrl } from '../model/urls.ts'
import type { PostInput } from './post.ts'

const META_DESCRIPTION_LENGTH = 160

export function bandOf(trustScore: number | null | undefined) {
  if (trustScore == null) return null
  return trustScore >= 85 ? 'premium' : trustScore >= 70 ? 'standard' : 'review'
}

/** The row trigger of posts adds the dates and the FAQ to the bundle. */
export function derivePost(site: SiteScope, input: PostInput) {
  const { prose, excerpt, readingTimeMinutes } = deriveText(input)
  const seo = deriveSeo(input, excerpt ?? prose)
  return {
    excerpt,
    readingTimeMinutes,
    qualityBand: input.qualityBand ?? bandOf(input.trustScore),
    seo: Object.keys(seo).length > 0 ? seo : null,
    ...wholeMetadata(input),
    ...deriveSchemaBundle(site, { ...input, seo }),
  }
}

function deriveSeo({ seo, tags }: PostInput, text: string) {
  const metaDescription = seo?.metaDescription ?? shorten(text, META_DESCRIPTION_LENGTH)
  return { ...(tags?.length && { keywords: tags }), ...seo, ...(metaDescription && { metaDescription }) }
}

/** Clears the fields to derive again. A new band clears the score, which belongs to the old one. */
export function deriveAgain(stored: PostInput, edit: Partial<PostInput>): Partial<PostInput> {
  const { prose, excerpt } = deriveText(stored)
  const derived: NonNullable<PostInput['seo']> = deriveSeo({ ...stored, seo: null }, excerpt ?? prose)
  const seo = { ...('seo' in edit ? edit.seo : stored.seo) }
  for (const name of ['metaDescription', 'keywords'] as const) {
    if (JSON.stringify(seo[name]) === JSON.stringify(derived[name])) delete seo[name]
  }
  const isOfAnotherBand = 'qualityBand' in edit && edit.qualityBand !== stored.qualityBand
  return {
    ...deriveTextAgain(stored, edit),
    seo: Object.keys(seo).length > 0 ? seo : undefined,
    ...(isOfAnotherBand && { trustScore: undefined }),
  }
}

function wholeMetadata({ authors, image, categories, tags }: PostInput) {
  return {
    authors: (authors ?? []).map(({ name, url = null }) => ({ name, url })),
    image: image ? { alt: null, width: null, height: null, ...image } : null,
    categories: categories ?? [],
    tags: tags ?? [],
  }
}

function deriveSchemaBundle(site: SiteScope, input: PostInput) {
  const given = input.schemaBundle
  // The bundle is free-form, so an invalid date stays there without an error.
  const modifiedAt = z.safeParse(Instant, given?.article.dateModified).data ?? input.modifiedAt ?? null
  if (given?.breadcrumb) {
    return {
      schemaBundle: given,
      schemaBundleDerived: false,
      schemaArticle: null,
      modifiedAt,
      urlTemplate: null,
    }
  }
  const schemaArticle = given?.article ?? null
  const { article, ...rest } = buildSchemaBundle(site, input)
  const schemaBundle = { article: { ...article, ...schemaArticle }, ...rest }
  const urlTemplate = postUrlTemplate(site, { language: input.language ?? null })
  return { schemaBundle, schemaBundleDerived: true, schemaArticle, modifiedAt, urlTemplate }
}

function buildSchemaBundle(site: SiteScope, input: PostInput) {
  const url = postUrl(site, { slug: input.slug, language: input.language ?? null })
  const crumb = (position: number, name: string, item: string) => ({
    '@type': 'ListItem',
    position,
    name,
    item,
  })
  return {
    article: {
      '@context': 'https://schema.org',
      '@type': 'BlogPosting',
      headline: input.title,
      ...(input.seo?.metaDescription && { description: input.seo.metaDescription }),
      ...(input.language && { inLanguage: input.language }),
      ...(input.seo?.keywords?.length && { keywords: input.seo.keywords.join(', ') }),
      url,
      mainEntityOfPage: { '@type': 'WebPage', '@id': url },
      ...schemaArticle({ ...input, modifiedAt: null }),
    },
    breadcrumb: {
      '@context': 'https://schema.org',
      '@type': 'BreadcrumbList',
      itemListElement: [crumb(1, site.domain, siteUrl(site)), crumb(2, input.title, url)],
    },
    faq: null,
  }
}
