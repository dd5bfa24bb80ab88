/** The result of a check or an import in words, and the next step. */
import type { ImportReport } from '../../../src/cli/upload/load.ts'
import type { Import } from '../../../src/sites/imports.ts'
import { formatQuantity } from '../parts/quantity.ts'

type Ended = Pick<Import, 'source' | 'problem' | 'confirmedAt'> & {
  isCheck: boolean
  report: ImportReport | null
}

type Outcome = {
  tone: 'success' | 'info' | 'warning' | 'danger'
  result: string
  next: string
  /** True if there is nothing to import. */
  isEmpty: boolean
}

export function outcomeOf({ source, isCheck, confirmedAt, problem, report }: Ended): Outcome {
  if (problem !== null || report === null) {
    const [result, next] = confirmedAt
      ? ['The import ended early', 'Import the file again to continue: nothing is imported twice.']
      : ['Nothing was imported', 'Correct the file, or use the command line.']
    return { tone: 'danger', result: `${result}: ${problem}.`, next: next!, isEmpty: true }
  }
  const { created, updated, unchanged, skipped } = report
  const refused = skipped.filter(({ isNoArticle }) => !isNoArticle).length
  const unit = source === 'ndjson' ? 'line' : 'article'
  const rest = restOf(report)
  if (created + updated + unchanged === 0 && rest.length === 0) return emptyOf(isCheck, refused, unit)
  const refusals = refused > 0 ? [`${formatQuantity(refused, unit)} refused`] : []
  const again =
    refused > 0 ? 'Correct the refused ones and import the file again: nothing is imported twice.' : ''
  if (isCheck) {
    const known = updated > 0 ? [`${formatQuantity(updated, 'existing one')} where they differ`] : []
    const counts = [formatQuantity(created, 'new article'), ...known, ...refusals]
    const next = refused > 0 ? 'Import the others now, or correct the file first: see the reasons below.' : ''
    return {
      tone: refused > 0 ? 'warning' : 'info',
      result: [`Ready to import: ${counts.join(', ')}.`, ...rest].join(' '),
      next: `Nothing is saved yet. ${next}`.trim(),
      isEmpty: false,
    }
  }
  const counts = [
    `${formatQuantity(created, 'article')} created`,
    `${updated.toLocaleString('en')} updated`,
    `${unchanged.toLocaleString('en')} unchanged`,
    ...refusals,
  ]
  const isSame = created + updated + refused === 0 && unchanged > 0
  const same = unchanged === 1 ? 'the article is' : `all ${formatQuantity(unchanged, 'article')} are`
  const result = isSame ? `Nothing changed: ${same} here already.` : `${counts.join(', ')}.`
  return {
    tone: refused > 0 ? 'warning' : 'success',
    result: [result, ...rest].join(' '),
    next: again,
    isEmpty: false,
  }
}

function emptyOf(isCheck: boolean, refused: number, unit: string): Outcome {
  const nothing = isCheck ? 'Nothing to import' : 'Nothing was imported'
  if (refused === 0)
    return {
      tone: 'warning',
      result: `${nothing}: the file has no articles.`,
      next: 'Choose another file.',
      isEmpty: true,
    }
  const all = refused === 1 ? `the only ${unit} is` : `all ${formatQuantity(refused, unit)} are`
  const next = 'See the reasons below, correct the file, and import it again.'
  return { tone: 'danger', result: `${nothing}: ${all} refused.`, next, isEmpty: true }
}

const NAMES: Record<string, string> = {
  redirects: 'Redirects',
  trainingRows: 'Training rows',
  settings: 'Settings',
  renamed: 'Renamed',
  eventsNotSent: 'Events not sent',
}

const goneText = (value: unknown) =>
  Array.isArray(value)
    ? `No longer in the source: ${formatQuantity(value.length, 'article')}, which stay here.`
    : ''

function restOf({ rest, undated }: ImportReport): string[] {
  const named = Object.entries(rest).flatMap(([name, value]) =>
    Object.hasOwn(NAMES, name) && value !== 0 && value !== 'unchanged' ? [`${NAMES[name]}: ${value}.`] : [],
  )
  const gone = goneText(rest.goneAtSource)
  return [
    ...named,
    ...(undated > 0 ? [`Without a date, so published as of now: ${undated}.`] : []),
    ...(gone ? [gone] : []),
  ]
}
