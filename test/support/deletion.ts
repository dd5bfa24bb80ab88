/** Sites that are too large to be deleted by one request, and their remains. */
import { makeSite, type TestSite } from './site.ts'
import { runSql } from './sql.ts'

/** More rows than the first batch of a deletion takes. */
const EVENTS = 600
/** Rows per statement of a batch. */
export const A_PART = 'ctid = any'

export async function largeSite(): Promise<TestSite> {
  const site = await makeSite()
  await runSql(
    `insert into webhook_events (site_id, endpoint_id, event, payload, state)
     select $1, $1, 'webhook.test', '{}', 'delivered' from generate_series(1, ${EVENTS})`,
    [site.id],
  )
  return site
}

/** The tables that still have rows of the site. */
export async function remains(siteId: string): Promise<string[]> {
  const tables = await runSql(
    `select table_name from information_schema.columns where column_name = 'site_id' and table_schema = 'public'
     and table_name <> 'audit_log'`,
  )
  const found: string[] = []
  for (const { table_name: table } of tables) {
    const rows = await runSql(`select from ${table} where site_id = $1 limit 1`, [siteId])
    if (rows.length > 0) found.push(String(table))
  }
  return found.sort()
}
