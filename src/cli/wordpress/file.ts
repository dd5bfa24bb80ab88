/** A WordPress export as a source of articles. The file is read twice, and never held. */
import { basename } from 'node:path'
import { Failure } from '../failure.ts'
import type { Article, Entry, Loss, Source } from '../import/source.ts'
import { addressesOf } from './addresses.ts'
import { entriesOf, originsOf, titleText } from './article.ts'
import { type Catalog, type CatalogOptions, readCatalog } from './catalog.ts'
import { type Item, itemName, readExport } from './export-file.ts'
import { postOf } from './item-post.ts'
import { seoOf } from './seo.ts'

/**
 * `pages`: whether pages become guides or are left out. `status`: `draft` makes drafts of everything; `published` changes
 * nothing, since each post says what it is, but drafts are named. `language` is that of posts that name none, or else the
 * file's, or if that differs only by its region, `defaultLanguage`, the site's.
 */
export type WordPressOptions = CatalogOptions & { status?: Article['status'] }

/**
 * The posts, and on demand pages, of a WXR file (Tools → Export). A file that was cut off gives the items before the cut,
 * and then one skipped entry with the position.
 *
 * @throws Failure when the file cannot be read, or is no WordPress export
 */
export async function wordpressFile(path: string, options: WordPressOptions): Promise<Source> {
  const file = basename(path)
  const catalog = await readCatalog(path, path, options)
  const { ending, articles, skipped } = catalog
  if (!ending.isExport) {
    throw new Failure(
      `${path} is not a WordPress export: a WXR file from Tools → Export has <wp:wxr_version>`,
    )
  }
  return {
    total: articles.count + skipped.size + (ending.cutOff ? 1 : 0),
    async *read() {
      for await (const part of readExport(path, path)) {
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
  if (!catalog.articles.byNumber(item.number)) return []
  try {
    const post = postOf(item, catalog)
    const seo = seoOf(item.meta, { title: titleText(post.title), siteName: catalog.siteName })
    return entriesOf(post, seo, { ...options, origins: originsOf(catalog.base, options.pages) })
  } catch (error) {
    return [{ skipped: { file: itemName(item), reason: (error as Error).message } }]
  }
}

function* entriesOfFile(file: string, catalog: Catalog): Generator<Entry> {
  const { leftOut, comments, customFields, ending } = catalog
  const loss = (field: string, reason: string): { loss: Loss } => ({ loss: { file, field, reason } })
  for (const [key, { field, count, names }] of leftOut) {
    const more = count > names.length ? ` and ${count - names.length} more` : ''
    yield loss(field, `${count} ${key.slice(field.length + 1)}: ${names.join(', ')}${more}`)
  }
  if (comments > 0) yield loss('wp:comment', `${comments} comments of readers are left out`)
  for (const [key, count] of customFields)
    yield loss(key, `a custom field, of ${count} ${count === 1 ? 'item' : 'items'}`)
  if (ending.declares) {
    yield loss('DOCTYPE', 'what the file declares, such as entities, is neither expanded nor fetched')
  }
  if (ending.cutOff) {
    const { bytes, within } = ending.cutOff
    const place = within === null ? '' : `, within ${within}`
    const reason = `cut off at byte ${bytes}${place}: the items before are taken over; export it again for the rest`
    yield { skipped: { file, reason } }
  }
}
