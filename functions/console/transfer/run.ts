/** A turn of an import, from a queue message. */

import { withNewAddresses } from '../../../src/cli/import/links.ts'
import { type Overview, openReport } from '../../../src/cli/import/report.ts'
import { type FileAnswer, TurnEnded } from '../../../src/cli/upload/convert-in-turns.ts'
import { uploadedSource } from '../../../src/cli/upload/source.ts'
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
import { loadSource } from '../../../src/transfer/load.ts'
import type { Source } from '../../../src/transfer/source.ts'
import { openMemory } from '../../../src/transfer/spool.ts'
import type { Running } from '../../http/own-requests.ts'
import type { ImportOptions, ImportReport } from './options.ts'
import { apiAs } from './own-api.ts'

/** A batch takes ten times its size, and a Worker has 128 MB. */
const BATCH_BYTES = 2 ** 20
/** Articles between two notes of progress. */
const NOTED_EVERY = 25
const MAX_LISTED = 500

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
    await (taken.phase === 'checking' ? endCheck(ctx, taken, report) : endImport(ctx, taken, { report }))
  } catch (error) {
    // A load that has begun adds how far it came.
    const { message, cause = error } = error as Error
    if (cause instanceof Superseded) return
    if (cause instanceof TurnEnded) return endTurn(ctx, taken)
    if (cause instanceof RangeError) return endImport(ctx, taken, { problem: 'it is nested too deeply' })
    const isOutage = !(cause instanceof Failure) || (cause.status ?? 0) >= 500
    if (!isOutage) return endImport(ctx, taken, { problem: message })
    // The sweep repeats the turn.
    ctx.log('import.interrupted', { importId: id, error: describeError(cause) })
    await noteProblem(ctx, taken, message)
  }
}

async function runTurn(ctx: Context, running: Running, taken: Import): Promise<ImportReport> {
  const { name, source, changesetId, phase } = taken
  const { sendEvents, ...options } = taken.options as ImportOptions
  const api = apiAs(running, changesetId, () => actorOf(ctx, taken))
  const site = await api('GET /sites/{siteId}', [taken.siteId])
  const dryRun = phase === 'checking'
  const note = async (done: number, total: number | null) => {
    if (!(await noteProgress(ctx, taken, { done, total }))) throw new Superseded()
  }
  const upload = { name, source, bytes: await readImportFile(ctx, taken) }
  const found = await uploadedSource(api, site, upload, { ...options, dryRun }, keptAnswers(ctx, taken, note))
  try {
    const report = await openReport({ dryRun, openSpool: openMemory })
    const articles: ImportReport['articles'] = []
    const put: typeof report.put = (outcomes) => {
      report.put(outcomes)
      for (const { file, kind, slug, outcome } of outcomes)
        if (articles.length < MAX_LISTED) articles.push({ file, kind, slug, outcome })
    }
    const target = { site, base: `https://${site.domain}`, media: NO_MEDIA }
    // The check of Markdown is quick, since all is converted.
    const noteRead: Note = dryRun && source === 'markdown' ? (_, total) => note(total ?? 0, total) : note
    await loadSource(api, site, noting(found, noteRead), {
      report: { ...report, put },
      openSpool: openMemory,
      readdress: (article, from) => withNewAddresses(article, from, target, report),
      sendEvents,
      dryRun,
      batchBytes: BATCH_BYTES,
      onDone: () => {},
    })
    return { ...(await withRepeated(ctx, taken, report.overview())), articles: dryRun ? articles : [] }
  } finally {
    await found.close?.()
  }
}

/** Images keep their addresses. */
const NO_MEDIA = { base: null, takesForeign: false, dir: null }

/** Nobody imports in the name of a person who has lost access. */
async function actorOf(ctx: Context, { startedById: id, startedBy, address }: Import): Promise<Actor> {
  const identity = id === null ? ROOT : await findById(ctx, id)
  if (!identity) throw new Failure(`${startedBy} is no longer an operator`)
  return { ...identity, channel: 'console', address }
}

type Note = (done: number, total: number | null) => Promise<void>

function keptAnswers(ctx: Context, taken: Import, note: Note) {
  let parts = 0
  return {
    async *restore() {
      for await (const content of readConverted(ctx, taken)) {
        parts += 1
        yield JSON.parse(content) as FileAnswer[]
      }
    },
    async keep(answers: FileAnswer[], { done, total }: { done: number; total: number }) {
      await note(done, total)
      await keepConverted(ctx, taken, parts++, JSON.stringify(answers))
    },
  }
}

function noting(source: Source, note: Note): Source {
  return {
    ...source,
    async *read() {
      let done = 0
      for await (const entry of source.read()) {
        if (('found' in entry || 'skipped' in entry) && done++ % NOTED_EVERY === 0)
          await note(done - 1, source.total)
        yield entry
      }
    },
  }
}

/** A repeated turn finds unchanged what a killed one has saved. */
async function withRepeated(ctx: Context, taken: Import, report: Overview): Promise<Overview> {
  if (taken.phase === 'checking' || taken.killed === 0) return report
  const { created, updated } = await countWritten(ctx, taken)
  const all = report.created + report.updated + report.unchanged
  return { ...report, created, updated, unchanged: Math.max(0, all - created - updated) }
}
