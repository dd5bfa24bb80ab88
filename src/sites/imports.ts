/**
 * Imports of the console. The queue runs one in turns: a turn is a numbered message, a repeated one does nothing, and the
 * sweep replaces a lost one. A site has one at a time.
 */
import { and, asc, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { base64, fromBase64 } from '../core/ids.ts'
import { RETENTION_DAYS } from '../core/limits.ts'
import { describeError } from '../core/log.ts'
import { prune } from '../db/batches.ts'
import { databaseError, UNIQUE_VIOLATION } from '../db/client.ts'
import { auditLog, importParts, imports } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { markSite } from '../freshness/marks.ts'
import type { Sweep } from '../freshness/sweep.ts'

type Site = { id: string }

export type Import = typeof imports.$inferSelect
type ImportFile = Pick<Import, 'name' | 'source' | 'options'> & { bytes: Uint8Array }

/** Neon takes 10 MiB in a call. */
const PART_BYTES = 3 * 2 ** 20
/** A multiple of three. */
const PIECE_BYTES = 24 * 1024
/** Between two notes of progress; a Worker has 30 s of CPU. */
const STOPPED_AFTER = '1 minute'
/** Then the file takes more than a Worker has. */
const MAX_KILLED = 3
const MAX_CONTINUED = 100
/** For the decision after the check. */
const FILE_KEPT = '1 day'

const ACTIVE = ['checking', 'importing'] as const
const isActive = inArray(imports.phase, ACTIVE)

/** Stores the file and starts its check. Returns null while another import of the site runs. */
export async function startImport(
  ctx: Context,
  site: Site,
  { bytes, ...file }: ImportFile,
): Promise<string | null> {
  requireRole(ctx, 'editor')
  const { id: startedById, name: startedBy, address } = ctx.actor!
  const row = { ...file, siteId: site.id, startedById, startedBy, address }
  const [{ id }] = (await ctx.db.insert(imports).values(row).returning({ id: imports.id })) as [
    { id: string },
  ]
  for (let at = 0, number = 0; at < bytes.length; at += PART_BYTES, number++) {
    const content = toBase64(bytes.subarray(at, at + PART_BYTES))
    await ctx.db.insert(importParts).values({ importId: id, isConverted: false, number, content })
  }
  if (await begin(ctx, site, id, 'uploading', 'checking')) return id
  await ctx.db.delete(imports).where(eq(imports.id, id))
  return null
}

/** In pieces, since a call takes no million arguments. */
function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) text += base64(bytes.subarray(at, at + PIECE_BYTES))
  return text
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
  const { id: startedById, name: startedBy, address } = ctx.actor!
  const [begun] = await ctx.db
    .update(imports)
    .set({
      phase,
      ...(phase === 'importing' && { confirmedAt: sql`now()`, startedById, startedBy, address }),
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

/** Also discards a checked file. Saved articles stay. */
export async function stopImport(ctx: Context, site: Site, id: string): Promise<void> {
  requireRole(ctx, 'editor')
  const problem = sql`case when ${imports.phase} = 'importing' then ${`${ctx.actor!.name} stopped it`}
    else 'it was discarded' end`
  await end(ctx, and(isOf(site, id), sql`${imports.phase} <> 'ended'`), { problem })
}

/** @throws AppError not_found */
export async function getImport(ctx: Context, site: Site, id: string): Promise<Import> {
  const [found] = await ctx.db.select().from(imports).where(isOf(site, id))
  if (!found) throw new AppError('not_found')
  return found
}

/** Newest first, the running one before them. */
export async function listImports({ db }: Context, site: Site, limit: number) {
  const { id, name, phase, startedBy, createdAt } = imports
  return db
    .select({ id, name, phase, startedBy, createdAt })
    .from(imports)
    .where(and(eq(imports.siteId, site.id), sql`${phase} <> 'uploading'`))
    .orderBy(desc(isActive!), desc(createdAt), desc(id))
    .limit(limit)
}

/** Null for a repeated message, or if the import has ended: also when too many of its turns were killed. */
export async function takeTurn(ctx: Context, id: string, turn: number): Promise<Import | null> {
  const [taken] = await ctx.db
    .update(imports)
    .set({
      turn: sql`${imports.turn} + 1`,
      turnedAt: sql`now()`,
      isRunning: true,
      killed: sql`${imports.killed} + ${imports.isRunning}::integer`,
    })
    .where(and(eq(imports.id, id), eq(imports.turn, turn), isActive))
    .returning()
  if (!taken || taken.killed < MAX_KILLED) return taken ?? null
  await endImport(ctx, taken, {
    problem: taken.problem ?? 'it takes more time or memory than the console has',
  })
  return null
}

type Progress = { done: number; total: number | null }

/** Returns false if the import has ended, or another turn has begun meanwhile. */
export async function noteProgress(ctx: Context, taken: Import, progress: Progress): Promise<boolean> {
  const noted = await ctx.db
    .update(imports)
    .set({ ...progress, turnedAt: sql`now()` })
    .where(isTurnOf(taken))
    .returning({ id: imports.id })
  return noted.length > 0
}

const isTurnOf = ({ id, turn }: Import) => and(eq(imports.id, id), eq(imports.turn, turn), isActive)

/** Ends this turn, and enqueues the next. */
export async function endTurn(ctx: Context, taken: Import): Promise<void> {
  const ended = await ctx.db
    .update(imports)
    .set({ isRunning: false })
    .where(isTurnOf(taken))
    .returning({ id: imports.id })
  if (ended.length > 0) await enqueueTurn(ctx, taken.id, taken.turn)
}

/** Keeps the reason of a turn that is repeated. */
export async function noteProblem(ctx: Context, taken: Import, problem: string): Promise<void> {
  await ctx.db.update(imports).set({ problem }).where(isTurnOf(taken))
}

export async function endCheck(ctx: Context, taken: Import, report: unknown): Promise<void> {
  const set = { phase: 'checked', isRunning: false, report, problem: null } as const
  await ctx.db.update(imports).set(set).where(isTurnOf(taken))
}

type Ending = { report?: unknown; problem?: string | SQL | null }

export const endImport = (ctx: Context, taken: Import, ending: Ending) => end(ctx, isTurnOf(taken), ending)

async function end(ctx: Context, where: SQL | undefined, ending: Ending): Promise<void> {
  const set = { phase: 'ended', isRunning: false, endedAt: sql`now()`, problem: null, ...ending } as const
  const ended = ctx.db.update(imports).set(set).where(where).returning({ id: imports.id })
  for (const { id } of await ended) await ctx.db.delete(importParts).where(eq(importParts.importId, id))
}

export async function readImportFile(ctx: Context, { id }: Pick<Import, 'id'>): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const content of readParts(ctx, id, false)) parts.push(fromBase64(content))
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

export const readConverted = (ctx: Context, { id }: Pick<Import, 'id'>) => readParts(ctx, id, true)

/** One for each call, since a response of Neon has 10 MiB. */
async function* readParts({ db }: Context, importId: string, isConverted: boolean): AsyncGenerator<string> {
  for (let number = 0; ; number++) {
    const part = { importId, isConverted, number }
    const isPart = and(
      ...Object.entries(part).map(([name, value]) => eq(importParts[name as keyof typeof part], value)),
    )
    const [found] = await db.select({ content: importParts.content }).from(importParts).where(isPart)
    if (!found) return
    yield found.content
  }
}

export async function keepConverted({ db }: Context, { id }: Import, number: number, content: string) {
  await db
    .insert(importParts)
    .values({ importId: id, isConverted: true, number, content })
    .onConflictDoNothing()
}

/** From the audit log, since a killed turn may not have noted its last batch. */
export async function countWritten({ db }: Context, { changesetId }: Import) {
  const isCreated = sql`action in ('post.created', 'guide.created')`
  const { rows } = await db.execute(sql`
    select count(*) filter (where is_created)::integer as created, count(*) filter (where not is_created)::integer as updated
    from (select resource_id, bool_or(${isCreated}) as is_created from ${auditLog}
      where changeset_id = ${changesetId} and action ~ '^(post|guide)[.]' group by 1) written`)
  return rows[0] as { created: number; updated: number }
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

/** Also files that nobody imported after their check. */
export async function pruneImports(ctx: Context): Promise<number> {
  const isOld = sql`created_at < now() - ${`${RETENTION_DAYS} days`}::interval
    or (phase in ('uploading', 'checked') and created_at < now() - ${FILE_KEPT}::interval)`
  return prune(ctx, imports, isOld)
}
