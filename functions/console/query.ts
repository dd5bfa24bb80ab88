/** The page, the search and the filters of a list, from the URL. */
import { AppError } from '../../src/core/errors.ts'
import type { Http } from '../http/env.ts'
import type { Values } from './forms/form.ts'
import { parentList } from './parent-list.ts'
import { toInstantText } from './parts/fields/instant-field.tsx'

/** `?cursor=`; null for the first page. @throws AppError invalid_query */
export async function readCursor<Cursor>(
  c: Http,
  parse: (text: string) => Cursor | null | Promise<Cursor | null>,
): Promise<Cursor | null> {
  const text = c.req.query('cursor') ?? ''
  if (text === '') return null
  const cursor = await parse(text)
  if (cursor !== null) return cursor
  throw new AppError('invalid_query', { path: 'cursor', message: 'must be the cursor of a page link' })
}

const MAX_SEARCH_LENGTH = 200

/** Cut to the length of a field. Postgres refuses NUL. */
export function readSearch(c: Http, name: 'q' | 'search'): string {
  return (c.req.query(name) ?? '').replaceAll('\0', '').trim().slice(0, MAX_SEARCH_LENGTH).toWellFormed()
}

/** The filters in a query, as typed and as input. Skips empty fields. A repeated one is invalid. */
export function readFilters(queries: Record<string, string[]>, names: readonly string[]) {
  const given = Object.entries(queries).filter(
    ([name, texts]) => names.includes(name) && texts.join('').trim() !== '',
  )
  const values: Values = Object.fromEntries(given.map(([name, [text = '']]) => [name, text]))
  const input: Record<string, unknown> = Object.fromEntries(
    given.map(([name, texts]) => [name, texts.length > 1 ? texts : toInstantText(texts[0]!.trim())]),
  )
  return { values, input }
}

/** The query of the list that the page was opened from. */
export function parentQueries(c: Http, list: string): Record<string, string[]> {
  const [, query = ''] = parentList(c, list).split('?')
  return Object.fromEntries([...new URLSearchParams(query)].map(([name, text]) => [name, [text]]))
}
