/** Publishes due drafts. Redis marks due sites, so that idle minutes don't query Postgres. The hourly sweep restores lost marks. */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { uuidOf } from '../../core/ids.ts'
import { describeError } from '../../core/log.ts'
import { posts, type Scheduler, sites } from '../../db/schema.ts'
import { isOfSites } from '../../db/site-pages.ts'
import { markDue } from '../../freshness/marks.ts'
import type { Sweep } from '../../freshness/sweep.ts'
import { writeSite } from '../../freshness/write-site.ts'

const BATCH_POSTS = 250
/** Per run over all sites, because a Worker's calls are limited. The next minute continues. */
const MAX_BATCHES = 20
/** The hourly sweep marks later posts in time, even if it runs late. */
const MARKED_AHEAD = '2 hours'
const MAX_MARKED = 5_000

type Group = { site_id: string; scheduled_by: Scheduler | null }

/** `siteIds` is null for all sites. @throws the error of a batch, after the other batches */
export async function publishDuePosts(ctx: Context, { siteIds }: Pick<Sweep, 'siteIds'>): Promise<number> {
  let published = 0
  let failure: unknown
  const failed: Group[] = []
  for (let batches = 0; batches < MAX_BATCHES; ) {
    const groups = await selectDue(ctx, siteIds, failed)
    if (groups.length === 0) break
    for (const group of groups.slice(0, MAX_BATCHES - batches)) {
      batches += 1
      try {
        published += await publishBatch(ctx, group)
      } catch (error) {
        failed.push(group)
        ctx.log('schedule.failed', { siteId: group.site_id, error: describeError(error) })
        failure = error
      }
    }
  }
  if (siteIds === null) await markUpcoming(ctx)
  if (failure) throw failure
  return published
}

/** In random order, so that people and sites whose writes always fail don't use up every run. */
async function selectDue({ db }: Context, siteIds: string[] | null, failed: Group[]): Promise<Group[]> {
  const { rows } = await db.execute(sql`
    select site_id, scheduled_by from ${posts}
    where publish_at <= now() and ${isOfSites(siteIds)} and ${isOpen}
      and jsonb_build_object('site_id', site_id, 'scheduled_by', scheduled_by)
        not in (select jsonb_array_elements(${JSON.stringify(failed)}::jsonb))
    group by site_id, scheduled_by order by random() limit ${MAX_BATCHES}`)
  return rows as Group[]
}

const isOpen = sql`exists (select from ${sites} s where s.id = site_id and s.deletion_started_at is null)`

/** Under the site's lock, a repeated run finds nothing. Ends schedules that were set while a person was being removed. */
async function publishBatch(ctx: Context, { site_id: siteId, scheduled_by: by }: Group): Promise<number> {
  const { id = null, name = null } = by ?? {}
  const actor = {
    id,
    name,
    role: 'editor',
    sites: null,
    token: null,
    channel: 'schedule',
    address: '',
  } as const
  const mayEdit = sql`may_edit(${id}::uuid, ${siteId}::uuid)`
  const statement: SQL = sql`
    with due as (
      select id from ${posts}
      where site_id = ${siteId} and publish_at <= now()
        and scheduled_by is not distinct from ${by && JSON.stringify(by)}::jsonb
      order by publish_at, id limit ${BATCH_POSTS}
    ),
    ended as (update ${posts} set publish_at = null where id in (select id from due) and not ${mayEdit})
    update ${posts} set status = 'published', published_at = publish_at
    where id in (select id from due) and ${mayEdit}`
  // The audit log has one changeset for each person.
  const changesetId = await uuidOf(`${ctx.changesetId} ${JSON.stringify(by)}`)
  const { results } = await writeSite({ ...ctx, actor, changesetId, written: { committed: 'no' } }, siteId, [
    ctx.db.execute(statement),
  ])
  return results[0].rowCount
}

async function markUpcoming(ctx: Context): Promise<void> {
  const { rows } = await ctx.db.execute(sql`
    select distinct site_id as "siteId", wire_sequence(publish_at)::float8 as at from ${posts}
    where publish_at < now() + ${MARKED_AHEAD}::interval order by at limit ${MAX_MARKED}`)
  await markDue(ctx, rows as { siteId: string; at: number }[])
}
