/**
 * Publishes the drafts whose time has come, in the minute's cron. A mark in Redis for each site and time tells that there are
 * some, so that no minute before asks Postgres. Once an hour all sites are looked at, and what is due until the next such look
 * is marked again, in case Redis has lost its marks.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { uuidOf } from '../../core/ids.ts'
import { describeError } from '../../core/log.ts'
import { posts, type Scheduler, sites } from '../../db/schema.ts'
import { isOfSites } from '../../db/site-pages.ts'
import { markDue } from '../../freshness/marks.ts'
import { writeSite } from '../../freshness/write-site.ts'

const PART_POSTS = 250
/** In one run, over all sites, since the calls of a Worker are limited. The next minute continues. */
const MAX_PARTS = 20
/** Later posts need no mark yet: the next hourly look finds them, even if it is late. */
const MARKED_AHEAD = '2 hours'
const MAX_MARKED = 5_000

/** Posts that one person has scheduled in one site. */
type Group = { site_id: string; scheduled_by: Scheduler | null }

/**
 * Publishes due posts, a part of each site and person in turn.
 *
 * @param siteIds null for all sites
 * @returns how many posts
 * @throws the error of a part, after the other parts
 */
export async function publishDuePosts(ctx: Context, _now: Date, siteIds: string[] | null): Promise<number> {
  let published = 0
  let failure: unknown
  const failed = new Set<string>()
  for (let parts = 0; parts < MAX_PARTS; ) {
    const groups = (await selectDue(ctx, siteIds)).filter((group) => !failed.has(JSON.stringify(group)))
    if (groups.length === 0) break
    for (const group of groups.slice(0, MAX_PARTS - parts)) {
      parts += 1
      try {
        published += await publishPart(ctx, group)
      } catch (error) {
        failed.add(JSON.stringify(group))
        ctx.log('schedule.failed', { siteId: group.site_id, error: describeError(error) })
        failure = error
      }
    }
  }
  if (siteIds === null) await markUpcoming(ctx)
  if (failure) throw failure
  return published
}

async function selectDue({ db }: Context, siteIds: string[] | null): Promise<Group[]> {
  const { rows } = await db.execute(sql`
    select site_id, scheduled_by from ${posts}
    where publish_at <= now() and ${isOfSites(siteIds)} and ${isOpen}
    group by site_id, scheduled_by order by min(publish_at) limit ${MAX_PARTS}`)
  return rows as Group[]
}

const isOpen = sql`exists (select from ${sites} s where s.id = site_id and s.deletion_started_at is null)`

/**
 * One statement under the site's lock: of two processes, and of one that comes again, the second finds nothing. A schedule whose
 * maker may not edit the site ends instead: it can be set while its maker is being removed.
 */
async function publishPart(ctx: Context, { site_id: siteId, scheduled_by: by }: Group): Promise<number> {
  const { id = null, name = null } = by ?? {}
  const actor = { id, name, role: 'editor', sites: null, token: null, door: 'schedule', address: '' } as const
  const mayEdit = sql`may_edit(${id}::uuid, ${siteId}::uuid)`
  const statement: SQL = sql`
    with due as (
      select id from ${posts}
      where site_id = ${siteId} and publish_at <= now()
        and scheduled_by is not distinct from ${by && JSON.stringify(by)}::jsonb
      order by publish_at, id limit ${PART_POSTS}
    ),
    ended as (update ${posts} set publish_at = null where id in (select id from due) and not ${mayEdit})
    update ${posts} set status = 'published', published_at = publish_at
    where id in (select id from due) and ${mayEdit}`
  // The audit log has one act for each person.
  const actId = await uuidOf(`${ctx.actId} ${JSON.stringify(by)}`)
  const { results } = await writeSite({ ...ctx, actor, actId }, siteId, [ctx.db.execute(statement)])
  return results[0].rowCount
}

async function markUpcoming(ctx: Context): Promise<void> {
  const { rows } = await ctx.db.execute(sql`
    select distinct site_id as "siteId", wire_sequence(publish_at)::float8 as at from ${posts}
    where publish_at < now() + ${MARKED_AHEAD}::interval order by at limit ${MAX_MARKED}`)
  await markDue(ctx, rows as { siteId: string; at: number }[])
}
