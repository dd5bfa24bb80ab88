/** The events of what a statement changes: inserted by the statement itself, and sent after it. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../foundation/context.ts'
import { enqueueEvents, type Sending } from '../../webhooks/event.ts'
import type { PostEventKind } from '../../webhooks/event-kinds.ts'
import type { Kind } from './kind.ts'

export type { Sending }

type Eventful = Pick<Kind, 'insertEvents'>

/** CTEs after that of `changed`, which has `lightColumns` of the rows as they are now. */
export function eventsOf({ insertEvents }: Eventful, changed: SQL, sending: Sending = 'all'): SQL {
  return insertEvents ? insertEvents(changed, sending) : sql``
}

/** A row's events, as JSON, or null. Of a kind that is for the first endpoint comes first. */
export function eventsOfRow({ insertEvents }: Eventful, id: SQL): SQL {
  return insertEvents
    ? sql`(select json_agg(json_build_array(event.event, event.id) order by event.endpoint_id nulls first)
        from event where event.post_id = ${id})`
    : sql`null::json`
}

/** How many events of a row were not inserted. */
export function unsentOfRow({ insertEvents }: Eventful, id: SQL, sending: Sending): SQL {
  return insertEvents && sending === 'none'
    ? sql`(select count(*)::integer from unsent where unsent.post_id = ${id})`
    : sql`0`
}

/** All but what is large: a row that is inserted is held as it was given. */
export function lightColumns({ table, fields }: Pick<Kind, 'table' | 'fields'>, prefix = ''): SQL {
  const isLight = (name: string) => name !== 'contentHtml' && !fields[name]?.heavy
  const columns = Object.entries<{ name: string }>(getTableColumns(table)).filter(([name]) => isLight(name))
  return sql.raw(columns.map(([, { name }]) => prefix + name).join(', '))
}

export type RowEvents = [event: PostEventKind, id: string][] | null

/** Sends what the rows of a site's statements name. */
export function sendEvents(ctx: Context, site: { id: string }, rows: { events: RowEvents }[]): Promise<void> {
  return enqueueEvents(
    ctx,
    site,
    rows.flatMap(({ events }) => (events ?? []).map(([, id]) => id)),
  )
}
