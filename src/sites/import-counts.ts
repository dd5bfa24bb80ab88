import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { auditLog } from '../db/schema.ts'
import type { Import } from './imports.ts'

/** From the audit log, since a killed turn may not have noted its last batch. */
export async function countWritten({ db }: Context, { changesetId }: Import) {
  const isCreated = sql`action in ('post.created', 'guide.created')`
  const { rows } = await db.execute(sql`
    select count(*) filter (where is_created)::integer as created, count(*) filter (where not is_created)::integer as updated
    from (select resource_id, bool_or(${isCreated}) as is_created from ${auditLog}
      where changeset_id = ${changesetId} and action ~ '^(post|guide)[.]' group by 1) written`)
  return rows[0] as { created: number; updated: number }
}
