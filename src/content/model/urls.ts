export type SiteAddress = { domain: string; defaultLanguage: string; postPath: string; guidePath: string }

export function siteUrl(site: Pick<SiteAddress, 'domain'>): string {
  return `https://${site.domain}/`
}

export function postUrl(site: SiteAddress, post: { slug: string; language: string | null }): string {
  return `https://${site.domain}${postPath(site, post)}`
}

export function guideUrl(site: SiteAddress, guide: { slug: string }): string {
  return `https://${site.domain}${guidePath(site, guide)}`
}

/** Keeps `{slug}`, and `{language}` for a language other than the site's default. */
export function postUrlTemplate(site: SiteAddress, { language }: { language: string | null }): string {
  return `https://${site.domain}${isForeign(site, language) ? '/{language}' : ''}${site.postPath}`
}

export function postPath(
  site: Omit<SiteAddress, 'domain'>,
  post: { slug: string; language: string | null },
): string {
  return `${isForeign(site, post.language) ? `/${post.language}` : ''}${fill(site.postPath, post.slug)}`
}

function isForeign(site: Pick<SiteAddress, 'defaultLanguage'>, language: string | null): boolean {
  return language !== null && language.toLowerCase() !== site.defaultLanguage.toLowerCase()
}

export function guidePath(site: Pick<SiteAddress, 'guidePath'>, guide: { slug: string }): string {
  return fill(site.guidePath, guide.slug)
}

function fill(template: string, slug: string): string {
  return template.replace('{slug}', () => encodeURIComponent(slug))
}
