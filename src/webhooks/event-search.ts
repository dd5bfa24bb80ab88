import { and, eq, type SQL, sql } from 'drizzle-orm'
import { NO_ID, UUID } from '../core/ids.ts'
import { guides, postTitles, webhookEvents } from '../db/schema.ts'
import { matchesWords } from '../db/word-search.ts'

/** Subquery of the ids of events that match by title and slug, by the slug at that time, or by the start of their id. */
export function selectFoundEvents(site: { id: string }, search: string): SQL {
  const events = sql`select e.id from ${webhookEvents} e where e.site_id = ${site.id} and`
  const titles = and(
    eq(postTitles.siteId, site.id),
    matchesWords(search, postTitles.titleKey, postTitles.slugFolded),
  )
  const inGuide = matchesWords(search, sql`without_diacritics(g.title_folded)`, sql`lower(g.slug)`)
  const ids = idsFrom(search.toLowerCase())
  return sql`(
    ${events} ${matchesWords(search, null, sql`lower(e.slug)`)}
    union all ${events} case e.resource when 'guide' then (select ${inGuide} from ${guides} g where g.site_id = e.site_id and g.id = e.resource_id) end
    union all ${events} e.resource_id = any (array(select ${postTitles.id} from ${postTitles} where ${titles}))
    ${ids ? sql`union all ${events} e.id between ${ids[0]} and ${ids[1]}` : sql``})`
}

/** Fewer characters begin too many ids by chance. */
const ID_START_LENGTH = 4

/** The first and last id with this start. Null if there is none. */
function idsFrom(start: string): string[] | null {
  const rest = NO_ID.slice(start.length)
  const ids = ['0', 'f'].map((digit) => start + rest.replaceAll('0', digit))
  return start.length >= ID_START_LENGTH && ids.every((id) => UUID.test(id)) ? ids : null
}
