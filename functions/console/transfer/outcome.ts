/** The result of a check or an import in words and numbers, and the next step. */
import type { ImportReport } from '../../../src/cli/upload/load.ts'
import type { Import } from '../../../src/sites/imports.ts'
import { formatQuantity } from '../parts/quantity.ts'

type Ended = Pick<Import, 'source' | 'problem' | 'confirmedAt'> & {
  isCheck: boolean
  report: ImportReport | null
}

type Figure = { title: string; count: number; note?: string | undefined }

type Outcome = {
  /** Null if the figures say it all. */
  notice: { tone: 'success' | 'warning' | 'danger'; result: string; next: string } | null
  figures: Figure[]
  /** Sentences about the rest. */
  notes: string[]
  /** True if there is nothing to import. */
  isEmpty: boolean
}

export function outcomeOf({ source, isCheck, confirmedAt, problem, report }: Ended): Outcome {
  if (problem !== null || report === null) {
    const [result, next] = confirmedAt
      ? ['The import ended early', 'Import the file again to continue: nothing is imported twice.']
      : ['Nothing was imported', 'Check the file, or choose another one.']
    return failed(`${result}: ${problem}.`, next!)
  }
  const { created, updated, unchanged } = report
  const refused = report.skipped.filter(({ isNoArticle }) => !isNoArticle).length
  const unit = source === 'ndjson' ? 'line' : 'article'
  const notes = notesOf(report, isCheck)
  if (created + updated + unchanged + notes.length === 0) return failed(...emptyOf(isCheck, refused))
  const articles = isCheck ? expected(report) : saved(report)
  const refusals = refused > 0 ? [{ title: 'Not imported', count: refused }] : []
  return {
    notice: noticeOf(report, isCheck, refused, unit),
    figures: [...articles, ...refusals],
    notes,
    isEmpty: false,
  }
}

const failed = (result: string, next: string): Outcome => ({
  notice: { tone: 'danger', result, next },
  figures: [],
  notes: [],
  isEmpty: true,
})

function emptyOf(isCheck: boolean, refused: number): [result: string, next: string] {
  const nothing = isCheck ? 'Nothing to import' : 'Nothing was imported'
  if (refused === 0) return [`${nothing}: the file has no articles.`, 'Choose another file.']
  return [
    `${nothing}: everything in the file is refused.`,
    'See the reasons below, correct the file, and import it again.',
  ]
}

function expected({ created, updated, published }: ImportReport): Figure[] {
  const drafts = created + updated - published
  return [
    { title: 'New', count: created },
    { title: 'Existing', count: updated, note: updated > 0 ? 'Updated where they differ' : undefined },
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
  if (refused > 0 && isCheck) {
    const next = 'Import the others now, or correct the file first.'
    return { tone: 'warning', result: `${some} cannot be imported.`, next }
  }
  if (refused > 0) {
    const next = `Correct ${refused === 1 ? 'it' : 'them'} and import the file again: nothing is imported twice.`
    return { tone: 'warning', result: `${some} ${refused === 1 ? 'was' : 'were'} not imported.`, next }
  }
  if (isCheck || created + updated > 0 || unchanged === 0) return null
  const all = unchanged === 1 ? 'the article is' : `all ${formatQuantity(unchanged, 'article')} are`
  return { tone: 'success', result: `Nothing changed: ${all} here already.`, next: '' }
}

function notesOf({ rest, undated }: ImportReport, isCheck: boolean): string[] {
  const { settings, renamed, eventsNotSent, redirects, trainingRows } = rest
  const noted = (count: unknown, noun: string, text: string) =>
    Number(count ?? 0) > 0 ? [`${formatQuantity(Number(count), noun)}${text}.`] : []
  return [
    ...(settings === 'from the file'
      ? [`The settings of this site ${isCheck ? 'become' : 'are now'} those in the file.`]
      : []),
    ...noted(redirects, 'redirect', ' from old addresses'),
    ...noted(trainingRows, 'training row', ''),
    ...noted(undated, 'article', ' without a date: published as of now'),
    ...noted(renamed, 'article', ' with a new slug in the file'),
    ...noted(eventsNotSent, 'webhook event', ' not sent'),
  ]
}
