import { parseChangeCursor } from '../../src/content/changes.ts'
import { AppError } from '../../src/core/errors.ts'
import { DAY_MS } from '../../src/core/time.ts'
import { integerParam, textParam } from './query.ts'

const DEFAULT_LIMIT = 100

export const changePageParams = {
  cursor: textParam('`cursor` of the previous response. Without it, the feed starts from the beginning'),
  limit: integerParam({ minimum: 1, maximum: 500, fallback: DEFAULT_LIMIT, description: 'Changes per page' }),
}

type Params = { cursor?: string | undefined; limit?: number | undefined }

/** Runs `authorize` before it refuses a cursor. @throws AppError invalid_query for a malformed cursor or another site's */
export async function changePage(
  site: { id: string },
  { cursor, limit = DEFAULT_LIMIT }: Params,
  authorize?: () => unknown,
) {
  const now = Date.now()
  const today = now - (now % DAY_MS)
  if (cursor === undefined) return { cursor: null, limit, today }
  const parsed = await parseChangeCursor(site, cursor)
  if (parsed) return { cursor: parsed, limit, today }
  await authorize?.()
  throw new AppError('invalid_query', { path: 'cursor', message: "must be one of this site's change feed" })
}
