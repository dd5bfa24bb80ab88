/** A WordPress export as a source of articles. The file is streamed twice. */
import { basename } from 'node:path'
import type { CheckHtml } from '../../convert/limits.ts'
import { Failure } from '../../transfer/failure.ts'
import type { Entry, Loss, Source } from '../../transfer/source.ts'
import type { Reason } from '../import/losses.ts'
import type { StatusFlags } from '../import/status.ts'
import { addressesOf } from './addresses.ts'
import { entriesOf, originsOf, titleText } from './article.ts'
import { type Catalog, type CatalogOptions, kindOf, readCatalog } from './catalog.ts'
import { type Item, itemName, readExport } from './export-file.ts'
import { postOf } from './item-post.ts'
import { seoOf } from './seo.ts'

/**
 * `pages`: import pages as guides, or leave them out. `language` is for posts without one; by default the file's, or
 * `defaultLanguage`, the site's, if they differ only by region.
 */
export type WordPressOptions = CatalogOptions &
  StatusFlags & {
    /** Name of the file in messages. */
    name?: string
    /** Limits bodies. @throws Error with a one-line reason */
    checkHtml?: CheckHtml
  }

/**
 * Reads a WXR file (Tools → Export). An incomplete file yields its complete items, and then a skipped entry with the
 * position. @throws Failure when the file cannot be read, or is not a WordPress export
 */
export async function wordpressFile(path: string, options: WordPressOptions): Promise<Source> {
  const { name = path } = options
  const file = basename(name)
  const catalog = await readCatalog(path, name, options)
  const { ending, articles, skipped } = catalog
  if (!ending.isExport) {
    throw new Failure(
      `${name} is not a WordPress export: a WXR file from Tools → Export has <wp:wxr_version>`,
    )
  }
  return {
    total: articles.count + skipped.size + (ending.cutOff ? 1 : 0),
    async *read() {
      for await (const part of readExport(path, name)) {
        if ('item' in part) yield* entriesOfItem(part.item, catalog, options)
      }
      yield* entriesOfFile(file, catalog)
    },
    origins: originsOf(catalog.base, options.pages),
    ...addressesOf({
      base: catalog.base,
      mediaHosts: catalog.mediaHosts,
      byPath: articles.byPath,
      byId: articles.byId,
    }),
  }
}

function entriesOfItem(item: Item, catalog: Catalog, options: WordPressOptions): Entry[] {
  const skip = catalog.skipped.get(item.number)
  if (skip) return [{ skipped: { file: itemName(item), reason: skip } }]
  const kind = kindOf(item, options.pages)
  // Only at the end it is known which reusable blocks are used.
  if (item.fields['wp:post_type'] === 'wp_block') return []
  if (typeof kind !== 'string') return [{ loss: { file: itemName(item), ...kind } }]
  try {
    const post = postOf(item, catalog, options.checkHtml)
    const seo = seoOf(item.meta, { title: titleText(post.title), siteName: catalog.siteName })
    return entriesOf(post, seo, { ...options, origins: originsOf(catalog.base, options.pages) })
  } catch (error) {
    return [{ skipped: { file: itemName(item), reason: (error as Error).message } }]
  }
}

function* entriesOfFile(file: string, catalog: Catalog): Generator<Entry> {
  const { blocks, comments, ending } = catalog
  for (const { name, isShown } of blocks.values()) {
    if (!isShown)
      yield { loss: { file: name, field: 'wp_block', reason: 'a reusable block that no post or guide uses' } }
  }
  const loss = (field: string, reason: Reason, detail?: string): { loss: Loss } => ({
    loss: { file, field, reason, ...(detail !== undefined && { detail }) },
  })
  if (comments > 0) yield loss('wp:comment', 'comments by readers are left out', String(comments))
  if (ending.declares) {
    yield loss('DOCTYPE', 'declarations in the file, such as entities, are neither expanded nor fetched')
  }
  if (ending.cutOff) {
    const { bytes, within } = ending.cutOff
    const place = within === null ? '' : `, within ${within}`
    const reason = `incomplete, ends at byte ${bytes}${place}: export it again`
    yield { skipped: { file, reason } }
  }
}
