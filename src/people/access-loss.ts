/**
 * When people are removed, become viewers or lose sites, a trigger ends their schedules, links and tokens
 * (drizzle/functions/access-loss.sql). This file passes the choice about schedules to the trigger, and stores new site versions in
 * Redis, so that links end at once.
 */
import { eq, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { AppError } from '../core/errors.ts'
import { responseSchema } from '../core/zod.ts'
import { refusalOf } from '../db/refusals.ts'
import { operators, operatorTokens, posts, previewLinks, sites } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { writeAs } from '../db/write.ts'
import { versionColumns, withSeqlocks } from '../freshness/site-versions.ts'
import { requireOwn } from './operator-tokens.ts'

const MAX_LISTED = 100

/** `keep` transfers the schedules to the person who makes the change. */
export const scheduleChoices = ['keep', 'cancel'] as const
export type ScheduleChoice = (typeof scheduleChoices)[number]

export const MadeByOperator = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      schedules: z
        .array(
          z.object({ siteId: z.uuid(), slug: z.string(), title: z.string(), publishAt: z.iso.datetime() }),
        )
        .check(z.describe('The first 100 schedules by time. `scheduleCount` counts all')),
      scheduleCount: z.int(),
      previewLinks: z
        .array(
          z.object({
            id: z.uuid(),
            siteId: z.uuid(),
            slug: z.string(),
            title: z.string(),
            lastFour: z.string(),
            createdAt: z.iso.datetime(),
            expiresAt: z.iso.datetime(),
          }),
        )
        .check(z.describe('The newest 100 active links. `previewLinkCount` counts all')),
      previewLinkCount: z.int(),
      tokenCount: z
        .int()
        .check(
          z.describe(
            'The number of tokens and sign-in links that the operator created for others and that still work',
          ),
        ),
    })
    .register(z.globalRegistry, { id: 'MadeByOperator' }),
)

export type MadeByOperator = z.infer<typeof MadeByOperator>

const isLiveLinkOf = (id: string) => sql`made_by = ${id} and revoked_at is null and expires_at > now()`

/** @throws AppError role_required; operator_not_found */
export async function getCreatedItems(ctx: Context, id: string): Promise<MadeByOperator> {
  requireOwn(ctx, id)
  const [found, made] = await ctx.db.batch([
    ctx.db.select({ id: operators.id }).from(operators).where(eq(operators.id, id)),
    selectCreatedItems(ctx, id),
  ])
  if (found.length === 0) throw new AppError('operator_not_found')
  return toCreatedItems(made)
}

/** Query for a batch. `toCreatedItems` reads its row. */
export function selectCreatedItems({ db }: Pick<Context, 'db'>, id: string) {
  return db.execute(sql`
    with schedules as (
      select * from ${posts} where publish_at is not null and scheduled_by ->> 'id' = ${id}),
    links as (select * from ${previewLinks} where ${isLiveLinkOf(id)})
    select
      array(
        select json_build_object('siteId', site_id, 'slug', slug, 'title', title, 'publishAt', wire_time(publish_at))
        from schedules order by publish_at, id limit ${MAX_LISTED}) as schedules,
      (select count(*)::integer from schedules) as "scheduleCount",
      array(
        select json_build_object('id', l.id, 'siteId', l.site_id, 'slug', p.slug, 'title', p.title, 'lastFour', l.last_four,
          'createdAt', wire_time(l.created_at), 'expiresAt', wire_time(l.expires_at))
        from links l join ${posts} p on p.id = l.post_id
        order by l.created_at desc, l.id limit ${MAX_LISTED}) as "previewLinks",
      (select count(*)::integer from links) as "previewLinkCount",
      (select count(*)::integer from ${operatorTokens}
        where made_by = ${id} and operator_id <> ${id} and revoked_at is null and expires_at > now()) as "tokenCount"`)
}

export const toCreatedItems = ({ rows }: { rows: unknown[] }) => rows[0] as MadeByOperator

/** Null removes the person. */
type AccessChange = Partial<Pick<typeof operators.$inferInsert, 'role' | 'sites'>> | null

/**
 * Changes or removes a person in one transaction. Returns how many operators `write` matched.
 *
 * @throws AppError schedules_undecided; invalid_query; what `require_admin` raises
 */
export async function writeAccessLoss(
  ctx: Context,
  id: string,
  schedules: ScheduleChoice | undefined,
  change: AccessChange,
  write: BatchItem<'pg'> & { _: { result: { id: string }[] } },
): Promise<number> {
  const { db } = ctx
  // Nobody takes over their own schedules.
  const isOwn = schedules === 'keep' && ctx.actor?.id === id
  const choice = (!isOwn && schedules) || 'ask'
  const lost = await findLost(ctx, id, change)
  if (choice === 'ask' && lost.schedules > 0) throw undecided(lost.schedules, isOwn)
  return withSeqlocks(ctx, lost.siteIds, async () => {
    const [, , changed, latest] = await writeAs(ctx, [
      // Serialises admins who demote each other, so that the second sees the change of the first.
      db.select().from(operators).where(eq(operators.role, 'admin')).orderBy(operators.id).for('update'),
      db.execute(sql`select set_config('access_loss.schedules', ${choice}, true)`),
      write,
      selectSitesOfEndedLinks(ctx, id),
      requireAdmin(ctx),
    ]).catch((error) => {
      // Scheduled after `findLost`.
      const refusal = refusalOf(error)
      throw refusal?.reason === 'schedules_undecided' ? undecided(refusal.schedules!, isOwn) : error
    })
    return { result: changed.length, latest }
  })
}

/** The sites whose links end, and the number of schedules that end. The trigger decides again, as of the transaction. */
async function findLost(ctx: Context, id: string, change: AccessChange): Promise<Lost> {
  if (change && change.role === undefined && change.sites === undefined) return NOTHING
  const { rows } = await ctx.db.execute(sql`
    select
      array(select distinct site_id from ${previewLinks} where ${isLiveLinkOf(id)} and not ${mayStillEdit(change)}) as "siteIds",
      (select count(*)::integer from ${posts}
        where publish_at is not null and scheduled_by ->> 'id' = ${id} and not ${mayStillEdit(change)}) as schedules
    from ${operators} o where o.id = ${id}`)
  return (rows[0] as Lost | undefined) ?? NOTHING
}

type Lost = { siteIds: string[]; schedules: number }

const NOTHING: Lost = { siteIds: [], schedules: 0 }

/** Like `may_edit` in SQL, but as of the change. */
function mayStillEdit(change: AccessChange): SQL {
  if (!change) return sql`false`
  const { role, sites: ids } = change
  const isEditor = role === undefined ? sql`o.role <> 'viewer'` : sql`${role !== 'viewer'}`
  const reaches = ids === undefined ? sql`(o.sites is null or site_id = any(o.sites))` : isOfSites(ids)
  return sql`(${isEditor} and ${reaches})`
}

/** Sites of links that this transaction ended, with their versions. */
function selectSitesOfEndedLinks({ db }: Context, id: string) {
  const isEnded = sql`made_by = ${id} and revoked_at = now()::timestamptz(3)`
  return db
    .select({ id: sites.id, ...versionColumns })
    .from(sites)
    .where(sql`${sites.id} in (select site_id from ${previewLinks} where ${isEnded})`)
}

/** Fails if the change ended an admin and no other can sign in. Behind Cloudflare Access, they need no token. */
function requireAdmin({ db, config: { OPERATOR_TOKEN, ACCESS_TEAM_DOMAIN } }: Context) {
  return db.execute(sql`select require_admin(${!ACCESS_TEAM_DOMAIN})
    where ${!OPERATOR_TOKEN} and current_setting('access_loss.is_admin_lost', true) = 'true'`)
}

function undecided(schedules: number, isOwn: boolean): AppError {
  if (isOwn) {
    const message = 'must be cancel, because this operator is you'
    return new AppError('invalid_query', { path: 'schedules', message })
  }
  const drafts = schedules === 1 ? '1 scheduled draft' : `${schedules} scheduled drafts`
  const message = `must be keep, to publish ${drafts} of theirs in your name, or cancel`
  return new AppError('schedules_undecided', { path: 'schedules', message })
}
