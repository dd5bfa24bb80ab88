/** Splits a sitemap into files within the protocol's limits, 50,000 URLs and 50 MiB (https://www.sitemaps.org/protocol.html). */
import { sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { contentVersionOf } from '../../db/content-version.ts'
import { guides, postCounts, posts } from '../../db/schema.ts'
import type { ContentScope } from '../../db/site-scope.ts'
import { RESPONSE_BUDGET_BYTES } from '../byte-budget.ts'
import { MAX_ENCODED_LENGTH } from '../model/slug.ts'
import { guideUrl, postUrl } from '../model/urls.ts'
import type { Range } from './rows.ts'
import { FILE_END, FILE_START, linkXml, urlXml } from './xml.ts'

const URLS_PER_FILE = 50_000
const BYTES_PER_FILE = 50 * 1024 * 1024 - FILE_START.length - FILE_END.length
const URLS_PER_FILE_OF_INDEX = 5_000
const MAX_ROWS_PER_QUERY = 5_000
const MAX_LANGUAGE_BYTES = 36
const SAMPLE_TIME = '2026-11-21T03:28:00.123Z'

export type File = { posts: Range | null; guides: Range | null }

/** `step`: rows per Neon response. `lastmod` is the site's: removals and new translations change files that have no newer row. */
export type Layout = { isIndex: boolean; files: File[]; lastmod: string; step: number }

type Totals = { posts: number; guides: number }
type Read = { languages: number; slug_bytes: number; content_version: number; lastmod: string }

/** Upper bounds in bytes: entries without links, and a post's hreflang links. */
type Bounds = { post: number; guide: number; links: number }

export async function planSitemap(ctx: Context, site: ContentScope): Promise<Layout> {
  const { totals, bounds, lastmod } = await readTotals(ctx, site)
  const step = Math.floor(RESPONSE_BUDGET_BYTES / (Math.max(bounds.post, bounds.guide) + bounds.links))
  const isIndex = !(await fitsInOneFile(ctx, site, totals, bounds))
  return {
    isIndex,
    files: isIndex ? filesOf(totals, bounds) : [wholeSite(totals)],
    lastmod,
    step: Math.max(1, Math.min(MAX_ROWS_PER_QUERY, step)),
  }
}

async function readTotals(ctx: Context, site: ContentScope) {
  const isPublished = sql`site_id = ${site.id} and status = 'published'`
  const { rows } = await ctx.db.execute(sql`
    select c.posts, c.languages, c.slug_bytes, c.content_version,
      (select count(*)::integer from ${guides} where ${isPublished}) as guides,
      wire_time(to_timestamp(c.content_version / 1000.0)) as lastmod
    from (
      select coalesce(sum(posts), 0)::integer as posts, count(distinct language_key)::integer as languages,
        coalesce(max(slug_bytes), 0) as slug_bytes, ${contentVersionOf(site.id, 'published')} as content_version
      from ${postCounts} where ${isPublished} and posts > 0
    ) c`)
  const { languages, slug_bytes, content_version, lastmod, ...totals } = rows[0] as Totals & Read
  ctx.noteVersionRead(content_version)
  return { totals, lastmod, bounds: boundsOf(site, languages, slug_bytes + 2 * MAX_LANGUAGE_BYTES) }
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

async function fitsInOneFile(ctx: Context, site: ContentScope, totals: Totals, bounds: Bounds) {
  if (totals.posts + totals.guides > URLS_PER_FILE) return false
  const bytesForLinks = BYTES_PER_FILE - totals.posts * bounds.post - totals.guides * bounds.guide
  if (totals.posts * bounds.links <= bytesForLinks) return true
  if (bytesForLinks < 0) return false
  // A source has links because of a translation, so there are at most as many.
  return 2 * (await countTranslations(ctx, site)) * bounds.links <= bytesForLinks
}

async function countTranslations(ctx: Context, site: ContentScope): Promise<number> {
  const { rows } = await ctx.db.execute(sql`
    select count(*)::integer as translations, ${contentVersionOf(site.id, 'published')} as content_version from ${posts}
    where site_id = ${site.id} and status = 'published' and source_post_id is not null`)
  ctx.noteVersionRead(rows[0]!.content_version)
  return rows[0]!.translations as number
}

/** Fills files by upper bounds, so that none has to be measured. */
function filesOf({ posts, guides }: Totals, { post, links }: Bounds): File[] {
  const perFile = Math.max(1, Math.min(URLS_PER_FILE_OF_INDEX, Math.floor(BYTES_PER_FILE / (post + links))))
  return [
    ...rangesOf(posts, perFile).map((range) => ({ posts: range, guides: null })),
    ...rangesOf(guides, perFile).map((range) => ({ posts: null, guides: range })),
  ]
}

function wholeSite({ posts, guides }: Totals): File {
  return { posts: rangesOf(posts, posts)[0] ?? null, guides: rangesOf(guides, guides)[0] ?? null }
}

function rangesOf(total: number, perFile: number): Range[] {
  const files = total === 0 ? 0 : Math.ceil(total / perFile)
  return Array.from({ length: files }, (_, at) => {
    const skip = at * perFile
    return { skip, count: Math.min(perFile, total - skip), total }
  })
}
