/** The events of what a statement changes: inserted by the statement itself, and sent after it. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../foundation/context.ts'
import { enqueueEvents } from '../../webhooks/event.ts'
import type { PostEventKind } from '../../webhooks/event-kinds.ts'
import type { Kind } from './kind.ts'

/** A CTE after that of `changed`, which has `lightColumns` of the rows as they are now. */
export function eventsOf({ insertEvents }: Kind, changed: SQL): SQL {
  return insertEvents ? sql`, event as (${insertEvents(changed)})` : sql``
}

/** The ids of a row's events by kind, as JSON, or null. */
export function eventIdsOf({ insertEvents }: Kind, id: SQL): SQL {
  return insertEvents
    ? sql`(select json_object_agg(event.event, event.id) from event where post_id = ${id})`
    : sql`null::json`
}

/** All but what is large: a row that is inserted is held as it was given. */
export function lightColumns({ table, fields }: Kind): SQL {
  const isLight = (name: string) => name !== 'contentHtml' && !fields[name]?.heavy
  const columns = Object.entries<{ name: string }>(getTableColumns(table)).filter(([name]) => isLight(name))
  return sql.raw(columns.map(([, { name }]) => name).join(', '))
}

export type EventIds = Partial<Record<PostEventKind, string>> | null

/** Sends what the rows of a statement name. */
export function sendEvents(ctx: Context, rows: { events: EventIds }[]): Promise<void> {
  return enqueueEvents(
    ctx,
    rows.flatMap(({ events }) => Object.values(events ?? {})),
  )
}
