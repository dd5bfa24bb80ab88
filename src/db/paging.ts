import { and, type Column, eq, lt, or, type SQL } from 'drizzle-orm'
import { UUID } from '../core/ids.ts'

export type Cursor = { at: Date; id: string }
export type Paging = { limit: number; cursor: Cursor | null }
export type Page<Item> = { items: Item[]; next: string | null }

export function afterCursor(cursor: Cursor | null, at: Column, id: Column): SQL | undefined {
  return cursor ? or(lt(at, cursor.at), and(eq(at, cursor.at), lt(id, cursor.id))) : undefined
}

/** `rows` has one row more than the limit if there is a next page. */
export function cutPage<Row extends { id: string }, Item>(
  rows: Row[],
  paging: Paging,
  at: (row: Row) => Date,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, paging.limit)
  const last = shown.at(-1)
  const more = rows.length > shown.length && last
  return { items: shown.map(toItem), next: more ? `${at(last).getTime()}_${last.id}` : null }
}

export function parseCursor(text: string): Cursor | null {
  const [, at, id = ''] = /^(\d{1,14})_(.+)$/.exec(text) ?? []
  return UUID.test(id) ? { at: new Date(Number(at)), id } : null
}
