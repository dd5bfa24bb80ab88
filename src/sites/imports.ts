/**
 * Imports of the console. The queue runs one in turns: a turn is a numbered message, a repeated one does nothing, and the
 * sweep replaces a lost one. A site has one at a time.
 */
import { and, asc, desc, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { activeImportPhases } from '../core/enums.ts'
import { AppError } from '../core/errors.ts'
import { describeError } from '../core/log.ts'
import { prune } from '../db/batches.ts'
import { databaseError, UNIQUE_VIOLATION } from '../db/client.ts'
import { importParts, imports } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { markSite } from '../freshness/marks.ts'
import type { Sweep } from '../freshness/sweep.ts'
import { storeImportFile } from './import-file.ts'

type Site = { id: string }

export type Import = typeof imports.$inferSelect
type ImportFile = Pick<Import, 'name' | 'source' | 'options'> & { bytes: Uint8Array }

/** Longer than any gap between progress updates. */
const STOPPED_AFTER = '1 minute'
/** A file that stops two Workers at the same place is too large. */
const MAX_KILLED = 2
const MAX_CONTINUED = 100
/** For the decision after the check. */
const FILE_KEPT = '1 day'

/** A part has up to 4 MB. */
const FIRST_PARTS = 20

const isActive = inArray(imports.phase, activeImportPhases)

export const isRunning = ({ phase }: Pick<Import, 'phase'>) =>
  (activeImportPhases as readonly string[]).includes(phase)

/** Stores the file, starts its check, and discards an earlier checked file. Returns null while another import of the site runs. */
export async function startImport(
  ctx: Context,
  site: Site,
  { bytes, ...file }: ImportFile,
): Promise<string | null> {
  requireRole(ctx, 'editor')
  const latest = await findLatestImport(ctx, site)
  if (latest && isRunning(latest)) return null
  const ofSite = eq(imports.siteId, site.id)
  const isLeft = sql`${imports.phase} = 'uploading' and ${imports.createdAt} < now() - ${STOPPED_AFTER}::interval`
  await ctx.db.delete(imports).where(and(ofSite, isLeft))
  const row = { ...file, siteId: site.id, ...starterOf(ctx) }
  const [{ id }] = (await ctx.db.insert(imports).values(row).returning({ id: imports.id })) as [
    { id: string },
  ]
  await storeImportFile(ctx, id, bytes)
  await end(ctx, site, eq(imports.phase, 'checked'), { problem: 'another file replaced it' })
  if (await begin(ctx, site, id, 'uploading', 'checking')) return id
  await ctx.db.delete(imports).where(eq(imports.id, id))
  return null
}

function starterOf({ actor }: Context) {
  const { id: startedById, name: startedBy, address, token } = actor!
  return { startedById, startedBy, address, tokenId: token?.id ?? null }
}

/** The role that may import a checked file. */
export const roleFor = ({ options }: Pick<Import, 'options'>) =>
  (options as { settings?: boolean }).settings ? 'admin' : 'editor'

/** Imports as the person who confirms it. Returns false while another import of the site runs, or if this one is not checked. */
export async function confirmImport(ctx: Context, site: Site, { id, options }: Import): Promise<boolean> {
  requireRole(ctx, roleFor({ options }))
  return begin(ctx, site, id, 'checked', 'importing')
}

async function begin(
  ctx: Context,
  site: Site,
  id: string,
  from: Import['phase'],
  phase: Import['phase'],
): Promise<boolean> {
  await markSite(ctx, site)
  const [begun] = await ctx.db
    .update(imports)
    .set({
      phase,
      ...(phase === 'importing' && { confirmedAt: sql`now()`, ...starterOf(ctx) }),
      turnedAt: sql`now()`,
      isRunning: false,
      killed: 0,
      done: 0,
      report: null,
      problem: null,
    })
    .where(and(isOf(site, id), eq(imports.phase, from)))
    .returning({ turn: imports.turn })
    .catch((error) => {
      if (databaseError(error)?.code === UNIQUE_VIOLATION) return []
      throw error
    })
  if (begun) await enqueueTurn(ctx, id, begun.turn)
  return begun !== undefined
}

const isOf = (site: Site, id: string) => and(eq(imports.siteId, site.id), eq(imports.id, id))
const isUploaded = ne(imports.phase, 'uploading')
const DISCARDED = 'it was discarded'

/** Also discards a checked file. Saved articles stay. */
export async function stopImport(ctx: Context, site: Site, id: string): Promise<void> {
  requireRole(ctx, 'editor')
  // Without a name, so that an erasure has nothing to remove.
  const problem = sql`case when ${imports.phase} = 'importing' then 'it was stopped' else ${DISCARDED} end`
  await end(ctx, site, and(eq(imports.id, id), ne(imports.phase, 'ended')), { problem })
}

/** @throws AppError not_found */
export async function getImport(ctx: Context, site: Site, id: string): Promise<Import> {
  const [found] = await ctx.db
    .select()
    .from(imports)
    .where(and(isOf(site, id), isUploaded))
  if (!found) throw new AppError('not_found')
  return found
}

/** The running one, or the newest that was not discarded. */
export async function findLatestImport({ db }: Context, site: Site) {
  const [latest] = await db
    .select()
    .from(imports)
    .where(
      and(eq(imports.siteId, site.id), isUploaded, sql`${imports.problem} is distinct from ${DISCARDED}`),
    )
    .orderBy(desc(isActive), desc(imports.createdAt), desc(imports.id))
    .limit(1)
  return latest
}

/** Null for a repeated message, or if the import has ended: also when too many of its turns were killed. */
export async function claimTurn(ctx: Context, id: string, turn: number): Promise<Import | null> {
  const [claimed] = await ctx.db
    .update(imports)
    .set({
      turn: sql`${imports.turn} + 1`,
      turnedAt: sql`now()`,
      isRunning: true,
      killed: sql`${imports.killed} + ${imports.isRunning}::integer`,
    })
    .where(and(eq(imports.id, id), eq(imports.turn, turn), isActive))
    .returning()
  if (!claimed || claimed.killed < MAX_KILLED) return claimed ?? null
  await endImport(ctx, claimed, {
    problem: claimed.problem ?? 'two attempts ran out of time or memory',
  })
  return null
}

type Progress = { done: number; total: number | null }

/** Returns false if the import has ended, or another turn has begun meanwhile. */
export async function saveProgress(
  ctx: Context,
  claimed: Import,
  { done, total }: Progress,
): Promise<boolean> {
  const saved = await ctx.db
    .update(imports)
    .set({
      done: sql`greatest(${imports.done}, ${done})`,
      total,
      // A repeated turn begins again, so only new progress counts.
      killed: sql`case when ${imports.done} < ${done} then 0 else ${imports.killed} end`,
      turnedAt: sql`now()`,
    })
    .where(isTurnOf(claimed))
    .returning({ id: imports.id })
  return saved.length > 0
}

const isTurnOf = ({ id, turn }: Import) => and(eq(imports.id, id), eq(imports.turn, turn), isActive)

/** Ends this turn, and enqueues the next. */
export async function endTurn(ctx: Context, claimed: Import): Promise<void> {
  const ended = await ctx.db
    .update(imports)
    .set({ isRunning: false })
    .where(isTurnOf(claimed))
    .returning({ id: imports.id })
  if (ended.length > 0) await enqueueTurn(ctx, claimed.id, claimed.turn)
}

/** Keeps the reason of a turn that is repeated. */
export async function saveError(ctx: Context, claimed: Import, problem: string): Promise<void> {
  await ctx.db.update(imports).set({ problem }).where(isTurnOf(claimed))
}

export async function endCheck(ctx: Context, claimed: Import, report: unknown): Promise<void> {
  const set = { phase: 'checked', isRunning: false, report, problem: null } as const
  await ctx.db.update(imports).set(set).where(isTurnOf(claimed))
}

type Ending = { report?: unknown; problem?: string | SQL | null }

export const endImport = (ctx: Context, claimed: Import, ending: Ending) =>
  end(ctx, { id: claimed.siteId }, isTurnOf(claimed), ending)

/** Two statements, so that the second one sees parts of a turn that the first one waited for. */
async function end({ db }: Context, site: Site, where: SQL | undefined, ending: Ending): Promise<void> {
  const set = { phase: 'ended', isRunning: false, endedAt: sql`now()`, problem: null, ...ending } as const
  const ofEnded = sql`import_id in (select id from ${imports} where site_id = ${site.id} and phase = 'ended')`
  await db.batch([
    db
      .update(imports)
      .set(set)
      .where(and(eq(imports.siteId, site.id), where)),
    db.delete(importParts).where(ofEnded),
  ])
}

/** Does nothing after the turn. The lock makes a concurrent end wait, and then drop the part. */
export async function keepConverted({ db }: Context, claimed: Import, number: number, content: string) {
  const part = db
    .select({
      importId: imports.id,
      isConverted: sql`true`.as('is_converted'),
      number: sql`${number}::integer`.as('number'),
      content: sql`${content}::text`.as('content'),
    })
    .from(imports)
    .where(isTurnOf(claimed))
    .for('share')
  await db.insert(importParts).select(part).onConflictDoNothing()
}

/** Replaces lost messages of stalled imports. */
export async function continueImports(ctx: Context, { siteIds }: Pick<Sweep, 'siteIds'>): Promise<number> {
  const stalled = await ctx.db
    .select({ id: imports.id, turn: imports.turn })
    .from(imports)
    .where(and(isActive, sql`${imports.turnedAt} < now() - ${STOPPED_AFTER}::interval`, isOfSites(siteIds)))
    .orderBy(asc(imports.turnedAt))
    .limit(MAX_CONTINUED)
  for (const { id, turn } of stalled) await enqueueTurn(ctx, id, turn)
  return stalled.length
}

/** If the message is lost, the sweep sends another, because the site is marked. */
async function enqueueTurn(ctx: Context, importId: string, turn: number): Promise<void> {
  try {
    await ctx.importQueue.send({ kind: 'import', importId, turn })
  } catch (error) {
    ctx.log('queue.unreachable', { importId, error: describeError(error) })
  }
}

/** Includes files that nobody confirmed. Files go first, in small batches. */
export async function pruneImports(ctx: Context): Promise<number> {
  const isOld = sql`created_at < now() - ${`${ctx.config.RETENTION_DELIVERY_DAYS} days`}::interval
    or (phase in ('uploading', 'checked') and created_at < now() - ${FILE_KEPT}::interval)`
  const isPartOfOld = sql`import_id in (select id from ${imports} where ${isOld})`
  await prune(ctx, importParts, isPartOfOld, FIRST_PARTS)
  const isEmpty = sql`not exists (select from ${importParts} where import_id = ${imports.id})`
  return prune(ctx, imports, sql`(${isOld}) and ${isEmpty}`)
}
