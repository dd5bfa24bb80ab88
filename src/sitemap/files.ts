/** Where the files of a sitemap begin and end: below 50,000 URLs and 50 MB, the limits of the protocol. */
import { type SQL, sql } from 'drizzle-orm'
import { RESPONSE_BUDGET_BYTES } from '../byte-budget.ts'
import type { Context } from '../context.ts'
import { guides, postCounts, posts } from '../db/schema.ts'
import type { SiteScope } from '../sites.ts'
import { guideUrl, postUrl } from '../urls.ts'
import { beginning } from './rows.ts'
import { FILE_END, FILE_START, linkXml, urlXml } from './xml.ts'

const URLS_PER_FILE = 50_000
const BYTES_PER_FILE = 50 * 1024 * 1024 - FILE_START.length - FILE_END.length
const MAX_URLS_PER_BLOCK = 500
const MAX_ROWS_PER_QUERY = 5_000
const MAX_LANGUAGE_BYTES = 36
const X_DEFAULT = 'x-default'
const SOME_TIME = '2026-11-21T03:28:00.123Z'

/** How many URLs a site has, and what the heaviest one could take: its links, and all of it. */
type Extent = { posts: number; guides: number; linksBytes: number; entryBytes: number }

/**
 * URLs are measured in sections of 50,000, by blocks of a few. A section is one file, or several where it has too many
 * bytes; pages are numbered as if each had `filesPerSection`, so that a file is found without a look at those before.
 */
export type Layout = Extent & { sections: number; filesPerSection: number; urlsPerBlock: number }

/** Of the URLs of a site, posts before guides. `step` rows fit into one answer of the database. */
export type File = { page: number; from: number; count: number; step: number; lastmod: string | null }

type Block = { urls: number; bytes: number; lastmod: string }

export async function layOut(ctx: Context, site: SiteScope): Promise<Layout> {
  const extent = await measure(ctx, site)
  const { entryBytes } = extent
  const urls = extent.posts + extent.guides
  // No block takes more than half of an answer, so that any rows of that number fit into one.
  const fitting = Math.floor(RESPONSE_BUDGET_BYTES / 2 / entryBytes)
  const urlsPerBlock = Math.max(1, Math.min(MAX_URLS_PER_BLOCK, fitting))
  const blocksPerFile = Math.max(1, Math.floor(BYTES_PER_FILE / (urlsPerBlock * entryBytes)))
  return {
    ...extent,
    sections: Math.max(1, Math.ceil(urls / URLS_PER_FILE)),
    filesPerSection: Math.ceil(Math.min(urls, URLS_PER_FILE) / (blocksPerFile * urlsPerBlock)) || 1,
    urlsPerBlock,
  }
}

async function measure(ctx: Context, site: SiteScope): Promise<Extent> {
  const result = await ctx.db.execute(sql`
    select coalesce(sum(c.posts), 0)::integer as posts, count(distinct c.language_key)::integer as languages, g.guides,
      greatest(max(c.slug_bytes), g.slug_bytes) as slug_bytes
    from (
      select count(*)::integer as guides, coalesce(max(url_bytes(slug)), 0) as slug_bytes from ${guides}
      where site_id = ${site.id} and status = 'published'
    ) g
    left join ${postCounts} c on c.site_id = ${site.id} and c.status = 'published' and c.posts > 0
    group by g.guides, g.slug_bytes`)
  const row = result.rows[0] as { posts: number; guides: number; languages: number; slug_bytes: number }
  const { post, guide, link } = fixedBytes(site)
  const variableBytes = row.slug_bytes + 2 * MAX_LANGUAGE_BYTES
  // A post lists one version a language, itself among them, and x-default.
  const linksBytes = row.languages > 1 ? (row.languages + 1) * (link + variableBytes) : 0
  const entryBytes = Math.max(post, guide) + variableBytes + linksBytes
  return { posts: row.posts, guides: row.guides, linksBytes, entryBytes }
}

/** The files of a section, from 0; one of them alone is not measured, as it is known to fit. */
export async function filesOf(
  ctx: Context,
  site: SiteScope,
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
  const { rows } = await ctx.db.execute(blocksOf(site, layout, from, count))
  return join(layout, page, from, rows as unknown as Block[])
}

/** As many blocks a file as fit. */
function join({ urlsPerBlock }: Layout, firstPage: number, firstUrl: number, blocks: Block[]): File[] {
  const files: File[] = []
  let room = 0
  let heaviest = 0
  for (const { urls, bytes, lastmod } of blocks) {
    if (files.length === 0 || bytes > room) {
      const from = files.length === 0 ? firstUrl : files.at(-1)!.from + files.at(-1)!.count
      files.push({ page: firstPage + files.length, from, count: 0, step: 0, lastmod: null })
      room = BYTES_PER_FILE
      heaviest = 0
    }
    const file = files.at(-1)!
    room -= bytes
    heaviest = Math.max(heaviest, bytes)
    file.count += urls
    file.lastmod = file.lastmod !== null && file.lastmod > lastmod ? file.lastmod : lastmod
    // Rows of so many blocks may lie in one block more.
    const fitting = Math.floor(RESPONSE_BUDGET_BYTES / heaviest) - 1
    file.step = Math.min(MAX_ROWS_PER_QUERY, Math.max(1, fitting) * urlsPerBlock)
  }
  return files
}

/**
 * Bytes and the newest lastmod of each block, read in the indices alone. A post that has versions in several languages
 * is counted with all of them, and with its longest link once more for x-default: too much where two are in one language.
 */
function blocksOf(site: SiteScope, layout: Layout, from: number, count: number): SQL {
  const { post, guide, link } = fixedBytes(site)
  const home = site.defaultLanguage.toLowerCase()
  const firstGuide = Math.max(0, from - layout.posts)
  const posted = Math.max(0, Math.min(count, layout.posts - from))
  const language = sql`coalesce(nullif(p.language_key, ''), ${home})`
  const prefix = sql`case when p.language_key in ('', ${home}) then 0 else 1 + octet_length(p.language_key) end`
  const version = sql`${link} + ${prefix} + p.slug_bytes + octet_length(${language}) as bytes, ${language} as language`
  // Once for all versions of a post, and so that no plan can compare each row with each other one.
  const links = sql`
    select unnest(s.blocks), 0, least(
      t.bytes + coalesce(o.bytes, 0) + greatest(t.longest, o.bytes) + ${X_DEFAULT.length}, ${layout.linksBytes}
    ), null
    from (select source_id, array_agg(block) as blocks from page group by source_id) s
    cross join lateral (
      select sum(bytes) as bytes, max(bytes) as longest, min(language) as first, max(language) as last
      from (select ${version} from ${posts} p where p.source_post_id = s.source_id and p.status = 'published') v
    ) t
    left join lateral (
      select ${version} from ${posts} p where p.id = s.source_id and p.status = 'published' and t.bytes is not null
    ) o on true
    where least(t.first, o.language) <> greatest(t.last, o.language)
    union all`
  return sql`
    with page as (
      select p.updated_at, coalesce(p.source_post_id, p.id) as source_id, ${post} + ${prefix} + p.slug_bytes as bytes,
        (row_number() over (order by p.created_at, p.id) - 1) / ${layout.urlsPerBlock} as block
      from ${posts} p
      where p.site_id = ${site.id} and p.status = 'published' and ${beginning(site, posts, from)}
      order by p.created_at, p.id limit ${posted}
    ), parts (block, urls, bytes, updated_at) as (
      ${layout.filesPerSection > 1 ? links : sql``}
      select block, 1, bytes, updated_at from page
      union all
      select (${posted} + row_number() over (order by p.created_at, p.id) - 1) / ${layout.urlsPerBlock}, 1,
        ${guide} + url_bytes(p.slug), p.updated_at
      from (
        select p.* from ${guides} p
        where p.site_id = ${site.id} and p.status = 'published' and ${beginning(site, guides, firstGuide)}
        order by p.created_at, p.id limit ${count - posted}
      ) p
    )
    select sum(urls)::integer as urls, sum(bytes)::integer as bytes, wire_time(max(updated_at)) as lastmod
    from parts group by block order by block`
}

/** What an entry and a link take without slug and language, which stands in the path as well unless it is the site's. */
function fixedBytes(site: SiteScope): { post: number; guide: number; link: number } {
  const postAlone = postUrl(site, { slug: '', language: null })
  return {
    post: urlXml(postAlone, SOME_TIME).length,
    guide: urlXml(guideUrl(site, { slug: '' }), SOME_TIME).length,
    link: linkXml('', postAlone).length,
  }
}
