/** The sitemap of a site's published posts and guides (https://www.sitemaps.org/protocol.html). */

import type { ContentScope } from '../../db/site-scope.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { guideUrl, postUrl, siteUrl } from '../../foundation/urls.ts'
import { type File, type Layout, listSectionFiles, planSitemapFiles } from './files.ts'
import { guideRows, postRows, selectUrls } from './rows.ts'
import { alternates, FILE_END, FILE_START, fileXml, INDEX_END, INDEX_START, linksOf, urlXml } from './xml.ts'

/**
 * The sitemap as chunks of XML, or the sitemap index if it does not fit in one file.
 *
 * @param page the number of a file, from 1; null for the sitemap or its index
 * @param filesAt the URL that has the files of an index as `?page=N`
 * @throws AppError not_found when there is no such file
 */
export async function renderSitemap(
  ctx: Context,
  site: ContentScope,
  page: number | null,
  filesAt = `${siteUrl(site)}sitemap.xml`,
): Promise<AsyncIterable<string>> {
  const version = `${site.id} ${site.contentVersion}`
  const { sitemapEnds } = ctx.caches
  // A section may have fewer files than numbers.
  const gap = `${version} ${page}`
  const isKnownMissing =
    (page ?? 0) >= (sitemapEnds.get(version) ?? Infinity) || sitemapEnds.get(gap) !== undefined
  if (isKnownMissing) throw new AppError('not_found')
  const layout = await planSitemapFiles(ctx, site)
  const section = page === null ? 0 : Math.floor((page - 1) / layout.filesPerSection)
  if (section >= layout.sections) {
    sitemapEnds.set(version, layout.sections * layout.filesPerSection + 1)
    throw new AppError('not_found')
  }
  const isIndex = page === null && layout.sections > 1
  const files = await listSectionFiles(ctx, site, layout, section, { lastmod: isIndex })
  if (isIndex || (page === null && files.length > 1)) return index(ctx, site, layout, files, filesAt)
  const file = page === null ? files[0] : files.find((each) => each.page === page)
  if (!file) {
    sitemapEnds.set(gap, page ?? 0)
    throw new AppError('not_found')
  }
  return urlset(ctx, site, layout, file)
}

async function* index(
  ctx: Context,
  site: ContentScope,
  layout: Layout,
  first: File[],
  filesAt: string,
): AsyncGenerator<string> {
  let head = INDEX_START
  let files = first
  for (let section = 1; section <= layout.sections; section++) {
    const next = section < layout.sections && listSectionFiles(ctx, site, layout, section, { lastmod: true })
    if (next) next.catch(() => {})
    yield head + files.map(({ page, lastmod }) => fileXml(`${filesAt}?page=${page}`, lastmod)).join('')
    head = ''
    if (next) files = await next
  }
  yield INDEX_END
}

async function* urlset(
  ctx: Context,
  site: ContentScope,
  layout: Layout,
  { from, count, step }: File,
): AsyncGenerator<string> {
  const postCount = Math.max(0, Math.min(count, layout.posts - from))
  const guideCount = count - postCount
  // Sent with the first rows, so that a failure before them is an error response and not a truncated file.
  let head = FILE_START
  // Both start their first query here, in parallel.
  const postBatches = selectUrls(ctx, postRows(site), from, postCount, step)
  const guideBatches = selectUrls(ctx, guideRows(site), Math.max(0, from - layout.posts), guideCount, step)
  for await (const rows of postBatches) {
    const links = linksOf(site, rows)
    yield head +
      rows.map((row) => urlXml(postUrl(site, row), row.lastmod, alternates(site, row, links))).join('')
    head = ''
  }
  for await (const rows of guideBatches) {
    yield head + rows.map((row) => urlXml(guideUrl(site, row), row.lastmod)).join('')
    head = ''
  }
  // The schema requires at least one URL, so an empty site lists its home page.
  const home = layout.posts + layout.guides === 0 ? urlXml(siteUrl(site), null) : ''
  yield `${head}${home}${FILE_END}`
}
