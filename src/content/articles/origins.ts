/** Origins: what imported articles are called at their source, each once in a site. */
import { type SQL, sql } from 'drizzle-orm'
import { refusalOf, refuse } from '../../db/refusals.ts'
import { AppError } from '../../foundation/errors.ts'
import type { Kind } from './kind.ts'

type Given = { slug: string; originId?: string | null | undefined }

/** Fails the batch for an origin that another article of the site has. Nothing for inputs that have none. */
export function checkOrigins({ table }: Kind, siteId: string, inputs: Given[]): SQL[] {
  const given = inputs.filter(({ originId }) => originId != null)
  if (given.length === 0) return []
  const origins = JSON.stringify(given.map(({ slug, originId }) => ({ slug, origin: originId })))
  return [
    sql`
    select ${refuse('origin_taken', sql`'slug', k.slug`)}
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
  const refusal = refusalOf(error)
  if (refusal?.reason !== 'origin_taken') return null
  const path = `${where(slugs.indexOf(refusal.slug!))}originId`
  return new AppError('invalid_body', { path, message: 'must not be that of another article' })
}
