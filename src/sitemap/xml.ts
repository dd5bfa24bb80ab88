/** The XML of a sitemap and its index (https://www.sitemaps.org/protocol.html). */
import type { SiteScope } from '../sites.ts'
import { postUrl } from '../urls.ts'
import type { Entry, Version } from './rows.ts'

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const HREFLANG_NAMESPACE = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'

export const FILE_START = `${XML}<urlset ${NAMESPACE} ${HREFLANG_NAMESPACE}>\n`
export const FILE_END = '</urlset>\n'
export const INDEX_START = `${XML}<sitemapindex ${NAMESPACE}>\n`
export const INDEX_END = '</sitemapindex>\n'

/** The links of a post's versions, in their order, by language. */
type Links = { byLanguage: Map<string, string>; fallback: string; all: string }

/** The links of each post among the rows that has versions in several languages, by what they have in common. */
export function linksOf(site: SiteScope, rows: Entry[]): Map<string, Links> {
  const links = new Map<string, Links>()
  for (const { source_id, versions } of rows) {
    if (!source_id || !versions) continue
    const byLanguage = new Map<string, string>()
    const firsts = new Map<string, Version>()
    for (const version of versions) {
      const language = languageOf(site, version)
      if (byLanguage.has(language)) continue
      byLanguage.set(language, versionXml(site, version))
      firsts.set(language, version)
    }
    if (byLanguage.size < 2) continue
    const source =
      versions.find((version) => version.source) ?? firsts.get(site.defaultLanguage.toLowerCase())
    const fallback = linkXml('x-default', postUrl(site, source ?? versions[0]!))
    links.set(source_id, { byLanguage, fallback, all: [...byLanguage.values(), fallback].join('') })
  }
  return links
}

/**
 * Every published version of a post, one a language: itself before another in its language. x-default is the source
 * where it is published.
 */
export function alternates(site: SiteScope, entry: Entry, links: Map<string, Links>): string {
  const found = links.get(entry.source_id!)
  if (!found) return ''
  const language = languageOf(site, entry)
  const own = versionXml(site, entry)
  if (found.byLanguage.get(language) === own) return found.all
  return [...new Map(found.byLanguage).set(language, own).values(), found.fallback].join('')
}

function languageOf(site: SiteScope, { language }: { language: string | null }): string {
  return (language ?? site.defaultLanguage).toLowerCase()
}

function versionXml(site: SiteScope, version: { slug: string; language: string | null }): string {
  return linkXml(version.language ?? site.defaultLanguage, postUrl(site, version))
}

export function urlXml(loc: string, lastmod: string | null, links = ''): string {
  return `<url>${locXml(loc)}${lastmodXml(lastmod)}${links}</url>\n`
}

export function linkXml(hreflang: string, href: string): string {
  return `<xhtml:link rel="alternate" hreflang="${escapeXml(hreflang)}" href="${escapeXml(href)}"/>`
}

export function fileXml(loc: string, lastmod: string | null): string {
  return `<sitemap>${locXml(loc)}${lastmodXml(lastmod)}</sitemap>\n`
}

function locXml(loc: string): string {
  return `<loc>${escapeXml(loc)}</loc>`
}

function lastmodXml(lastmod: string | null): string {
  return lastmod === null ? '' : `<lastmod>${lastmod}</lastmod>`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  "'": '&apos;',
  '"': '&quot;',
  '<': '&lt;',
  '>': '&gt;',
}

function escapeXml(text: string): string {
  return text.replace(/[&'"<>]/g, (character) => ENTITIES[character]!)
}
