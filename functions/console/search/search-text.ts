import type { Http } from '../../http/env.ts'

const MAX_SEARCH_LENGTH = 200

/** A search of the URL, cut to the length of a field. Postgres refuses NUL. */
export function readSearch(c: Http, name: 'q' | 'search'): string {
  return (c.req.query(name) ?? '').replaceAll('\0', '').trim().slice(0, MAX_SEARCH_LENGTH).toWellFormed()
}
