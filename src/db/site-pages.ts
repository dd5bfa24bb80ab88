/** All sites, for jobs that visit each of them. */
import { asc, gt } from 'drizzle-orm'
import type { Database } from './client.ts'
import { sites } from './schema.ts'

const SITES_PER_PAGE = 500

type Site = Pick<typeof sites.$inferSelect, 'id' | 'authVersion' | 'contentVersion'>

/** All sites by id, 500 at a time. */
export async function* sitePages(db: Database): AsyncGenerator<Site[]> {
  const { id, authVersion, contentVersion } = sites
  for (let last: string | undefined; ; ) {
    const page: Site[] = await db
      .select({ id, authVersion, contentVersion })
      .from(sites)
      .where(last === undefined ? undefined : gt(id, last))
      .orderBy(asc(id))
      .limit(SITES_PER_PAGE)
    if (page.length === 0) return
    yield page
    last = page.at(-1)!.id
  }
}
