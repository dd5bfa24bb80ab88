/** Where a page of a list starts. */
import { AppError } from '../../src/foundation/errors.ts'
import type { Http } from '../http/env.ts'

/** `?cursor=`; null for the first page. @throws AppError invalid_query */
export function readCursor<Cursor>(c: Http, parse: (text: string) => Cursor | null): Cursor | null {
  const text = c.req.query('cursor') ?? ''
  const cursor = text === '' ? null : parse(text)
  if (text === '' || cursor !== null) return cursor
  throw new AppError('invalid_query', { path: 'cursor', message: 'must be that of a link to a page' })
}
