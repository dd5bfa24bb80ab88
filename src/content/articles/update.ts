/** An update of articles that leaves alone what is so already, and tells what came of each. */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { type Sending, writeSite } from '../../freshness/write-site.ts'
import type { SiteScope } from '../../sites/sites.ts'
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
}

/** The statement, a row for each. */
export function updating(kind: Kind, site: SiteScope, update: Update): SQL {
  const { which, changes, unchanged, refused = sql`false`, columns } = update
  const { table, schedule } = kind
  const [was, is] = [sql`was`, sql`changed`]
  const returned = sql.raw(
    [...new Set([...columns, 'slug', 'status', ...(schedule ? ['publish_at'] : [])])].join(', '),
  )
  const here = sql`site_id = ${site.id} and ${which}`
  return sql`
    with changed as (
      update ${table} set ${changes} where ${here} and not (${unchanged}) and not (${refused})
      returning ${returned}
    )
    select ${sql.raw(columns.map((name) => `changed.${name}`).join(', '))},
      (was.slug, was.status) <> (changed.slug, changed.status) as changed, false as refused,
      was.status = 'published' and (was.slug, was.status) <> (changed.slug, changed.status) as taken,
      ${schedule ? schedule.cancelled(was, is) : sql`null`} as cancelled
    from changed join ${table} was on was.id = changed.id
    union all
    select ${sql.raw(columns.join(', '))}, false, not (${unchanged}), false, null
    from ${table} where ${here} and id not in (select id from changed)`
}

/** Runs it. @returns a row for each that there is, and how many events were not sent */
export async function updateArticles<Row>(
  ctx: Context,
  kind: Kind,
  site: SiteScope,
  update: Update,
): Promise<{ rows: (Row & Outcome)[]; eventsNotSent: number }> {
  const statement = ctx.db.execute(updating(kind, site, update))
  const { results, eventsNotSent } = await writeSite(ctx, site.id, [statement], {
    sending: update.events,
    takes: ([{ rows }]) => rows.some(({ taken }) => taken),
  })
  return { rows: results[0].rows as (Row & Outcome)[], eventsNotSent }
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
  const {
    rows: [row],
  } = await updateArticles<Row>(ctx, kind, site, { which, ...update })
  if (!row) throw new AppError(kind.missing)
  return row
}
