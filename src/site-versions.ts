/**
 * Whether what an isolate remembers of a site still holds, told by Redis without asking Postgres.
 *
 * A writer puts a token of its own in the site's `turn` before it writes and, after its commit, settles the versions that
 * Postgres then has under that token. They are vouched for only while the token is still there: what a writer that died
 * left behind, or that others overtook, is nobody's word, and Postgres is asked. A writer that was overtaken takes
 * another turn and settles what it then finds. The sweep settles anew what nobody did. A token is never used twice, so
 * that nothing of before can be vouched for when Redis has lost its data.
 */
import { asc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { Context } from './context.ts'
import { WRITE_TIMEOUT_MS } from './db/client.ts'
import { writeLocked } from './db/lock.ts'
import { sites } from './db/schema.ts'
import { describeError } from './log.ts'

const SITES_AT_ONCE = 500

/** How long an isolate goes by what it was told of a key, whatever Redis says. */
export const AUTH_TTL_MS = 60_000
/** When a commit is seen everywhere that Redis never heard of: after that, and the longest a write may take. */
export const EFFECTIVE_AFTER_MS = AUTH_TTL_MS + WRITE_TIMEOUT_MS

/** Between a writer's tries, each of which has the context's time limit: about 3 s in all. */
const PAUSES_MS = [100, 400]
/** Between the tries that go on after its answer, which Workers allow for 30 s. */
const DEFERRED_PAUSES_MS = Array.from({ length: 8 }, () => 2_500)

/** Settles a turn while nobody has taken another; what comes later is not overwritten. */
const PUBLISH = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[2], ARGV[2])
  return 1`

/** The keys to read, in one MGET, for `vouched`. */
export function versionKeys(ctx: Context, siteId: string): [turn: string, settled: string] {
  const key = `${ctx.config.REDIS_PREFIX}:gate:${siteId}`
  return [`${key}:turn`, `${key}:settled`]
}

/** A site's settings and keys on the one hand, its content on the other. */
export type Versions = { gateVersion: number; contentVersion: number }

/** What Redis vouches for; null when it vouches for nothing. */
export function currentVersions([turn, settled]: readonly unknown[]): Versions | null {
  const [token, gateVersion, contentVersion] = String(settled ?? '').split('/')
  if (!contentVersion || token !== turn) return null
  return { gateVersion: Number(gateVersion), contentVersion: Number(contentVersion) }
}

function publishedValue(token: string, { gateVersion, contentVersion }: Versions): string {
  return `${token}/${gateVersion}/${contentVersion}`
}

/**
 * Runs a write of the site and settles the version it led to. Nobody is told of the write before that: a read that
 * comes after sees it. Where Redis cannot be told, the caller is told so by `takesEffectLater`, and trying goes on.
 */
export async function withSeqlock<Result>(
  ctx: Context,
  siteId: string,
  write: () => Promise<{ result: Result; versions: Versions | undefined }>,
): Promise<Result> {
  const token = crypto.randomUUID()
  await retrying(ctx, [], () => ctx.redis.set(versionKeys(ctx, siteId)[0], token))
  const { result, versions } = await write()
  if (versions && !(await retrying(ctx, PAUSES_MS, () => endWrite(ctx, siteId, token, versions)))) {
    ctx.takesEffectLater()
    ctx.defer(retrying(ctx, DEFERRED_PAUSES_MS, () => publish(ctx, [{ id: siteId }])))
  }
  return result
}

/** `versions` are as of the commit. Whoever has taken a turn meanwhile may have read others, and so do we then. */
async function endWrite(ctx: Context, siteId: string, token: string, versions: Versions): Promise<void> {
  const settled = await ctx.redis.eval(PUBLISH, versionKeys(ctx, siteId), [
    token,
    publishedValue(token, versions),
  ])
  if (Number(settled) !== 1) await publish(ctx, [{ id: siteId }])
}

/**
 * Sees to it that no read is answered with less of the site than Postgres has now.
 *
 * @returns false when Redis cannot be reached, so that this cannot be said before `EFFECTIVE_AFTER_MS`
 */
export function ensurePublished(ctx: Context, siteId: string): Promise<boolean> {
  return retrying(ctx, PAUSES_MS, async () => {
    const [[latest], values] = await Promise.all([
      selectVersions(ctx, siteId),
      ctx.redis.mget<unknown[]>(...versionKeys(ctx, siteId)),
    ])
    if (latest && !isCurrent(latest, values)) await publish(ctx, [{ id: siteId }])
  })
}

/** Runs statements that write a site's posts, guides or training rows: `writeLocked`, and then settled. */
export function writeSite<Statements extends Readonly<[BatchItem<'pg'>, ...BatchItem<'pg'>[]]>>(
  ctx: Context,
  siteId: string,
  statements: Statements,
): Promise<BatchResponse<Statements>> {
  return withSeqlock(ctx, siteId, async () => {
    const results = await writeLocked(ctx.db, siteId, [...statements, selectVersions(ctx, siteId)] as const)
    const [versions] = results.at(-1) as Versions[]
    return { result: results.slice(0, -1) as BatchResponse<Statements>, versions }
  })
}

/** For a batch whose other statements write the site itself, or its keys. */
export function selectVersions(ctx: Context, siteId: string) {
  return ctx.db.select(versionColumns).from(sites).where(eq(sites.id, siteId))
}

/** The version of a site's content that a statement sees, as a column of it. */
export function contentVersionOf(site: { id: string }): SQL<number> {
  return sql`(select ${sites.contentVersion} from ${sites} where ${sites.id} = ${site.id})`.mapWith(
    sites.contentVersion,
  ) as SQL<number>
}

const versionColumns = { gateVersion: sites.gateVersion, contentVersion: sites.contentVersion }

/**
 * Settles the sites whose version in Redis is not the one in Postgres: after a writer that died, a Redis that was
 * away, or SQL that somebody wrote by hand.
 *
 * @returns how many
 */
export async function publishStaleVersions(ctx: Context): Promise<number> {
  let settled = 0
  for (let last: string | null = null; ; ) {
    const page: ({ id: string } & Versions)[] = await ctx.db
      .select({ id: sites.id, ...versionColumns })
      .from(sites)
      .where(last ? gt(sites.id, last) : undefined)
      .orderBy(asc(sites.id))
      .limit(SITES_AT_ONCE)
    if (page.length === 0) return settled
    const values = await ctx.redis.mget<unknown[]>(page.flatMap(({ id }) => versionKeys(ctx, id)))
    const astray = page.filter((site, i) => !isCurrent(site, values.slice(2 * i, 2 * i + 2)))
    await publish(ctx, astray)
    settled += astray.length
    last = page.at(-1)!.id
  }
}

async function publish(ctx: Context, astray: { id: string }[]): Promise<void> {
  if (astray.length === 0) return
  const token = crypto.randomUUID()
  const turns = ctx.redis.pipeline()
  for (const { id } of astray) turns.set(versionKeys(ctx, id)[0], token)
  await turns.exec()
  // Read after the turn was taken; it is not settled when somebody takes another from here on.
  const versions = await ctx.db
    .select({ id: sites.id, ...versionColumns })
    .from(sites)
    .where(
      inArray(
        sites.id,
        astray.map(({ id }) => id),
      ),
    )
  const settling = ctx.redis.pipeline()
  for (const { id, ...found } of versions) {
    settling.eval(PUBLISH, versionKeys(ctx, id), [token, publishedValue(token, found)])
  }
  if (versions.length > 0) await settling.exec()
}

function isCurrent(site: Versions, values: readonly unknown[]): boolean {
  const versions = currentVersions(values)
  return versions?.gateVersion === site.gateVersion && versions.contentVersion === site.contentVersion
}

/** Asks again after each of the pauses. @returns whether it was done at last */
async function retrying(ctx: Context, pausesMs: number[], work: () => Promise<unknown>): Promise<boolean> {
  for (let tried = 0; ; tried++) {
    try {
      await work()
      return true
    } catch (error) {
      if (tried === pausesMs.length) {
        ctx.log('gate.unreachable', { error: describeError(error) })
        return false
      }
      await new Promise((resolve) => setTimeout(resolve, pausesMs[tried]))
    }
  }
}
