/** The result of a check or an import in words and numbers, and the next step. */
import type { ImportReport } from '../../../src/cli/upload/load.ts'
import type { Import } from '../../../src/sites/imports.ts'
import { formatQuantity } from '../parts/quantity.ts'
import { sentence } from './words.ts'

type Figure = { title: string; count: number; note?: string | undefined }

type Outcome = {
  /** Null if the figures say it all. */
  notice: { tone: 'success' | 'warning' | 'danger'; text: string } | null
  figures: Figure[]
  /** Sentences about the rest. */
  notes: string[]
  /** True if there is nothing to import. */
  isEmpty: boolean
}

/** The parts of a file that hold one post or guide each. */
export const UNITS = { markdown: 'file', wordpress: 'item', ghost: 'post', ndjson: 'line' } as const

export function outcomeOf({ name, source, phase, confirmedAt, problem, ...ended }: Import): Outcome {
  const report = ended.report as ImportReport | null
  if (problem !== null || !report) {
    // The page has the name above.
    const reason = sentence(String(problem).replace(name, 'the file'))
    const next = reason.startsWith('The file') ? 'Check it' : 'Import the file again'
    return failed(
      confirmedAt
        ? `${reason}. Import the file again to continue: nothing is imported twice.`
        : `${reason}. ${next}, or choose another one.`,
    )
  }
  const isCheck = phase === 'checked'
  const refused = report.skipped.filter(({ isNoArticle }) => !isNoArticle).length
  const notes = notesOf(report, isCheck)
  if (sumOf(report) + notes.length === 0) {
    const nothing = isCheck ? 'Nothing to import' : 'Nothing was imported'
    return failed(
      refused === 0
        ? `${nothing}: the file has no posts or guides. Choose another file.`
        : `${nothing}: everything in the file is refused. See the reasons below, correct the file, and import it again.`,
    )
  }
  const figures = isCheck ? expected(report) : saved(report)
  return {
    notice: noticeOf(report, isCheck, refused, UNITS[source]),
    figures: refused > 0 ? [...figures, { title: 'Not imported', count: refused }] : figures,
    notes,
    isEmpty: false,
  }
}

const failed = (text: string): Outcome => ({
  notice: { tone: 'danger', text },
  figures: [],
  notes: [],
  isEmpty: true,
})

export const sumOf = ({ created, updated, unchanged }: ImportReport) => created + updated + unchanged

/** `51 posts and 21 guides` */
export function contentOf(report: ImportReport): string {
  const { guides = 0 } = report
  const posts = sumOf(report) - guides
  return [posts > 0 && formatQuantity(posts, 'post'), guides > 0 && formatQuantity(guides, 'guide')]
    .filter(Boolean)
    .join(' and ')
}

function expected({ created, updated, published }: ImportReport): Figure[] {
  const drafts = created + updated - published
  return [
    { title: 'New', count: created },
    { title: 'Already here', count: updated },
    published > 0
      ? {
          title: 'Published',
          count: published,
          note: drafts > 0 ? formatQuantity(drafts, 'draft') : 'No drafts',
        }
      : { title: 'Drafts', count: drafts, note: 'None published' },
  ]
}

const saved = ({ created, updated, unchanged }: ImportReport): Figure[] => [
  { title: 'Created', count: created },
  { title: 'Updated', count: updated },
  { title: 'Unchanged', count: unchanged },
]

function noticeOf(report: ImportReport, isCheck: boolean, refused: number, unit: string): Outcome['notice'] {
  const { created, updated, unchanged } = report
  const some = formatQuantity(refused, unit)
  if (refused > 0 && isCheck)
    return {
      tone: 'warning',
      text: `${some} cannot be imported. Import the rest now, or correct the file first.`,
    }
  if (refused > 0)
    return {
      tone: 'warning',
      text: `${some} ${refused === 1 ? 'was' : 'were'} not imported. Correct ${refused === 1 ? 'it' : 'them'} and import again: nothing is imported twice.`,
    }
  if (isCheck || created + updated > 0 || unchanged === 0) return null
  return {
    tone: 'success',
    text: `Nothing changed: ${contentOf(report)} ${unchanged === 1 ? 'is' : 'are'} here already.`,
  }
}

function notesOf(report: ImportReport, isCheck: boolean): string[] {
  const { rest, updated, undated } = report
  const { settings, renamed, eventsNotSent, redirects, trainingRows } = rest
  const noted = (count: unknown, one: string, many = one) =>
    Number(count ?? 0) > 0 ? [`${formatQuantity(Number(count), one, many)}.`] : []
  return [
    ...(isCheck && updated > 0
      ? ['Posts and guides that are here already are updated where the file differs, and never added twice.']
      : []),
    ...(settings === 'from the file'
      ? [`The settings of this site ${isCheck ? 'become' : 'are now'} those in the file.`]
      : []),
    ...noted(redirects, 'redirect from an old address', 'redirects from old addresses'),
    ...noted(trainingRows, 'training row', 'training rows'),
    ...noted(undated, 'without a date: published as of now'),
    ...noted(renamed, 'with a new slug in the file'),
    ...noted(eventsNotSent, 'webhook event not sent', 'webhook events not sent'),
  ]
}
