import { and, eq, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { responseSchema } from '../core/zod.ts'
import { connectDatabase, databaseError } from '../db/client.ts'
import { auditLog } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'

const HAS_ACCESS = 'HC004'
/** One statement changes all entries. The Worker's role may run it for as long. */
const ERASURE_TIMEOUT_MS = 60_000

export const Erasure = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      entries: z
        .int()
        .check(
          z.describe('The audit log entries whose name and address are erased. 0 if they were erased before'),
        ),
    })
    .register(z.globalRegistry, { id: 'Erasure' }),
)

/** Erases the name and addresses of a removed operator. @throws AppError operator_has_access; operator_not_found */
export async function erasePerson(ctx: Context, id: string): Promise<z.infer<typeof Erasure>> {
  requireRole(ctx, 'admin')
  const db = connectDatabase(ctx.config, ERASURE_TIMEOUT_MS)
  const erase = db.execute(sql`select erase_person(${id}::uuid)::integer as entries`)
  const [{ rows }] = await writeAs({ ...ctx, db }, [erase]).catch((error) => {
    throw databaseError(error)?.code === HAS_ACCESS ? new AppError('operator_has_access') : error
  })
  const { entries } = rows[0] as { entries: number }
  if (entries === 0 && !(await isErased(ctx, id))) throw new AppError('operator_not_found')
  return { entries }
}

async function isErased({ db }: Context, id: string): Promise<boolean> {
  const isEntry = and(eq(auditLog.resourceId, id), eq(auditLog.action, 'operator.erased'))
  return (await db.select({ id: auditLog.id }).from(auditLog).where(isEntry).limit(1)).length > 0
}
