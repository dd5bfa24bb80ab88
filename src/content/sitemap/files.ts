/** Splits a sitemap into files within the protocol's limits, 50,000 URLs and 50 MiB (https://www.sitemaps.org/protocol.html). */
import { type SQL, sql } from 'drizzle-orm'
import { contentVersionOf } from '../../db/content-version.ts'
import { guides, postCounts, posts } from '../../db/schema.ts'
import type { ContentScope } from '../../db/site-scope.ts'
import { RESPONSE_BUDGET_BYTES } from '../../foundation/byte-budget.ts'
import type { Context } from '../../foundation/context.ts'
import { guideUrl, postUrl } from '../../foundation/urls.ts'
import { startingAt } from './rows.ts'
import { FILE_END, FILE_START, linkXml, urlXml } from './xml.ts'

const URLS_PER_FILE = 50_000
const BYTES_PER_FILE = 50 * 1024 * 1024 - FILE_START.length - FILE_END.length
const MAX_URLS_PER_BLOCK = 500
const MAX_ROWS_PER_QUERY = 5_000
const MAX_LANGUAGE_BYTES = 36
const X_DEFAULT = 'x-default'
const SAMPLE_TIME = '2026-11-21T03:28:00.123Z'

/** How many URLs a site has, and upper bounds for one: the bytes of its hreflang links and of its whole entry. */
type Extent = { posts: number; guides: number; linksBytes: number; entryBytes: number }

/**
 * A section is 50,000 URLs: one file, or several if it is too large. Pages are numbered as if every section had
 * `filesPerSection` files, so that a file is found without measuring the sections before it. A section is measured in
 * blocks of `urlsPerBlock`.
 */
export type Layout = Extent & { sections: number; filesPerSection: number; urlsPerBlock: number }

/** A range of a site's URLs, posts before guides. `step` is how many rows fit in one response from Neon. */
export type File = { page: number; from: number; count: number; step: number; lastmod: string | null }

type Block = { urls: number; bytes: number; lastmod: string }

export async function planSitemapFiles(ctx: Context, site: ContentScope): Promise<Layout> {
  const extent = await measure(ctx, site)
  const { entryBytes } = extent
  const urls = extent.posts + extent.guides
  // At most half a response, so that any `urlsPerBlock` rows, which may span two blocks, fit in one.
  const urlsInHalf = Math.floor(RESPONSE_BUDGET_BYTES / 2 / entryBytes)
  const urlsPerBlock = Math.max(1, Math.min(MAX_URLS_PER_BLOCK, urlsInHalf))
  const blocksPerFile = Math.max(1, Math.floor(BYTES_PER_FILE / (urlsPerBlock * entryBytes)))
  return {
    ...extent,
    sections: Math.max(1, Math.ceil(urls / URLS_PER_FILE)),
    filesPerSection: Math.ceil(Math.min(urls, URLS_PER_FILE) / (blocksPerFile * urlsPerBlock)) || 1,
    urlsPerBlock,
  }
}

async function measure(ctx: Context, site: ContentScope): Promise<Extent> {
  const result = await ctx.db.execute(sql`
    select coalesce(sum(c.posts), 0)::integer as posts, count(distinct c.language_key)::integer as languages, g.guides,
      greatest(max(c.slug_bytes), g.slug_bytes) as slug_bytes, ${contentVersionOf(site.id)} as content_version
    from (
      select count(*)::integer as guides, coalesce(max(url_bytes(slug)), 0) as slug_bytes from ${guides}
      where site_id = ${site.id} and status = 'published'
    ) g
    left join ${postCounts} c on c.site_id = ${site.id} and c.status = 'published' and c.posts > 0
    group by g.guides, g.slug_bytes`)
  const row = result.rows[0] as Record<'posts' | 'guides' | 'languages' | 'slug_bytes', number>
  ctx.sawContentVersion(result.rows[0]!.content_version)
  const { post, guide, link } = fixedBytes(site)
  const variableBytes = row.slug_bytes + 2 * MAX_LANGUAGE_BYTES
  // A post lists one translation per language, including itself, and x-default.
  const linksBytes = row.languages > 1 ? (row.languages + 1) * (link + variableBytes) : 0
  const entryBytes = Math.max(post, guide) + variableBytes + linksBytes
  return { posts: row.posts, guides: row.guides, linksBytes, entryBytes }
}

/** The files of a section, counted from 0. If it is known to be one file, it is measured only for its lastmod. */
export async function listSectionFiles(
  ctx: Context,
  site: ContentScope,
  layout: Layout,
  section: number,
  { lastmod }: { lastmod: boolean },
): Promise<File[]> {
  const from = section * URLS_PER_FILE
  const count = Math.min(URLS_PER_FILE, layout.posts + layout.guides - from)
  const page = section * layout.filesPerSection + 1
  if (layout.filesPerSection === 1 && !lastmod) {
    const step = Math.min(MAX_ROWS_PER_QUERY, Math.floor(RESPONSE_BUDGET_BYTES / layout.entryBytes))
    return [{ page, from, count, step, lastmod: null }]
  }
  const { rows } = await ctx.db.execute(selectBlocks(site, layout, from, count))
  ctx.sawContentVersion(rows[0]?.content_version)
  return groupBlocks(layout, page, from, rows as unknown as Block[])
}

/** Fills each file with as many blocks as fit. */
function groupBlocks({ urlsPerBlock }: Layout, firstPage: number, firstUrl: number, blocks: Block[]): File[] {
  const files: File[] = []
  let bytesLeft = 0
  let largestBlock = 0
  for (const { urls, bytes, lastmod } of blocks) {
    if (files.length === 0 || bytes > bytesLeft) {
      const from = files.length === 0 ? firstUrl : files.at(-1)!.from + files.at(-1)!.count
      files.push({ page: firstPage + files.length, from, count: 0, step: 0, lastmod: null })
      bytesLeft = BYTES_PER_FILE
      largestBlock = 0
    }
    const file = files.at(-1)!
    bytesLeft -= bytes
    largestBlock = Math.max(largestBlock, bytes)
    file.count += urls
    file.lastmod = file.lastmod !== null && file.lastmod > lastmod ? file.lastmod : lastmod
    // One less, because rows worth that many blocks may span one block more.
    const blocksPerStep = Math.floor(RESPONSE_BUDGET_BYTES / largestBlock) - 1
    file.step = Math.min(MAX_ROWS_PER_QUERY, Math.max(1, blocksPerStep) * urlsPerBlock)
  }
  return files
}

/**
 * The bytes and the newest lastmod of each block, from index-only scans. A post translated into several languages counts
 * the links of all translations and the longest one again for x-default. That is an upper bound: a language with two
 * translations is listed once.
 */
function selectBlocks(site: ContentScope, layout: Layout, from: number, count: number): SQL {
  const { post, guide, link } = fixedBytes(site)
  const siteLanguage = site.defaultLanguage.toLowerCase()
  const firstGuide = Math.max(0, from - layout.posts)
  const postCount = Math.max(0, Math.min(count, layout.posts - from))
  const language = sql`coalesce(nullif(p.language_key, ''), ${siteLanguage})`
  const prefix = sql`case when p.language_key in ('', ${siteLanguage}) then 0 else 1 + octet_length(p.language_key) end`
  const translation = sql`${link} + ${prefix} + p.slug_bytes + octet_length(${language}) as bytes, ${language} as language`
  // Once per group of translations. The lateral joins rule out a plan that compares every row with every other.
  const links = sql`
    select unnest(s.blocks), 0, least(
      t.bytes + coalesce(o.bytes, 0) + greatest(t.longest, o.bytes) + ${X_DEFAULT.length}, ${layout.linksBytes}
    ), null
    from (select source_id, array_agg(block) as blocks from page group by source_id) s
    cross join lateral (
      select sum(bytes) as bytes, max(bytes) as longest, min(language) as first, max(language) as last
      from (select ${translation} from ${posts} p where p.source_post_id = s.source_id and p.status = 'published') v
    ) t
    left join lateral (
      select ${translation} from ${posts} p where p.id = s.source_id and p.status = 'published' and t.bytes is not null
    ) o on true
    where least(t.first, o.language) <> greatest(t.last, o.language)
    union all`
  return sql`
    with page as (
      select p.lastmod, coalesce(p.source_post_id, p.id) as source_id, ${post} + ${prefix} + p.slug_bytes as bytes,
        (row_number() over (order by p.created_at, p.id) - 1) / ${layout.urlsPerBlock} as block
      from ${posts} p
      where p.site_id = ${site.id} and p.status = 'published' and ${startingAt(site, posts, from)}
      order by p.created_at, p.id limit ${postCount}
    ), parts (block, urls, bytes, lastmod) as (
      ${layout.filesPerSection > 1 ? links : sql``}
      select block, 1, bytes, lastmod from page
      union all
      select (${postCount} + row_number() over (order by p.created_at, p.id) - 1) / ${layout.urlsPerBlock}, 1,
        ${guide} + url_bytes(p.slug), p.updated_at
      from (
        select p.* from ${guides} p
        where p.site_id = ${site.id} and p.status = 'published' and ${startingAt(site, guides, firstGuide)}
        order by p.created_at, p.id limit ${count - postCount}
      ) p
    )
    select sum(urls)::integer as urls, sum(bytes)::integer as bytes, wire_time(max(lastmod)) as lastmod,
      ${contentVersionOf(site.id)} as content_version
    from parts group by block order by block`
}

/** The bytes of an entry and a link without slug and language. A language other than the site's is in the path too. */
function fixedBytes(site: ContentScope): { post: number; guide: number; link: number } {
  const postAlone = postUrl(site, { slug: '', language: null })
  return {
    post: urlXml(postAlone, SAMPLE_TIME).length,
    guide: urlXml(guideUrl(site, { slug: '' }), SAMPLE_TIME).length,
    link: linkXml('', postAlone).length,
  }
}
