/** What became of a row that was put by its slug. */
import { z } from 'zod'
import { postStatuses } from '../db/schema.ts'

export const PutResult = z.object({
  slug: z.string(),
  id: z.uuid(),
  outcome: z.enum(['created', 'updated', 'unchanged']),
  status: z.enum(postStatuses),
  updatedAt: z.iso.datetime(),
})

export type PutResult = z.infer<typeof PutResult>

/** The rows of one or several put statements, in the order of the slugs that were put. */
export function takeResults(slugs: string[], results: unknown[]): PutResult[] {
  const rows = results.flatMap((result) => (result as { rows: PutResult[] }).rows)
  const bySlug = new Map(rows.map((row) => [row.slug, row]))
  return slugs.map((slug) => {
    const { id, outcome, status, updatedAt } = bySlug.get(slug)!
    return { slug, id, outcome, status, updatedAt: new Date(updatedAt).toISOString() }
  })
}
