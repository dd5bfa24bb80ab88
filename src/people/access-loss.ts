/**
 * People who are removed, become viewers or lose sites also lose what they made. A trigger ends it
 * (drizzle/functions/access-loss.sql). This file passes the choice about schedules, and stores new versions of sites, so that
 * links end at once.
 */
import { eq, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { AppError } from '../core/errors.ts'
import { responseSchema } from '../core/zod.ts'
import { refusalOf } from '../db/refusals.ts'
import { operators, operatorTokens, posts, previewLinks, sites } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { versionColumns, withSeqlocks } from '../freshness/site-versions.ts'
import { requireOwn } from './operator-tokens.ts'

const MAX_LISTED = 100

/** `keep` publishes in the remover's name. */
export const scheduleChoices = ['keep', 'cancel'] as const
export type ScheduleChoice = (typeof scheduleChoices)[number]

export const MadeByOperator = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      schedules: z
        .array(z.object({ siteId: z.uuid(), slug: z.string(), publishAt: z.iso.datetime() }))
        .check(z.describe('The first 100 schedules by time. `scheduleCount` counts all')),
      scheduleCount: z.int(),
      previewLinks: z
        .array(
          z.object({
            id: z.uuid(),
            siteId: z.uuid(),
            slug: z.string(),
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
export async function getMade(ctx: Context, id: string): Promise<MadeByOperator> {
  requireOwn(ctx, id)
  const [found, made] = await ctx.db.batch([
    ctx.db.select({ id: operators.id }).from(operators).where(eq(operators.id, id)),
    selectMade(ctx, id),
  ])
  if (found.length === 0) throw new AppError('operator_not_found')
  return toMade(made)
}

/** Query for a batch. `toMade` reads its row. */
export function selectMade({ db }: Pick<Context, 'db'>, id: string) {
  return db.execute(sql`
    with schedules as (
      select * from ${posts} where publish_at is not null and scheduled_by ->> 'id' = ${id}),
    links as (select * from ${previewLinks} where ${isLiveLinkOf(id)})
    select
      array(
        select json_build_object('siteId', site_id, 'slug', slug, 'publishAt', wire_time(publish_at))
        from schedules order by publish_at, id limit ${MAX_LISTED}) as schedules,
      (select count(*)::integer from schedules) as "scheduleCount",
      array(
        select json_build_object('id', l.id, 'siteId', l.site_id, 'slug', p.slug, 'lastFour', l.last_four,
          'createdAt', wire_time(l.created_at), 'expiresAt', wire_time(l.expires_at))
        from links l join ${posts} p on p.id = l.post_id
        order by l.created_at desc, l.id limit ${MAX_LISTED}) as "previewLinks",
      (select count(*)::integer from links) as "previewLinkCount",
      (select count(*)::integer from ${operatorTokens}
        where made_by = ${id} and operator_id <> ${id} and revoked_at is null and expires_at > now()) as "tokenCount"`)
}

export const toMade = ({ rows }: { rows: unknown[] }) => rows[0] as MadeByOperator

/**
 * Removes or restricts a person in one transaction. Returns how many operators `change` matched.
 *
 * @throws AppError schedules_undecided; invalid_query; what `require_admin` raises
 */
export async function writeAccessLoss(
  ctx: Context,
  id: string,
  schedules: ScheduleChoice | undefined,
  change: BatchItem<'pg'> & { _: { result: { id: string }[] } },
): Promise<number> {
  // Nobody takes over their own schedules.
  const isOwn = schedules === 'keep' && ctx.actor?.id === id
  const { db } = ctx
  const linked = await selectSitesOfLinks(ctx, id)
  const siteIds = linked.map((site) => site.id)
  return withSeqlocks(ctx, siteIds, async () => {
    const [, , changed, latest] = await writeAs(ctx, [
      // Serialises admins who demote each other, so that the second sees the change of the first.
      db.select().from(operators).where(eq(operators.role, 'admin')).orderBy(operators.id).for('update'),
      db.execute(sql`select set_config('access_loss.schedules', ${(!isOwn && schedules) || 'ask'}, true)`),
      change,
      selectSitesOfLinks(ctx, id),
      requireAdmin(ctx),
    ]).catch((error) => {
      const refusal = refusalOf(error)
      throw refusal?.reason === 'schedules_undecided' ? undecided(refusal.schedules!, isOwn) : error
    })
    return { result: changed.length, latest }
  })
}

/** Sites whose preview links by a person work, or worked until this transaction, with their versions. */
function selectSitesOfLinks({ db }: Context, id: string) {
  const wasLive = sql`made_by = ${id} and expires_at > now() and coalesce(revoked_at = now()::timestamptz(3), true)`
  return db
    .select({ id: sites.id, ...versionColumns })
    .from(sites)
    .where(sql`${sites.id} in (select site_id from ${previewLinks} where ${wasLive})`)
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
