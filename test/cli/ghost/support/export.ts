import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GhostOptions, ghostFile } from '../../../../src/cli/ghost/source.ts'
import type { Entry, Loss, Skipped, SourceArticle } from '../../../../src/transfer/source.ts'
import { folderOf } from '../../support/admin.ts'

type Row = Record<string, unknown>
export type Tables = Record<string, Row[]>

export function postRow(fields: Row): Row {
  return {
    id: `id-of-${fields.slug}`,
    title: `Title of ${fields.slug}`,
    html: '<p>body</p>',
    lexical: null,
    mobiledoc: null,
    feature_image: null,
    featured: 0,
    type: 'post',
    status: 'published',
    visibility: 'public',
    locale: null,
    custom_excerpt: null,
    published_at: '2024-05-06T07:08:09.000Z',
    ...fields,
  }
}

export function exportOf(data: Tables): string {
  return JSON.stringify({ db: [{ meta: { exported_on: 1_700_000_000_000, version: '5.80.0' }, data }] })
}

/** Reads an export with these tables, or this text. */
export async function readExport(content: Tables | string, options: Partial<GhostOptions> = {}) {
  await using folder = await folderOf({})
  const path = join(folder.path, 'export.json')
  await writeFile(path, typeof content === 'string' ? content : exportOf(content))
  const source = await ghostFile(path, {
    name: 'export.json',
    pages: 'guides',
    defaultLanguage: 'en',
    ...options,
  })
  const entries = await all(source.read())
  const again = await all(source.read())
  const found = entries.flatMap((entry): SourceArticle[] => ('found' in entry ? [entry.found] : []))
  const losses = entries.flatMap((entry): Loss[] => ('loss' in entry ? [entry.loss] : []))
  const skipped = entries.flatMap((entry): Skipped[] => ('skipped' in entry ? [entry.skipped] : []))
  return { source, entries, again, found, losses, skipped, articles: found.map(({ article }) => article) }
}

async function all(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const read: Entry[] = []
  for await (const entry of entries) read.push(entry)
  return read
}
