/** What an import says at its end: what was put, and everything that was not taken over. */

import type { Result } from '../command.ts'
import type { Schemas } from '../routes.ts'
import type { Loss, Skipped } from './source.ts'
import { openSpool, type Spool } from './spool.ts'

/** More lines than this of one kind are not read; --json has them all. */
const MAX_LINES = 1_000
/** Of what many lose for the same reason, as many are named. */
const MAX_DETAILS = 5
/** That many images are named one by one in the text. */
const MAX_NAMED_IMAGES = 20

/** An image, or another file, that an article shows or links to; `to` is its new address, null if it stays. */
type Image = { file: string; src: string; to: string | null }

export type Report = {
  /** How many articles were put, or would be in a dry run. */
  put(outcomes: Pick<Schemas['PutResult'], 'outcome'>[]): void
  skip(skipped: Skipped): void
  lose(loss: Loss): Promise<void>
  image(image: Image): Promise<void>
  /** What was brought besides articles, by name. */
  add(rest: Record<string, unknown>): void
  /** How many articles it knows of, the skipped ones included. */
  done(): number
  putSoFar(): number
  result(): Result
  close(): Promise<void>
}

export async function openReport({ dryRun }: { dryRun: boolean }): Promise<Report> {
  const counts = { created: 0, updated: 0, unchanged: 0 }
  const skipped: Skipped[] = []
  const losses = await openSpool()
  const images = await openSpool()
  const lossSums = new Map<string, Sum>()
  let unnamed = 0
  const named: Image[] = []
  const imageCount = { all: 0, moved: 0 }
  let rest: Record<string, unknown> = {}
  const putSoFar = () => counts.created + counts.updated + counts.unchanged
  const summary = () =>
    dryRun
      ? { found: putSoFar() }
      : { imported: counts.created, updated: counts.updated, unchanged: counts.unchanged }

  async function* json() {
    const sorted = skipped.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0))
    yield JSON.stringify({ ...summary(), ...rest, skipped: sorted }, null, 2).slice(0, -2)
    yield* jsonArray('notTakenOver', losses)
    yield* jsonArray('images', images)
    yield '\n}\n'
  }

  async function* text() {
    for (const { file, reason } of skipped.toSorted((a, b) => (a.file < b.file ? -1 : 1))) {
      yield `Skipped ${file}: ${reason}\n`
    }
    for (const sum of lossSums.values()) yield `Not taken over: ${lossLine(sum)}\n`
    if (unnamed > 0) yield `Not taken over: ${unnamed} things more; --json names them\n`
    if (imageCount.all <= MAX_NAMED_IMAGES) for (const image of named) yield `${imageLine(image)}\n`
    else yield `${imageCount.all} images, ${imageCount.moved} with a new address; --json names them\n`
    for (const [what, value] of Object.entries(rest)) yield `${what}: ${value}\n`
    yield `${Object.entries(summary())
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')}, ${skipped.length} skipped${dryRun ? ' (nothing was put)' : ''}\n`
  }

  async function* pieces(asJson: boolean) {
    try {
      yield* asJson ? json() : text()
    } finally {
      await close()
    }
  }

  async function close(): Promise<void> {
    await losses.close()
    await images.close()
  }

  return {
    put(outcomes) {
      for (const { outcome } of outcomes) counts[outcome] += 1
    },
    skip(one) {
      skipped.push(one)
    },
    async lose({ file, field, reason, detail }) {
      const key = JSON.stringify([field, reason])
      const sum = lossSums.get(key)
      if (sum) add(sum, file, detail)
      else if (lossSums.size < MAX_LINES)
        lossSums.set(key, newSum({ file, field, reason, ...(detail !== undefined && { detail }) }))
      else unnamed += 1
      await losses.append(
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
    result: () => ({ pieces, complete: skipped.length === 0 }),
    close,
  }
}

/** `details` are the first few; of more only the number of times is known. */
type Sum = {
  first: string
  last: string
  files: number
  field: string
  reason: string
  details: Set<string>
  more: number
}

function newSum({ file, field, reason, detail }: Loss): Sum {
  return {
    first: file,
    last: file,
    files: 1,
    field,
    reason,
    details: new Set(detail === undefined ? [] : [detail]),
    more: 0,
  }
}

function add(sum: Sum, file: string, detail: string | undefined): void {
  sum.files += sum.last === file ? 0 : 1
  sum.last = file
  if (detail === undefined || sum.details.has(detail)) return
  if (sum.details.size < MAX_DETAILS) sum.details.add(detail)
  else sum.more += 1
}

function lossLine({ first, files, field, reason, details, more }: Sum): string {
  const where = files === 1 ? first : `${files} files, the first is ${first}`
  const which = details.size === 0 ? '' : `: ${[...details].join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return `${field} (${where}): ${reason}${which}`
}

function imageLine({ file, src, to }: Image): string {
  return `Image in ${file}: ${src}${to === null ? ' stays' : ` is now ${to}`}`
}

async function* jsonArray(name: string, spool: Spool): AsyncIterable<string> {
  yield `,\n  ${JSON.stringify(name)}: [`
  let between = '\n'
  for await (const line of spool.lines()) {
    yield `${between}    ${line}`
    between = ',\n'
  }
  yield between === '\n' ? ']' : '\n  ]'
}
