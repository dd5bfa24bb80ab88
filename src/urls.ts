/** URLs of a site's pages, on its own domain. */
import type { ContentScope } from './db/site-scope.ts'

export function siteUrl(site: ContentScope): string {
  return `https://${site.domain}/`
}

/** A post in a language other than the site's default has the path prefix `/{language}`. */
export function postUrl(site: ContentScope, post: { slug: string; language: string | null }): string {
  const foreign = post.language !== null && post.language.toLowerCase() !== site.defaultLanguage.toLowerCase()
  return `https://${site.domain}${foreign ? `/${post.language}` : ''}${fill(site.postPath, post.slug)}`
}

export function guideUrl(site: ContentScope, guide: { slug: string }): string {
  return `https://${site.domain}${fill(site.guidePath, guide.slug)}`
}

function fill(template: string, slug: string): string {
  return template.replace('{slug}', () => encodeURIComponent(slug))
}
