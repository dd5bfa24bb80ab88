import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import type { ContentScope } from '../../db/site-scope.ts'
import { guideUrl, postUrl, siteUrl } from '../model/urls.ts'
import { type File, planSitemap } from './files.ts'
import { guideRows, postRows, selectUrls } from './rows.ts'
import { alternates, FILE_END, FILE_START, fileXml, INDEX_END, INDEX_START, linksOf, urlXml } from './xml.ts'

/** XML chunks. `page` counts from 1; null is the sitemap or its index, whose files are `filesAt?page=N`. @throws AppError not_found */
export async function renderSitemap(
  ctx: Context,
  site: ContentScope,
  page: number | null,
  filesAt = `${siteUrl(site)}sitemap.xml`,
): Promise<AsyncIterable<string>> {
  const { isIndex, files, lastmod, step } = await planSitemap(ctx, site)
  if (isIndex && page === null) return index(files.length, lastmod, filesAt)
  const file = files[(page ?? 1) - 1]
  if (!file) throw new AppError('not_found')
  return urlset(ctx, site, file, step)
}

async function* index(files: number, lastmod: string, filesAt: string): AsyncGenerator<string> {
  yield INDEX_START
  yield Array.from({ length: files }, (_, at) => fileXml(`${filesAt}?page=${at + 1}`, lastmod)).join('')
  yield INDEX_END
}

async function* urlset(
  ctx: Context,
  site: ContentScope,
  { posts, guides }: File,
  step: number,
): AsyncGenerator<string> {
  // Sent with the first rows, so that an earlier failure is an error response and not a truncated file.
  let head = FILE_START
  // Both start their first query here, in parallel.
  const postBatches = selectUrls(ctx, postRows(site), posts, step)
  const guideBatches = selectUrls(ctx, guideRows(site), guides, step)
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
  const home = posts || guides ? '' : urlXml(siteUrl(site), null)
  yield `${head}${home}${FILE_END}`
}
