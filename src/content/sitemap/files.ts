/** Splits a sitemap into files within the protocol's limits, 50,000 URLs and 50 MiB (https://www.sitemaps.org/protocol.html). */
import { sql } from 'drizzle-orm'
import { contentVersionOf } from '../../db/content-version.ts'
import { postCounts, posts, type resources, sitemapSections } from '../../db/schema.ts'
import type { ContentScope } from '../../db/site-scope.ts'
import { RESPONSE_BUDGET_BYTES } from '../../foundation/byte-budget.ts'
import type { Context } from '../../foundation/context.ts'
import { MAX_ENCODED_LENGTH } from '../../foundation/slug.ts'
import { guideUrl, postUrl } from '../../foundation/urls.ts'
import { FIRST, type Range } from './rows.ts'
import { FILE_END, FILE_START, linkXml, urlXml } from './xml.ts'

const URLS_PER_FILE = 50_000
const BYTES_PER_FILE = 50 * 1024 * 1024 - FILE_START.length - FILE_END.length
/** Triggers cut a section that has more (drizzle/functions/sitemap-sections.sql). */
const URLS_PER_SECTION = 5_000
const MAX_ROWS_PER_QUERY = 5_000
const MAX_LANGUAGE_BYTES = 36
const SAMPLE_TIME = '2026-11-21T03:28:00.123Z'

export type File = { page: number; posts: Range | null; guides: Range | null; lastmod: string }

/** `step` is how many rows fit in one response from Neon. Without an index there is one file. */
export type Layout = { isIndex: boolean; files: File[]; step: number }

type Section = {
  resource: (typeof resources)[number]
  number: number
  after: string
  urls: number
  lastmod: string
}

/** Upper bounds of an entry's bytes: without links, and the hreflang links of a post. */
type Bounds = { post: number; guide: number; links: number }

export async function planSitemap(ctx: Context, site: ContentScope): Promise<Layout> {
  const { sections, bounds } = await readSections(ctx, site)
  const step = Math.floor(RESPONSE_BUDGET_BYTES / (Math.max(bounds.post, bounds.guide) + bounds.links))
  const isIndex = !(await fitsInOneFile(ctx, site, sections, bounds))
  return {
    isIndex,
    files: isIndex ? filesOf(sections, bounds) : [wholeSite(sections)],
    step: Math.max(1, Math.min(MAX_ROWS_PER_QUERY, step)),
  }
}

async function readSections(ctx: Context, site: ContentScope) {
  const { rows } = await ctx.db.execute(sql`
    select s.resource, s.number, s.after_created_at || '/' || s.after_id as after, s.urls, wire_time(s.lastmod) as lastmod,
      c.languages, c.slug_bytes, ${contentVersionOf(site.id, 'published')} as content_version
    from (
      select count(distinct language_key)::integer as languages, coalesce(max(slug_bytes), 0) as slug_bytes
      from ${postCounts} where site_id = ${site.id} and status = 'published' and posts > 0
    ) c
    left join ${sitemapSections} s on s.site_id = ${site.id} and s.urls > 0
    order by s.resource desc, s.after_created_at, s.after_id`)
  const { languages, slug_bytes, content_version } = rows[0] as Record<string, number>
  ctx.sawContentVersion(content_version)
  const bounds = boundsOf(site, languages!, slug_bytes! + 2 * MAX_LANGUAGE_BYTES)
  return { sections: rows.filter(({ number }) => number !== null) as Section[], bounds }
}

/** A language other than the site's is in the path, too. */
function boundsOf(site: ContentScope, languages: number, variable: number): Bounds {
  const postAlone = postUrl(site, { slug: '', language: null })
  return {
    post: urlXml(postAlone, SAMPLE_TIME).length + variable,
    guide: urlXml(guideUrl(site, { slug: '' }), SAMPLE_TIME).length + MAX_ENCODED_LENGTH,
    // A post lists one translation per language, including itself, and x-default.
    links: languages > 1 ? (languages + 1) * (linkXml('', postAlone).length + variable) : 0,
  }
}

/** Whether the sitemap is within the limits whatever its URLs are. */
async function fitsInOneFile(ctx: Context, site: ContentScope, sections: Section[], bounds: Bounds) {
  const [postUrls, guideUrls] = [urlsOf(sections, 'post'), urlsOf(sections, 'guide')]
  if (postUrls + guideUrls > URLS_PER_FILE) return false
  const bytesForLinks = BYTES_PER_FILE - postUrls * bounds.post - guideUrls * bounds.guide
  if (postUrls * bounds.links <= bytesForLinks) return true
  if (bytesForLinks < 0) return false
  // A source has links because of a translation, so there are at most as many.
  return 2 * (await countTranslations(ctx, site)) * bounds.links <= bytesForLinks
}

async function countTranslations(ctx: Context, site: ContentScope): Promise<number> {
  const { rows } = await ctx.db.execute(sql`
    select count(*)::integer as translations, ${contentVersionOf(site.id, 'published')} as content_version from ${posts}
    where site_id = ${site.id} and status = 'published' and source_post_id is not null`)
  ctx.sawContentVersion(rows[0]!.content_version)
  return rows[0]!.translations as number
}

/**
 * Each section is a file, or several of equal length if it could exceed the limit. Pages are numbered as if every section had
 * as many, so that a page stays where it is when another section is cut.
 */
function filesOf(sections: Section[], { post, links }: Bounds): File[] {
  const urlsPerFile = Math.max(1, Math.min(URLS_PER_SECTION, Math.floor(BYTES_PER_FILE / (post + links))))
  const filesPerSection = Math.ceil(URLS_PER_SECTION / urlsPerFile)
  return sections.flatMap(({ resource, number, after, urls, lastmod }) =>
    Array.from({ length: Math.ceil(urls / urlsPerFile) }, (_, at) => {
      const skip = at * urlsPerFile
      const range = { after, skip, count: Math.min(urlsPerFile, urls - skip) }
      const [posts, guides] = resource === 'post' ? [range, null] : [null, range]
      return { page: (number - 1) * filesPerSection + at + 1, posts, guides, lastmod }
    }),
  )
}

function wholeSite(sections: Section[]): File {
  const all = (resource: Section['resource']) => {
    const count = urlsOf(sections, resource)
    return count > 0 ? { after: FIRST, skip: 0, count } : null
  }
  return { page: 1, posts: all('post'), guides: all('guide'), lastmod: '' }
}

const urlsOf = (sections: Section[], resource: Section['resource']) =>
  sections.reduce((sum, section) => sum + (section.resource === resource ? section.urls : 0), 0)
