/** The sitemap of a site's published posts and guides (https://www.sitemaps.org/protocol.html). */
import { type SQL, sql } from 'drizzle-orm'
import { RESPONSE_BUDGET_BYTES } from './byte-budget.ts'
import type { Context } from './context.ts'
import { guides, postCounts, posts } from './db/schema.ts'
import { AppError } from './errors.ts'
import type { SiteScope } from './sites.ts'
import { guideUrl, postUrl, siteUrl } from './urls.ts'

const URLS_PER_FILE = 50_000
/** Half of what the protocol allows, so that a file of many alternates is there within a second too. */
const BYTES_PER_FILE = 25_000_000
const ROWS_PER_QUERY = 5_000
const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const HREFLANG_NAMESPACE = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'

type Version = { slug: string; language: string | null; source: boolean }
type Entry = {
  slug: string
  language: string | null
  lastmod: string
  key: string
  /** What the published versions of a post have in common. */
  source_id: string | null
  /** All of them, with the first of them among the rows that came together. */
  versions: Version[] | null
}
/** The links of a post's versions, in their order, by language. */
type Links = { byLanguage: Map<string, string>; fallback: string; all: string }
/** How many URLs there are, and how many bytes one may take with its alternates. */
type Extent = { posts: number; guides: number; entryBytes: number }

/**
 * The sitemap, or the index of its files when it does not fit in one, as pieces of XML.
 *
 * @param page the file asked for, from 1; null for the entry point
 * @throws AppError not_found when there is no such file
 */
export async function write(
  ctx: Context,
  site: SiteScope,
  page: number | null,
): Promise<AsyncIterable<string>> {
  const extent = await measure(ctx, site)
  const perFile = Math.min(URLS_PER_FILE, Math.floor(BYTES_PER_FILE / extent.entryBytes))
  const files = Math.max(1, Math.ceil((extent.posts + extent.guides) / perFile))
  if (page !== null && page > files) throw new AppError('not_found')
  if (page === null && files > 1) return index(site, files)
  return file(ctx, site, extent, ((page ?? 1) - 1) * perFile, perFile)
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
  const urlBytes =
    site.domain.length + 50 + Math.max(site.postPath.length, site.guidePath.length) + row.slug_bytes
  // A post lists one version a language, itself among them, and x-default.
  const alternates = row.languages > 1 ? (row.languages + 1) * (urlBytes + 100) : 0
  return { posts: row.posts, guides: row.guides, entryBytes: urlBytes + 100 + alternates }
}

async function* index(site: SiteScope, files: number): AsyncGenerator<string> {
  yield `${XML}<sitemapindex ${NAMESPACE}>\n`
  for (let page = 1; page <= files; page++) {
    yield `<sitemap><loc>${escapeXml(`${siteUrl(site)}sitemap.xml?page=${page}`)}</loc></sitemap>\n`
  }
  yield '</sitemapindex>\n'
}

async function* file(
  ctx: Context,
  site: SiteScope,
  extent: Extent,
  from: number,
  count: number,
): AsyncGenerator<string> {
  const step = Math.max(1, Math.min(ROWS_PER_QUERY, Math.floor(RESPONSE_BUDGET_BYTES / extent.entryBytes)))
  const postCount = Math.max(0, Math.min(count, extent.posts - from))
  const guideCount = Math.min(count - postCount, extent.guides)
  // The head goes with the first rows: what fails before them is still an error and no half of a file.
  let head = `${XML}<urlset ${NAMESPACE} ${HREFLANG_NAMESPACE}>\n`
  // Both are asked for at once.
  const postBatches = read(ctx, postRows(site), from, postCount, step)
  const guideBatches = read(ctx, guideRows(site), Math.max(0, from - extent.posts), guideCount, step)
  for await (const rows of postBatches) {
    const links = linksOf(site, rows)
    yield head +
      rows.map((row) => urlXml(postUrl(site, row), row.lastmod, alternates(site, row, links))).join('')
    head = ''
  }
  for await (const rows of guideBatches) {
    yield head + rows.map((row) => urlXml(guideUrl(site, row), row.lastmod, '')).join('')
    head = ''
  }
  // The schema wants at least one URL, and a site has one: its home page.
  const home = extent.posts + extent.guides === 0 ? `<url><loc>${escapeXml(siteUrl(site))}</loc></url>\n` : ''
  yield `${head}${home}</urlset>\n`
}

/** `start` is the key of the row before the first one, or the first one's position. */
type Source = (start: string | number, limit: number) => SQL

/**
 * Rows `from` to `from + count`, a few at a time, each query going on where the last one ended; the first is under way
 * at once, each other while the rows of the last one are written.
 */
function read(
  ctx: Context,
  source: Source,
  from: number,
  count: number,
  step: number,
): AsyncGenerator<Entry[]> {
  const query = (start: string | number, left: number): Promise<Entry[]> => {
    const asked = ctx.db.execute(source(start, Math.min(step, left)))
    const found = asked.then(({ rows }) => rows as unknown as Entry[])
    found.catch(() => {})
    return found
  }
  let next = count > 0 ? query(from, count) : null
  return (async function* () {
    for (let left = count - step; next; left -= step) {
      const rows = await next
      if (rows.length === 0) return
      next = left > 0 ? query(rows.at(-1)!.key, left) : null
      yield rows
    }
  })()
}

/** In the order of creation: new URLs come last, and the files before them stay as they are. */
function postRows(site: SiteScope): Source {
  return (start, limit) => sql`
    with page as (
      select p.slug, p.language, p.updated_at, p.created_at, p.id, coalesce(p.source_post_id, p.id) as source_id
      from ${posts} p
      where p.site_id = ${site.id} and p.status = 'published' and ${beginning(site, posts, start)}
      order by p.created_at, p.id limit ${limit}
    )
    select p.slug, p.language, wire_time(p.updated_at) as lastmod, p.created_at || '/' || p.id as key, p.source_id,
      case when row_number() over (partition by p.source_id order by p.created_at, p.id) = 1 then (
        select json_agg(json_build_object('slug', t.slug, 'language', t.language, 'source', t.id = p.source_id)
          order by t.created_at, t.id)
        from (
          select * from ${posts} where id = p.source_id
          union all
          select * from ${posts} where source_post_id = p.source_id
          offset 0
        ) t
        where t.site_id = ${site.id} and t.status = 'published'
      ) end as versions
    from page p
    order by p.created_at, p.id`
}

function guideRows(site: SiteScope): Source {
  return (start, limit) => sql`
    select p.slug, null as language, wire_time(p.updated_at) as lastmod, p.created_at || '/' || p.id as key,
      null as source_id, null as versions
    from ${guides} p
    where p.site_id = ${site.id} and p.status = 'published' and ${beginning(site, guides, start)}
    order by p.created_at, p.id limit ${limit}`
}

/** What is skipped is skipped in the index alone. */
function beginning(site: SiteScope, table: typeof posts | typeof guides, start: string | number): SQL {
  if (typeof start === 'number') {
    return sql`(p.created_at, p.id) >= (
      select created_at, id from ${table} where site_id = ${site.id} and status = 'published'
      order by created_at, id limit 1 offset ${start})`
  }
  const [createdAt, id] = start.split('/')
  return sql`(p.created_at, p.id) > (${createdAt}::timestamptz, ${id}::uuid)`
}

/** The links of each post among the rows that has versions in several languages, by what they have in common. */
function linksOf(site: SiteScope, rows: Entry[]): Map<string, Links> {
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
function alternates(site: SiteScope, entry: Entry, links: Map<string, Links>): string {
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

function urlXml(loc: string, lastmod: string, links: string): string {
  return `<url><loc>${escapeXml(loc)}</loc><lastmod>${lastmod}</lastmod>${links}</url>\n`
}

function linkXml(hreflang: string, href: string): string {
  return `<xhtml:link rel="alternate" hreflang="${escapeXml(hreflang)}" href="${escapeXml(href)}"/>`
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
