/** A file of `export` as a source: posts, guides and redirects, then training rows and settings. */
import type { ArticleKind } from '../content/model/article-filters.ts'
import { sha256Hex } from '../core/ids.ts'
import { MAX_TRAINING_ROWS } from '../core/limits.ts'
import type { Api } from './api.ts'
import { inBatches } from './batches.ts'
import { FORMAT, REPEATING_FORMAT, type Settings } from './export.ts'
import { Failure, relocated } from './failure.ts'
import type { Article, Entry, LoadedSite, Redirect, Source } from './source.ts'

type Header = { format?: unknown; settings: Settings }
type ArticleLine = { type: 'post' | 'guide'; id: string; post?: Article; guide?: Article }
type RowLine = { type: 'trainingRow'; id: string; row: Record<string, unknown> }
type RedirectLine = { type: 'redirect'; redirect: Redirect }
type DeletedLine = { type: 'deleted'; id: string }
type Line = ArticleLine | DeletedLine | RowLine | RedirectLine | { type: 'end' }
type Row = Record<string, unknown> & { id: string }

/** Lines are counted from 1. It is called more than once. */
type Objects = () => AsyncIterable<{ line: number; object: Record<string, unknown> }>

export type NdjsonOptions = {
  /** New articles and rows get the ids in the file. */
  keepIds: boolean
  /** True if the site takes the settings in the file; by default, if the site is empty. */
  settings: boolean | undefined
  dryRun: boolean
}

/** @throws Failure when the file is not an export */
export async function ndjsonFile(
  api: Api,
  site: LoadedSite,
  file: string,
  objects: Objects,
  { keepIds, settings, dryRun }: NdjsonOptions,
): Promise<Source> {
  const header = await headerOf(objects, file)
  const takesSettings = settings ?? (await isEmpty(api, site))
  // Before the articles, since their URLs depend on the settings.
  if (takesSettings && !dryRun) await api('PATCH /sites/{siteId}', [site.id], { body: header.settings })
  return {
    total: null,
    async *read(): AsyncIterable<Entry> {
      const last = header.format === REPEATING_FORMAT ? await lastLines(objects, file) : null
      for await (const { line, value } of linesOf(objects, file)) {
        if (value.type === 'redirect') yield { redirect: { file: `line ${line}`, redirect: value.redirect } }
        if (value.type !== 'post' && value.type !== 'guide') continue
        if (last && last.get(value.id) !== line) continue
        const kind: ArticleKind = value.type === 'post' ? 'posts' : 'guides'
        const article = value.post ?? value.guide
        const origin = article?.originId ?? undefined
        if (!article) throw new Failure(`${file}, line ${line}, has no ${value.type}`)
        yield {
          found: {
            file: `line ${line}`,
            kind,
            article,
            origin,
            exported: true,
            ...(keepIds && { id: value.id }),
          },
        }
      }
    },
    async rest() {
      const trainingRows = await addRows(api, site, file, objects, { keepIds, dryRun })
      return { trainingRows, settings: takesSettings ? 'from the file' : 'unchanged' }
    },
    target: () => undefined,
    mediaPath: () => null,
  }
}

async function isEmpty(api: Api, site: LoadedSite): Promise<boolean> {
  const first = (kind: ArticleKind) => api(`GET /sites/{siteId}/${kind}`, [site.id], { query: { limit: 1 } })
  const pages = await Promise.all([first('posts'), first('guides')])
  return pages.every(({ items }) => items.length === 0)
}

async function headerOf(objects: Objects, file: string): Promise<Header> {
  for await (const { object } of objects()) {
    if (object.format === FORMAT || object.format === REPEATING_FORMAT) return object as Header
    break
  }
  throw new Failure(`${file} is not an export of a site: its first line does not name the format ${FORMAT}`)
}

async function lastLines(objects: Objects, file: string): Promise<Map<string, number>> {
  const last = new Map<string, number>()
  for await (const { line, value } of linesOf(objects, file))
    if (value.type === 'post' || value.type === 'guide' || value.type === 'deleted') last.set(value.id, line)
  return last
}

/** @throws Failure when the file has no end line */
async function* linesOf(objects: Objects, file: string): AsyncGenerator<{ line: number; value: Line }> {
  let last = 0
  for await (const { line, object } of objects()) {
    last = line
    const value = object as Line
    if (value.type === 'end') return
    if ('type' in value) yield { line, value }
  }
  throw new Failure(`${file} is incomplete: it ends after line ${last}, without the line {"type":"end",…}`)
}

async function addRows(
  api: Api,
  site: LoadedSite,
  file: string,
  objects: Objects,
  { keepIds, dryRun }: { keepIds: boolean; dryRun: boolean },
): Promise<number> {
  async function* rows() {
    for await (const { line, value } of linesOf(objects, file)) {
      if (value.type !== 'trainingRow') continue
      const id = keepIds ? value.id : await idFor(site.id, value.id)
      yield { line, row: { id, ...value.row } }
    }
  }
  let added = 0
  for await (const batch of inBatches(rows(), MAX_TRAINING_ROWS, ({ row }) => row))
    added += dryRun ? batch.length : await post(api, site, file, batch)
  return added
}

async function post(api: Api, site: LoadedSite, file: string, batch: { line: number; row: Row }[]) {
  try {
    const body = { rows: batch.map(({ row }) => row) }
    const { added } = await api('POST /sites/{siteId}/training-rows', [site.id], { body })
    return added
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const inFile = (_: string, at: string) => `${file}, line ${batch[Number(at)]?.line ?? at}`
    throw relocated(error, (path) => path.replace(/^rows\[(\d+)\]/, inFile))
  }
}

/** Deterministic per site and row, so that a repeated import adds nothing (UUID version 8, RFC 9562). */
async function idFor(site: string, row: string): Promise<string> {
  const hex = await sha256Hex(`${site} ${row}`)
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-')
}
