/** A turn of an import, from a queue message. */
import type { ImportReport } from '../../../src/cli/upload/load.ts'
import type { UploadOptions } from '../../../src/cli/upload/source.ts'
import type { Context } from '../../../src/context.ts'
import type { Actor } from '../../../src/core/actor.ts'
import { describeError } from '../../../src/core/log.ts'
import { ROOT } from '../../../src/people/operator-tokens.ts'
import { findById } from '../../../src/people/operators.ts'
import {
  countWritten,
  endCheck,
  endImport,
  endTurn,
  type Import,
  keepConverted,
  noteProblem,
  noteProgress,
  readConverted,
  readImportFile,
  takeTurn,
} from '../../../src/sites/imports.ts'
import { Failure } from '../../../src/transfer/failure.ts'
import type { Running } from '../../http/own-requests.ts'
import { apiAs } from './own-api.ts'

export type ImportOptions = Omit<UploadOptions, 'dryRun'> & { sendEvents: boolean }

/** The import has ended, or another turn has begun. */
class Superseded extends Error {}

export async function continueImport(
  ctx: Context,
  running: Running,
  id: string,
  turn: number,
): Promise<void> {
  const taken = await takeTurn(ctx, id, turn)
  if (!taken) return
  try {
    const report = await runTurn(ctx, running, taken)
    if (!report) return endTurn(ctx, taken)
    await (taken.phase === 'checking' ? endCheck(ctx, taken, report) : endImport(ctx, taken, { report }))
  } catch (error) {
    // A load that has begun adds how far it came.
    const { message, cause = error } = error as Error
    if (cause instanceof Superseded) return
    if (isStackOverflow(cause)) return endImport(ctx, taken, { problem: 'it is nested too deeply' })
    const isOutage = !(cause instanceof Failure) || (cause.status ?? 0) >= 500
    if (!isOutage) return endImport(ctx, taken, { problem: message })
    // The sweep repeats the turn.
    ctx.log('import.interrupted', { importId: id, error: describeError(cause) })
    await noteProblem(ctx, taken, cause instanceof Failure ? message : 'the service failed')
  }
}

const isStackOverflow = (error: unknown) =>
  error instanceof RangeError && error.message.includes('call stack')

/** Returns null if the next turn continues. */
async function runTurn(ctx: Context, running: Running, taken: Import): Promise<ImportReport | null> {
  const { loadUpload } = await import('../../../src/cli/upload/load.ts')
  const { name, source, changesetId, phase } = taken
  const options = { ...(taken.options as ImportOptions), dryRun: phase === 'checking' }
  const api = apiAs(running, changesetId, () => actorOf(ctx, taken))
  const site = await api('GET /sites/{siteId}', [taken.siteId])
  const upload = { name, source, bytes: await readImportFile(ctx, taken) }
  const note = async (done: number, total: number | null) => {
    if (!(await noteProgress(ctx, taken, { done, total }))) throw new Superseded()
  }
  let parts = 0
  const kept = {
    async *restore() {
      for await (const content of readConverted(ctx, taken)) {
        parts += 1
        yield content
      }
    },
    async keep(answers: string, { done, total }: { done: number; total: number }) {
      await note(done, total)
      await keepConverted(ctx, taken, parts++, answers)
    },
  }
  const report = await loadUpload(api, site, upload, options, kept, note)
  return report && (await withRepeated(ctx, taken, report))
}

/** Nobody imports in the name of a person who has lost access. */
async function actorOf(ctx: Context, { startedById: id, startedBy, address }: Import): Promise<Actor> {
  const identity = id === null ? ROOT : await findById(ctx, id)
  if (!identity) throw new Failure(`${startedBy} is no longer an operator`)
  return { ...identity, channel: 'console', address }
}

/** A repeated turn finds unchanged what a killed one has saved. */
async function withRepeated(ctx: Context, taken: Import, report: ImportReport): Promise<ImportReport> {
  if (taken.phase === 'checking' || taken.killed === 0) return report
  const { created, updated } = await countWritten(ctx, taken)
  const all = report.created + report.updated + report.unchanged
  return { ...report, created, updated, unchanged: Math.max(0, all - created - updated) }
}
