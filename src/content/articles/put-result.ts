/** The result of putting one article. */
import * as z from 'zod/mini'
import { postStatuses } from '../../db/schema.ts'
import { wireShape } from '../../foundation/wire-shape.ts'

export const PutResult = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      slug: z.string(),
      id: z.uuid(),
      outcome: z.enum(['created', 'updated', 'unchanged']),
      status: z.enum(postStatuses),
      updatedAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'PutResult' }),
)

export type PutResult = z.infer<typeof PutResult>

/** Takes the rows of all put statements and returns them in the order of `slugs`. */
export function takeResults(slugs: string[], results: unknown[]): PutResult[] {
  const rows = results.flatMap((result) => (result as { rows: PutResult[] }).rows)
  const bySlug = new Map(rows.map((row) => [row.slug, row]))
  return slugs.map((slug) => {
    const { id, outcome, status, updatedAt } = bySlug.get(slug)!
    return { slug, id, outcome, status, updatedAt: new Date(updatedAt).toISOString() }
  })
}
