/** The report at the end of an import: saved articles, and all losses, the most important first. */

import { writeFile } from 'node:fs/promises'
import { Failure } from '../../transfer/failure.ts'
import type { Image, Report } from '../../transfer/report.ts'
import type { Skipped } from '../../transfer/source.ts'
import type { OpenSpool, Spool } from '../../transfer/spool.ts'
import type { Result } from '../command.ts'
import { printable } from '../output.ts'
import { WEIGHTS, type Weight, weightOf } from './losses.ts'
import {
  imageLine,
  imagesLine,
  type LossFacts,
  type LossGroup,
  lossFacts,
  lossGroupOf,
  lossLine,
  oneLine,
} from './report-lines.ts'
import { openSpool as openFile } from './spool.ts'

/** More than anybody reads. The saved report is complete. */
const MAX_KINDS = 1_000
const MAX_NAMED_IMAGES = 20
/** Leaves room on a screen. */
const MAX_TERMINAL_LINES = 10
const MAX_NAMED = 5

export type ReportOptions = {
  dryRun: boolean
  /** Includes minor losses, and doesn't shorten the output on a terminal. */
  verbose?: boolean
  isTerminal?: boolean
  /** By default a temporary file, since a report can be long. */
  openSpool?: OpenSpool
}

/** The report for a page. Minor losses are only counted. */
export type Overview = Record<'created' | 'updated' | 'unchanged' | 'undated' | 'minor', number> & {
  skipped: Skipped[]
  dropped: LossFacts[]
  changed: LossFacts[]
  images: { all: number; moved: number }
  rest: Record<string, unknown>
}

/** Uses spools, since a report can be long. */
export type FullReport = Report & {
  /** Writes the full report: JSON if the file name ends in .json, otherwise text. */
  save(path: string): Promise<void>
  result(): Result
  overview(): Overview
}

export async function openReport({
  dryRun,
  verbose,
  isTerminal,
  openSpool = openFile,
}: ReportOptions): Promise<FullReport> {
  const counts = { created: 0, updated: 0, unchanged: 0 }
  const skipped: Skipped[] = []
  let isWhole = true
  let undated = 0
  const losses: Record<Weight, Spool> = {
    dropped: await openSpool(),
    changed: await openSpool(),
    minor: await openSpool(),
  }
  const lossCounts: Record<Weight, number> = { dropped: 0, changed: 0, minor: 0 }
  const images = await openSpool()
  const groups = new Map<string, LossGroup>()
  let unnamed = 0
  const named: Image[] = []
  const imageCount = { all: 0, moved: 0 }
  let rest: Record<string, unknown> = {}
  const putSoFar = () => counts.created + counts.updated + counts.unchanged
  const inOrder = () => skipped.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0))
  const summary = () =>
    dryRun
      ? { found: putSoFar() }
      : { imported: counts.created, updated: counts.updated, unchanged: counts.unchanged }
  const skippedLines = () => inOrder().map(({ file, reason }) => `Skipped ${file}: ${reason}`)
  const lastLines = () => [
    ...(undated === 1 ? ['1 article has no date: it is published as of now'] : []),
    ...(undated > 1 ? [`${undated} articles have no date: they are published as of now`] : []),
    ...Object.entries(rest).map(
      ([what, value]) => `${what}: ${Array.isArray(value) ? firstOf(value) : value}`,
    ),
    `${Object.entries(summary())
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')}, ${skipped.length} skipped${dryRun ? ' (nothing was saved)' : ''}`,
  ]

  async function* json() {
    yield JSON.stringify(
      {
        ...summary(),
        ...(undated > 0 && { undated }),
        ...rest,
        skipped: inOrder().map(({ file, reason }) => ({ file, reason })),
      },
      null,
      2,
    ).slice(0, -2)
    yield* jsonArray(
      'notTakenOver',
      WEIGHTS.map((weight) => losses[weight]),
    )
    yield* jsonArray('images', [images])
    yield '\n}\n'
  }

  async function* wholeText() {
    for (const line of skippedLines()) yield line
    for (const weight of WEIGHTS) {
      for await (const line of losses[weight].lines()) yield lossLine(weight, lossGroupOf(JSON.parse(line)))
    }
    for await (const line of images.lines()) yield imageLine(JSON.parse(line))
    for (const line of lastLines()) yield line
  }

  const groupsOf = (weight: Weight) =>
    [...groups.values()].filter(({ reason }) => weightOf(reason) === weight).sort((a, b) => b.times - a.times)

  async function* text() {
    const linesOf = (weight: Weight) => groupsOf(weight).map((sum) => lossLine(weight, sum))
    const isShort = Boolean(isTerminal && !verbose)
    const first = [...skippedLines(), ...WEIGHTS.slice(0, verbose ? 3 : 2).flatMap(linesOf)]
    const last = [
      ...(unnamed > 0 ? [`Not imported: ${unnamed} more; --report FILE lists them`] : []),
      ...(lossCounts.minor > 0 && !verbose ? [`${lossCounts.minor} minor losses; --verbose lists them`] : []),
      ...(imageCount.all > (isShort ? 1 : MAX_NAMED_IMAGES)
        ? [imagesLine(imageCount)]
        : named.map(imageLine)),
      ...lastLines(),
    ]
    const room = isShort ? Math.max(1, MAX_TERMINAL_LINES - last.length) : first.length
    const shown = first.length > room ? first.slice(0, room - 1) : first
    for (const line of shown) yield line
    if (first.length > shown.length)
      yield `${first.length - shown.length} more lines; --report FILE saves all, --verbose shows them`
    for (const line of last) yield line
  }

  async function* pieces(asJson: boolean) {
    try {
      yield* asJson ? json() : printed(text())
    } finally {
      await close()
    }
  }

  async function close(): Promise<void> {
    for (const spool of [...Object.values(losses), images]) await spool.close()
  }

  return {
    put(outcomes) {
      for (const { outcome, isUndated } of outcomes) {
        counts[outcome] += 1
        // An existing article keeps its date.
        if (isUndated && outcome === 'created') undated += 1
      }
    },
    skip(one) {
      skipped.push(one)
      isWhole &&= one.isNoArticle ?? false
    },
    async lose(loss) {
      const { file, field, reason, detail } = loss
      const weight = weightOf(reason)
      lossCounts[weight] += 1
      const key = JSON.stringify([field, reason])
      const sum = groups.get(key)
      if (sum) sum.add(loss)
      else if (groups.size < MAX_KINDS) groups.set(key, lossGroupOf(loss))
      else unnamed += 1
      await losses[weight].append(
        JSON.stringify({ file, field, reason: detail === undefined ? reason : `${reason}: ${detail}` }),
      )
    },
    async image(image) {
      imageCount.all += 1
      if (image.to !== null) imageCount.moved += 1
      if (named.length < MAX_NAMED_IMAGES) named.push(image)
      await images.append(JSON.stringify(image))
    },
    add(more) {
      rest = { ...rest, ...more }
    },
    done: () => putSoFar() + skipped.length,
    putSoFar,
    isWhole: () => isWhole,
    async save(path) {
      try {
        await writeFile(path, /\.json$/i.test(path) ? json() : printed(wholeText()))
      } catch (error) {
        throw new Failure(`Cannot write the report: ${(error as Error).message}`)
      }
    },
    result: () => ({ pieces, complete: isWhole }),
    overview: () => ({
      ...counts,
      undated,
      skipped: inOrder(),
      dropped: groupsOf('dropped').map(lossFacts),
      changed: groupsOf('changed').map(lossFacts),
      minor: lossCounts.minor,
      images: imageCount,
      rest,
    }),
    close,
  }
}

async function* printed(lines: AsyncIterable<string>) {
  for await (const line of lines) yield `${printable(oneLine(line))}\n`
}

async function* jsonArray(name: string, spools: Spool[]): AsyncIterable<string> {
  yield `,\n  ${JSON.stringify(name)}: [`
  let between = '\n'
  for (const spool of spools) {
    for await (const line of spool.lines()) {
      yield `${between}    ${line}`
      between = ',\n'
    }
  }
  yield between === '\n' ? ']' : '\n  ]'
}

function firstOf(all: unknown[]): string {
  const more = all.length - MAX_NAMED
  return all.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
