/** Origins: what imported articles are called at their source, each once in a site. */
import { type SQL, sql } from 'drizzle-orm'
import { databaseError } from '../../db/client.ts'
import { AppError } from '../../foundation/errors.ts'
import type { Kind } from './kind.ts'

const TAKEN = 'must not be that of another article'

type Given = { slug: string; originId?: string | null | undefined }

/** Fails the batch for an origin that another article of the site has. Nothing for inputs that have none. */
export function checkOrigins({ table }: Kind, siteId: string, inputs: Given[]): SQL[] {
  const given = inputs.filter(({ originId }) => originId != null)
  if (given.length === 0) return []
  const origins = JSON.stringify(given.map(({ slug, originId }) => ({ slug, origin: originId })))
  return [
    sql`
    select refuse_source(k.slug, ${TAKEN})
    from jsonb_to_recordset(${origins}::jsonb) as k (slug text, origin text)
    join ${table} e on e.site_id = ${siteId} and e.origin_id = k.origin
    where e.slug <> k.slug`,
  ]
}

/** Turns the error of `checkOrigins` into one about the input; null for any other error. */
export function originProblem(
  error: unknown,
  slugs: string[],
  where: (index: number) => string,
): AppError | null {
  const problem = databaseError(error)
  if (problem?.message !== TAKEN) return null
  const index = slugs.indexOf(problem.detail ?? '')
  return new AppError('invalid_body', { path: `${where(index)}originId`, message: TAKEN })
}
