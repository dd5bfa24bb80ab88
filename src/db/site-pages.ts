import { and, asc, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { sites } from './schema.ts'

const SITES_PER_PAGE = 500

type Site = Pick<typeof sites.$inferSelect, 'id' | 'authVersion' | 'contentVersion'>

/** Ordered by id. Null for all sites. */
export async function* sitePages(db: Database, ids: string[] | null): AsyncGenerator<Site[]> {
  const { id, authVersion, contentVersion } = sites
  for (let last: string | undefined; ; ) {
    const page: Site[] = await db
      .select({ id, authVersion, contentVersion })
      .from(sites)
      .where(and(ids ? inArray(id, ids) : undefined, last ? gt(id, last) : undefined))
      .orderBy(asc(id))
      .limit(SITES_PER_PAGE)
    if (page.length > 0) yield page
    if (page.length < SITES_PER_PAGE) return
    last = page.at(-1)!.id
  }
}

/** A condition on `site_id`. Null for any site. */
export function isOfSites(ids: string[] | null): SQL {
  return ids ? sql`site_id = any(${`{${ids.join()}}`}::uuid[])` : sql`true`
}
