/** A turn of an import, from a queue message. */
import type { ImportReport } from '../../../src/cli/upload/load.ts'
import type { UploadOptions } from '../../../src/cli/upload/source.ts'
import type { Context } from '../../../src/context.ts'
import { type Actor, isAllowed, isReachable } from '../../../src/core/actor.ts'
import { describeError } from '../../../src/core/log.ts'
import { ROOT } from '../../../src/people/operator-tokens.ts'
import { findById } from '../../../src/people/operators.ts'
import { countWritten } from '../../../src/sites/import-counts.ts'
import { readConverted, readImportFile } from '../../../src/sites/import-file.ts'
import {
  claimTurn,
  endCheck,
  endImport,
  endTurn,
  type Import,
  keepConverted,
  roleFor,
  saveError,
  saveProgress,
} from '../../../src/sites/imports.ts'
import { Failure } from '../../../src/transfer/failure.ts'
import type { Running } from '../../http/own-requests.ts'
import { apiAs } from './own-api.ts'
import { problemWords } from './words.ts'

export type ImportOptions = Omit<UploadOptions, 'dryRun'> & { sendEvents: boolean }

/** The import has ended, or another turn has begun. */
class Superseded extends Error {}

export async function continueImport(
  ctx: Context,
  running: Running,
  id: string,
  turn: number,
): Promise<void> {
  ctx.logFields.importId = id
  const claimed = await claimTurn(ctx, id, turn)
  if (!claimed) return
  try {
    const report = await runTurn(ctx, running, claimed)
    if (!report) return endTurn(ctx, claimed)
    await (claimed.phase === 'checking'
      ? endCheck(ctx, claimed, report)
      : endImport(ctx, claimed, { report }))
  } catch (error) {
    // A load that has begun adds how far it came.
    const { cause = error } = error as Error
    if (cause instanceof Superseded) return
    if (isStackOverflow(cause)) return endImport(ctx, claimed, { problem: 'it is nested too deeply' })
    const isOutage = !(cause instanceof Failure) || (cause.status ?? 0) >= 500
    if (!isOutage) return endImport(ctx, claimed, { problem: problemWords(cause) })
    // The sweep repeats the turn.
    ctx.log('import.interrupted', { error: describeError(cause) })
    await saveError(ctx, claimed, 'the service failed')
  }
}

const isStackOverflow = (error: unknown) =>
  error instanceof RangeError && error.message.includes('call stack')

/** Returns null if the next turn continues. */
async function runTurn(ctx: Context, running: Running, claimed: Import): Promise<ImportReport | null> {
  const { loadUpload } = await import('../../../src/cli/upload/load.ts')
  const { name, source, changesetId, phase } = claimed
  const options = { ...(claimed.options as ImportOptions), dryRun: phase === 'checking' }
  const api = apiAs(running, { requestId: claimed.id, changesetId }, () => actorOf(ctx, claimed))
  const site = await api('GET /sites/{siteId}', [claimed.siteId])
  const upload = { name, source, bytes: await readImportFile(ctx, claimed) }
  const note = async (done: number, total: number | null) => {
    if (!(await saveProgress(ctx, claimed, { done, total }))) throw new Superseded()
  }
  let parts = 0
  const kept = {
    async *restore() {
      for await (const content of readConverted(ctx, claimed)) {
        parts += 1
        yield content
      }
    },
    async keep(answers: string, { done, total }: { done: number; total: number }) {
      await note(done, total)
      await keepConverted(ctx, claimed, parts++, answers)
    },
  }
  const report = await loadUpload(api, site, upload, options, kept, note)
  return report && (await withRepeated(ctx, claimed, report))
}

/** Without the name, which an erasure would miss. */
const WHO = 'the person who started it'

/** Asked before each request, so that an import ends with the access of the person who confirmed it. */
async function actorOf(ctx: Context, claimed: Import): Promise<Actor> {
  const { startedById: id, tokenId, address, phase, siteId } = claimed
  const person =
    id === null ? { ...ROOT, isSignedIn: !!ctx.config.OPERATOR_TOKEN } : await findById(ctx, id, tokenId)
  if (!person) throw new Failure(`${WHO} was removed from People`)
  const { isSignedIn, ...identity } = person
  if (!isSignedIn) throw new Failure('the token or link that started it was revoked or has expired')
  if (!isReachable(identity, siteId)) throw new Failure(`${WHO} can no longer open this site`)
  const needs = phase === 'importing' ? roleFor(claimed) : 'editor'
  if (!isAllowed(identity, needs)) throw new Failure(`${WHO} no longer has the role ${needs}`)
  return { ...identity, channel: 'console', address }
}

/** A repeated turn finds unchanged what a killed one has saved. */
async function withRepeated(ctx: Context, claimed: Import, report: ImportReport): Promise<ImportReport> {
  if (claimed.phase === 'checking' || claimed.killed === 0) return report
  const { created, updated } = await countWritten(ctx, claimed)
  const all = report.created + report.updated + report.unchanged
  return { ...report, created, updated, unchanged: Math.max(0, all - created - updated) }
}
