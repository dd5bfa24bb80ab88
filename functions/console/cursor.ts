import type { Context } from '../../src/context.ts'
import { AppError } from '../../src/core/errors.ts'
import type { Http } from '../http/env.ts'

/** `?cursor=`; null for the first page. @throws AppError invalid_query */
export function readCursor<Cursor>(c: Http, parse: (text: string) => Cursor | null): Cursor | null {
  const text = c.req.query('cursor') ?? ''
  return text === '' ? null : (parse(text) ?? refuse())
}

/** Like `readCursor`, for the cursors of `sealCursor`. */
export async function readSealedCursor<Cursor>(
  c: Http,
  open: (ctx: Context, cursor: string) => Promise<Cursor | null>,
): Promise<Cursor | null> {
  const text = c.req.query('cursor') ?? ''
  return text === '' ? null : ((await open(c.get('ctx'), text)) ?? refuse())
}

function refuse(): never {
  throw new AppError('invalid_query', { path: 'cursor', message: 'must be the cursor of a page link' })
}
