/** An update of articles that leaves alone what is so already, and tells what came of each. */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { writeSite } from '../../freshness/site-versions.ts'
import type { SiteScope } from '../../sites/sites.ts'
import {
  eventsOf,
  eventsOfRow,
  lightColumns,
  type RowEvents,
  type Sending,
  sendEvents,
  unsentOfRow,
} from './events.ts'
import { type Kind, slugOf } from './kind.ts'

export type Update = {
  /** SQL: of which articles of the site. */
  which: SQL
  /** SQL: what an update sets. */
  changes: SQL
  /** SQL, never null: whether one is so already. */
  unchanged: SQL
  /** SQL: whether one stays as it is all the same. */
  refused?: SQL | undefined
  events?: Sending | undefined
  /** What is returned of each. */
  columns: readonly string[]
}

export type Outcome = {
  /** Whether it has another slug or status. */
  changed: boolean
  refused: boolean
  /** Readers no longer find it where it was public. */
  taken: boolean
  /** When it was to be published, if that is cancelled. */
  cancelled: string | null
  events: RowEvents
  unsent: number
}

/** The statement, a row for each. */
export function updating(kind: Kind, site: SiteScope, update: Update): SQL {
  const { which, changes, unchanged, refused = sql`false`, events = 'all', columns } = update
  const { table, schedule } = kind
  const [was, is] = [sql`was`, sql`changed`]
  const here = sql`site_id = ${site.id} and ${which}`
  return sql`
    with changed as (
      update ${table} set ${changes} where ${here} and not (${unchanged}) and not (${refused}) returning ${lightColumns(kind)}
    )${eventsOf(kind, is, events)}
    select ${sql.raw(columns.map((name) => `changed.${name}`).join(', '))},
      (was.slug, was.status) <> (changed.slug, changed.status) as changed, false as refused,
      was.status = 'published' and (was.slug, was.status) <> (changed.slug, changed.status) as taken,
      ${schedule ? schedule.cancelled(was, is) : sql`null`} as cancelled,
      ${eventsOfRow(kind, sql`changed.id`)} as events, ${unsentOfRow(kind, sql`changed.id`, events)} as unsent
    from changed join ${table} was on was.id = changed.id
    union all
    select ${sql.raw(columns.join(', '))}, false, not (${unchanged}), false, null, null, 0
    from ${table} where ${here} and id not in (select id from changed)`
}

/** Runs it, and sends its events. @returns a row for each that there is */
export async function updateArticles<Row>(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  update: Update,
): Promise<(Row & Outcome)[]> {
  const statement = ctx.db.execute(updating(kind, site, update))
  const [result] = await writeSite(ctx, site.id, [statement], ([{ rows }]) => rows.some(({ taken }) => taken))
  const rows = result.rows as (Row & Outcome)[]
  await sendEvents(ctx, site, rows)
  return rows
}

/** The same of one. @throws AppError that there is none */
export async function updateArticle<Row>(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  written: string,
  update: Omit<Update, 'which'>,
): Promise<Row & Outcome> {
  const which = sql`slug = ${slugOf(kind, written)}`
  const [row] = await updateArticles<Row>(ctx, kind, site, { which, ...update })
  if (!row) throw new AppError(kind.missing)
  return row
}
