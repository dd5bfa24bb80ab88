import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { responseSchema } from '../core/zod.ts'
import { databaseError } from '../db/client.ts'
import { writeAs } from '../db/write.ts'

const HAS_ACCESS = 'HC004'

export const Erasure = /* @__PURE__ */ responseSchema(() =>
  z
    .object({ entries: z.int().check(z.describe('The audit log entries whose name and address are erased')) })
    .register(z.globalRegistry, { id: 'Erasure' }),
)

/** Erases the name and addresses of a removed operator. @throws AppError operator_has_access; operator_not_found */
export async function erasePerson(ctx: Context, id: string): Promise<z.infer<typeof Erasure>> {
  requireRole(ctx, 'admin')
  const erase = ctx.db.execute(sql`select erase_person(${id}::uuid)::integer as entries`)
  const [{ rows }] = await writeAs(ctx, [erase]).catch((error) => {
    throw databaseError(error)?.code === HAS_ACCESS ? new AppError('operator_has_access') : error
  })
  const { entries } = rows[0] as { entries: number }
  if (entries === 0) throw new AppError('operator_not_found')
  return { entries }
}
