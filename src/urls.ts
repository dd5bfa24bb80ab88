/** Where a site's pages stand on its own domain. */
import type { SiteScope } from './sites.ts'

export function siteUrl(site: SiteScope): string {
  return `https://${site.domain}/`
}

/** A post in another language than the site's default stands below `/{language}`. */
export function postUrl(site: SiteScope, post: { slug: string; language: string | null }): string {
  const foreign = post.language !== null && post.language.toLowerCase() !== site.defaultLanguage.toLowerCase()
  return `https://${site.domain}${foreign ? `/${post.language}` : ''}${fill(site.postPath, post.slug)}`
}

export function guideUrl(site: SiteScope, guide: { slug: string }): string {
  return `https://${site.domain}${fill(site.guidePath, guide.slug)}`
}

function fill(template: string, slug: string): string {
  return template.replace('{slug}', () => encodeURIComponent(slug))
}
