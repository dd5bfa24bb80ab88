/**
 * Whether what an isolate remembers of a site still holds, told by Redis without asking Postgres.
 *
 * A writer counts itself in before it writes (`turns`) and out after its commit, and settles the versions that Postgres
 * then has under the number of that turn. They are vouched for only while nobody has counted since: what a writer that
 * died left behind, or that others overtook, is nobody's word, and Postgres is asked. Of writers that cross, the last
 * to count itself out settles what it then finds. The sweep settles anew what nobody did.
 */
import { asc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { Context } from './context.ts'
import { writeLocked } from './db/lock.ts'
import { sites } from './db/schema.ts'
import { describeError } from './log.ts'

const SITES_AT_ONCE = 500

/** Settles a turn while nobody has counted since; what comes later is not overwritten. */
const SETTLE = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[2], ARGV[2])
  return 1`

/** The keys to read, in one MGET, for `vouched`. */
export function gateKeys(ctx: Context, siteId: string): [turns: string, settled: string] {
  const key = `${ctx.config.REDIS_PREFIX}:gate:${siteId}`
  return [`${key}:turns`, `${key}:settled`]
}

/** A site's settings and keys on the one hand, its content on the other. */
export type Versions = { gateVersion: number; contentVersion: number }

/** What Redis vouches for; null when it vouches for nothing. */
export function vouched([turns, settled]: readonly unknown[]): Versions | null {
  const [turn, gateVersion, contentVersion] = String(settled ?? '').split('/')
  if (!contentVersion || turn !== String(turns)) return null
  return { gateVersion: Number(gateVersion), contentVersion: Number(contentVersion) }
}

function settledValue(turn: number, { gateVersion, contentVersion }: Versions): string {
  return `${turn}/${gateVersion}/${contentVersion}`
}

/**
 * Runs a write of the site and settles the version it led to. Nobody is told of the write before that: a read that
 * comes after sees it. Where Redis cannot be reached, the write goes on and the sweep settles it.
 */
export async function whileWriting<Result>(
  ctx: Context,
  siteId: string,
  write: () => Promise<{ result: Result; versions: Versions | undefined }>,
): Promise<Result> {
  const begun = await inReach(ctx, () => ctx.redis.incr(gateKeys(ctx, siteId)[0]))
  const { result, versions } = await write()
  if (versions) await inReach(ctx, () => countOut(ctx, siteId, begun, versions))
  return result
}

/** `begun` is the turn of the counting in, null when Redis did not answer; `versions` as of the commit. */
async function countOut(
  ctx: Context,
  siteId: string,
  begun: number | null,
  versions: Versions,
): Promise<void> {
  const keys = gateKeys(ctx, siteId)
  const counting = ctx.redis.multi().incr(keys[0])
  if (begun !== null) counting.set(keys[1], settledValue(begun + 1, versions))
  const [turn] = await counting.exec<[number, ...unknown[]]>()
  if (begun !== null && turn === begun + 1) return
  // Somebody else has counted meanwhile. Whoever was told of a write before this turn is seen by what is read now.
  const [latest] = await selectVersions(ctx, siteId)
  if (latest) await ctx.redis.eval(SETTLE, keys, [turn, settledValue(turn, latest)])
}

/** Runs statements that write a site's posts, guides or training rows: `writeLocked`, and then settled. */
export function writeSite<Statements extends Readonly<[BatchItem<'pg'>, ...BatchItem<'pg'>[]]>>(
  ctx: Context,
  siteId: string,
  statements: Statements,
): Promise<BatchResponse<Statements>> {
  return whileWriting(ctx, siteId, async () => {
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
export async function settleGates(ctx: Context): Promise<number> {
  let settled = 0
  for (let last: string | null = null; ; ) {
    const page: ({ id: string } & Versions)[] = await ctx.db
      .select({ id: sites.id, ...versionColumns })
      .from(sites)
      .where(last ? gt(sites.id, last) : undefined)
      .orderBy(asc(sites.id))
      .limit(SITES_AT_ONCE)
    if (page.length === 0) return settled
    const values = await ctx.redis.mget<unknown[]>(page.flatMap(({ id }) => gateKeys(ctx, id)))
    const astray = page.filter((site, i) => {
      const versions = vouched(values.slice(2 * i, 2 * i + 2))
      return versions?.gateVersion !== site.gateVersion || versions.contentVersion !== site.contentVersion
    })
    await settle(ctx, astray)
    settled += astray.length
    last = page.at(-1)!.id
  }
}

async function settle(ctx: Context, astray: { id: string }[]): Promise<void> {
  if (astray.length === 0) return
  const counting = ctx.redis.pipeline()
  for (const { id } of astray) counting.incr(gateKeys(ctx, id)[0])
  const turns = await counting.exec<number[]>()
  // After the counting: who counts itself in or out from here on has the last word.
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
    const turn = turns[astray.findIndex((site) => site.id === id)]!
    settling.eval(SETTLE, gateKeys(ctx, id), [turn, settledValue(turn, found)])
  }
  if (versions.length > 0) await settling.exec()
}

async function inReach<Reply>(ctx: Context, ask: () => Promise<Reply>): Promise<Reply | null> {
  try {
    return await ask()
  } catch (error) {
    ctx.log('gate.unreachable', { error: describeError(error) })
    return null
  }
}
