/** The XML of a sitemap and its index (https://www.sitemaps.org/protocol.html). */
import type { ContentScope } from '../../db/site-scope.ts'
import { postUrl } from '../model/urls.ts'
import type { Entry, Translation } from './rows.ts'

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const HREFLANG_NAMESPACE = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'

export const FILE_START = `${XML}<urlset ${NAMESPACE} ${HREFLANG_NAMESPACE}>\n`
export const FILE_END = '</urlset>\n'
export const INDEX_START = `${XML}<sitemapindex ${NAMESPACE}>\n`
export const INDEX_END = '</sitemapindex>\n'

type Links = { byLanguage: Map<string, string>; fallback: string; all: string }

/** By `source_id`, for posts in several languages. */
export function linksOf(site: ContentScope, rows: Entry[]): Map<string, Links> {
  const links = new Map<string, Links>()
  for (const { source_id, translations } of rows) {
    if (!source_id || !translations) continue
    const byLanguage = new Map<string, string>()
    const firsts = new Map<string, Translation>()
    for (const translation of translations) {
      const language = languageOf(site, translation)
      if (byLanguage.has(language)) continue
      byLanguage.set(language, translationXml(site, translation))
      firsts.set(language, translation)
    }
    if (byLanguage.size < 2) continue
    const source =
      translations.find((translation) => translation.source) ?? firsts.get(site.defaultLanguage.toLowerCase())
    const fallback = linkXml('x-default', postUrl(site, source ?? translations[0]!))
    links.set(source_id, { byLanguage, fallback, all: [...byLanguage.values(), fallback].join('') })
  }
  return links
}

/** One link per language; its own links to itself. x-default is the source, else the site's language, else the first. */
export function alternates(site: ContentScope, entry: Entry, links: Map<string, Links>): string {
  const found = links.get(entry.source_id!)
  if (!found) return ''
  const language = languageOf(site, entry)
  const own = translationXml(site, entry)
  if (found.byLanguage.get(language) === own) return found.all
  return [...new Map(found.byLanguage).set(language, own).values(), found.fallback].join('')
}

function languageOf(site: ContentScope, { language }: { language: string | null }): string {
  return (language ?? site.defaultLanguage).toLowerCase()
}

function translationXml(site: ContentScope, translation: { slug: string; language: string | null }): string {
  return linkXml(translation.language ?? site.defaultLanguage, postUrl(site, translation))
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

/** Also for attributes. */
export function escapeXml(text: string): string {
  return text.replace(/[&'"<>]/g, (character) => ENTITIES[character]!)
}
