/**
 * A person departs when they are removed, lose a site or lose the editor role. Triggers then end what they made
 * (drizzle/functions/departures.sql). This file decides about their schedules, and stores new versions, so that their links end.
 */
import { eq, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { AppError } from '../core/errors.ts'
import { responseSchema } from '../core/zod.ts'
import { operators, operatorTokens, posts, previewLinks, sites } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { versionColumns, withSeqlocks } from '../freshness/site-versions.ts'
import { requireOwn } from './operator-tokens.ts'

const MAX_LISTED = 100

/** `keep` publishes in the remover's name. */
export const scheduleChoices = ['keep', 'cancel'] as const
export type ScheduleChoice = (typeof scheduleChoices)[number]

/** Null when they are removed. */
type Restriction = Pick<Partial<typeof operators.$inferSelect>, 'role' | 'sites'> | null

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

const isScheduledBy = (id: string) => sql`publish_at is not null and scheduled_by ->> 'id' = ${id}`
const isLiveLinkOf = (id: string) => sql`made_by = ${id} and revoked_at is null and expires_at > now()`

/** @throws AppError role_required; operator_not_found */
export async function getMade(ctx: Context, id: string): Promise<MadeByOperator> {
  requireOwn(ctx, id)
  const [found, schedules, links, counts] = await ctx.db.batch([
    ctx.db.select({ id: operators.id }).from(operators).where(eq(operators.id, id)),
    ...selectMade(ctx, id),
  ])
  if (found.length === 0) throw new AppError('operator_not_found')
  return toMade([schedules, links, counts])
}

/** Queries for a batch. `toMade` reads their rows. */
export function selectMade({ db }: Pick<Context, 'db'>, id: string) {
  return [
    db.execute(sql`
      select site_id as "siteId", slug, wire_time(publish_at) as "publishAt" from ${posts}
      where ${isScheduledBy(id)} order by publish_at, id limit ${MAX_LISTED}`),
    db.execute(sql`
      select l.id, l.site_id as "siteId", p.slug, l.last_four as "lastFour", wire_time(l.created_at) as "createdAt",
        wire_time(l.expires_at) as "expiresAt"
      from (select * from ${previewLinks} where ${isLiveLinkOf(id)}) l join ${posts} p on p.id = l.post_id
      order by l.created_at desc, l.id limit ${MAX_LISTED}`),
    db.execute(sql`select
      (select count(*)::integer from ${posts} where ${isScheduledBy(id)}) as "scheduleCount",
      (select count(*)::integer from ${previewLinks} where ${isLiveLinkOf(id)}) as "previewLinkCount",
      (select count(*)::integer from ${operatorTokens}
        where made_by = ${id} and operator_id <> ${id} and revoked_at is null and expires_at > now()) as "tokenCount"`),
  ] as const
}

type Rows = { rows: unknown[] }

export function toMade([schedules, links, counts]: [Rows, Rows, Rows]): MadeByOperator {
  const made = { ...(counts.rows[0] as object), schedules: schedules.rows, previewLinks: links.rows }
  return made as MadeByOperator
}

type Departure = {
  id: string
  restriction: Restriction
  choice: ScheduleChoice | undefined
  /** The operator, if nobody else has changed them. */
  where: SQL | undefined
  /** Removes or restricts the operators that match `where`. */
  change: BatchItem<'pg'> & { _: { result: { id: string }[] } }
  mayEndAdmin: boolean
}

/** One transaction. Returns how many operators changed. @throws AppError schedules_undecided; what `require_admin` raises */
export async function writeDeparture(
  ctx: Context,
  { id, restriction, choice, where, change, mayEndAdmin }: Departure,
): Promise<number> {
  const { schedules, siteIds } = await findEnding(ctx, id, restriction)
  if (schedules > 0) checkChoice(ctx, id, choice, schedules)
  return withSeqlocks(ctx, siteIds, async () => {
    const [, , , changed, ended] = await writeAs(ctx, [
      lockAdmins(ctx),
      noteRole(ctx, id),
      takeOver(ctx, id, restriction, choice === 'keep' ? where : sql`false`),
      change,
      selectEnded(ctx, id),
      requireAdmin(ctx, mayEndAdmin),
    ])
    return { result: changed.length, latest: ended }
  })
}

/** Serialises admins who demote each other, so that the second sees the change of the first. */
const lockAdmins = ({ db }: Context) =>
  db
    .select({ id: operators.id })
    .from(operators)
    .where(eq(operators.role, 'admin'))
    .orderBy(operators.id)
    .for('update')

/** For `requireAdmin`, which runs after the change. */
const noteRole = ({ db }: Context, id: string) =>
  db.execute(sql`select set_config('departure.role', (select role from ${operators} where id = ${id}), true)`)

/** Fails if the change ended an admin and no other can sign in. Behind Cloudflare Access, they need no token. */
function requireAdmin({ db, config: { OPERATOR_TOKEN, ACCESS_TEAM_DOMAIN } }: Context, mayEndAdmin: boolean) {
  return db.execute(sql`select require_admin(${!ACCESS_TEAM_DOMAIN})
    where ${mayEndAdmin && !OPERATOR_TOKEN} and current_setting('departure.role') = 'admin'`)
}

function checkChoice({ actor }: Context, id: string, choice: ScheduleChoice | undefined, schedules: number) {
  if (choice === undefined) {
    const drafts = schedules === 1 ? '1 scheduled draft' : `${schedules} scheduled drafts`
    const message = `must be keep, to publish ${drafts} of theirs in your name, or cancel`
    throw new AppError('schedules_undecided', { path: 'schedules', message })
  }
  if (choice === 'keep' && actor?.id === id) {
    throw new AppError('invalid_query', {
      path: 'schedules',
      message: 'must be cancel, because this operator is you',
    })
  }
}

async function findEnding({ db }: Context, id: string, restriction: Restriction) {
  const ends = cannotEditSite(id, restriction)
  const { rows } = await db.execute(sql`select
    (select count(*)::integer from ${posts} where ${isScheduledBy(id)} and ${ends}) as schedules,
    (select coalesce(jsonb_agg(distinct site_id), '[]') from ${previewLinks}
      where ${isLiveLinkOf(id)} and ${ends}) as "siteIds"`)
  return rows[0] as { schedules: number; siteIds: string[] }
}

/** SQL on `site_id`. */
function cannotEditSite(id: string, restriction: Restriction): SQL {
  if (!restriction) return sql`true`
  const { role, sites } = restriction
  const isEditor = role === undefined ? sql`o.role <> 'viewer'` : sql`${role !== 'viewer'}`
  const isReached =
    sites === undefined
      ? sql`(o.sites is null or site_id = any(o.sites))`
      : sites === null
        ? sql`true`
        : sql`site_id = any(${`{${sites.join()}}`}::uuid[])`
  return sql`not exists (select from ${operators} o where o.id = ${id} and ${isEditor} and ${isReached})`
}

function takeOver({ db, actor }: Context, id: string, restriction: Restriction, where: SQL | undefined) {
  const { id: own = null, name = null } = actor ?? {}
  return db.execute(sql`update ${posts} set scheduled_by = ${JSON.stringify({ id: own, name })}::jsonb
    where ${isScheduledBy(id)} and ${cannotEditSite(id, restriction)} and exists (select from ${operators} where ${where})`)
}

/** Sites whose links this transaction has ended, with their new versions. */
function selectEnded({ db }: Context, id: string) {
  const isEnded = sql`made_by = ${id} and revoked_at = now()::timestamptz(3)`
  return db
    .select({ id: sites.id, ...versionColumns })
    .from(sites)
    .where(sql`${sites.id} in (select site_id from ${previewLinks} where ${isEnded})`)
}
