/** Compares the imported site of content.php, field by field, with SQL. */
import { htmlToText } from '../../../../src/html/text.ts'
import { bundleArticle } from '../../support/bundle.ts'
import { lossText, type Read } from '../support/wxr.ts'
import type { Row } from './wordpress.ts'

/** How a site was read: from its export, or its REST API, anonymously or as a user. */
export type Way = 'WXR' | 'REST' | 'REST, signed in'

type Field = { name: string; sql: unknown; imported: unknown }

export type Comparison = {
  /** As in `slug: 20 of 20`. */
  table: string[]
  /** Differences that the report does not name. */
  differing: string[]
}

export function compare(rows: Row[], read: Read, way: Way): Comparison {
  const counts = new Map<string, { equal: number; all: number }>()
  const differing: string[] = []
  const isShown = (row: Row) => way !== 'REST' || row.status === 'published'
  for (const row of rows.filter(isShown)) {
    const fields = fieldsOf(row, read)
    if (!fields) differing.push(`${row.title} is missing`)
    for (const { name, sql, imported } of fields ?? []) {
      const count = counts.get(name) ?? { equal: 0, all: 0 }
      counts.set(name, count)
      count.all += 1
      if (JSON.stringify(sql) === JSON.stringify(imported)) count.equal += 1
      else differing.push(`${row.title}: ${name} is ${JSON.stringify(imported)}, not ${JSON.stringify(sql)}`)
    }
  }
  const hidden = rows.filter((row) => !isShown(row))
  for (const { title } of hidden.filter(({ title }) =>
    read.found.some(({ article }) => article.title === title),
  ))
    differing.push(`${title} is not for all to read, and came in`)
  return { table: [...counts].map(([name, { equal, all }]) => `${name}: ${equal} of ${all}`), differing }
}

function fieldsOf(row: Row, read: Read): Field[] | null {
  const title = withoutControls(row.title)
  const found = read.found.find((one) => one.article.title === title)
  if (!found) return null
  const { article, kind, file } = found
  const about = bundleArticle(article)
  const lost = read.losses
    .filter((loss) => loss.file === file)
    .map((loss) => `${loss.field}: ${lossText(loss)}`)
  const image = about.image as string | { url: string; caption: string } | undefined
  const url = typeof image === 'object' ? image.url : image
  const names = (value: unknown) => [value ?? []].flat()
  return [
    { name: 'kind', sql: row.kind, imported: kind },
    { name: 'title', sql: title, imported: article.title },
    // WordPress gives drafts a slug when they are published.
    { name: 'slug', sql: row.slug || article.slug, imported: article.slug },
    { name: 'status', sql: row.status, imported: article.status },
    { name: 'publishedAt', sql: row.publishedAt ?? undefined, imported: article.publishedAt },
    { name: 'dateModified', sql: row.dateModified, imported: about.dateModified },
    { name: 'author', sql: row.author, imported: (about.author as { name?: string } | undefined)?.name },
    { name: 'categories', sql: row.categories, imported: names(about.articleSection) },
    { name: 'tags', sql: row.tags, imported: article.tags ?? [] },
    { name: 'excerpt', sql: row.excerpt || undefined, imported: article.excerpt },
    { name: 'image', sql: row.image ?? undefined, imported: url && new URL(url).pathname },
    {
      name: 'text of the image',
      sql: row.imageAlt || undefined,
      imported: typeof image === 'object' ? image.caption : undefined,
    },
    {
      name: 'custom taxonomy, named',
      sql: row.boats.length > 0 ? [`boat: a taxonomy of a plugin or theme: ${row.boats.join(', ')}`] : [],
      imported: lost.filter((loss) => loss.startsWith('boat: ')),
    },
    { name: 'words', sql: [], imported: missingWords(row.content, article.contentHtml) },
  ]
}

/** Words of a body in WordPress's database that the imported one lacks; shortcodes and blocks do not count. */
function missingWords(content: string, html: string): string[] {
  const written = content.replace(/<!--.*?-->|\[\/?\w[^\]]*\]/gs, ' ')
  const there = new Set(wordsOf(html))
  return wordsOf(written).filter((word) => !there.has(word))
}

function wordsOf(html: string): string[] {
  return withoutControls(htmlToText(html).text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, '')
}
