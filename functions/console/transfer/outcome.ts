/** The result of a check or an import in words, and the next step. */
import type { Import } from '../../../src/sites/imports.ts'
import { formatQuantity } from '../parts/quantity.ts'
import type { ImportReport } from './options.ts'

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

const AGAIN = 'correct the file and import it again. Imported articles are not imported twice.'

export function outcomeOf({ source, isCheck, confirmedAt, problem, report }: Ended): Outcome {
  if (problem !== null || report === null) {
    const [result, next] = confirmedAt
      ? [
          'The import ended early',
          'Import the file again to continue: saved articles are not imported twice.',
        ]
      : ['Nothing was imported', 'Correct the file, or use the command line.']
    return { tone: 'danger', result: `${result}: ${problem}.`, next: next!, isEmpty: true }
  }
  const { created, updated, unchanged, skipped } = report
  const refused = skipped.filter(({ isNoArticle }) => !isNoArticle).length
  const rest = restOf(report)
  const taken = created + updated + unchanged
  const unit = source === 'ndjson' ? 'line' : 'article'
  if (taken === 0 && refused === 0 && rest.length === 0)
    return {
      tone: 'warning',
      result: 'Nothing to import: the file has no articles.',
      next: '',
      isEmpty: true,
    }
  if (taken === 0 && refused > 0 && rest.length === 0) {
    const all = refused === 1 ? `the only ${unit} is` : `all ${formatQuantity(refused, unit)} are`
    return {
      tone: 'danger',
      result: `Nothing ${isCheck ? 'to import' : 'was imported'}: ${all} refused.`,
      next: `See the reasons below, ${AGAIN}`,
      isEmpty: true,
    }
  }
  const refusals = refused > 0 ? [`${formatQuantity(refused, unit)} refused`] : []
  const tone = refused > 0 ? 'warning' : isCheck ? 'info' : 'success'
  const next = refused > 0 ? `For the refused ones, ${AGAIN}` : ''
  if (isCheck) {
    const would = [
      `${formatQuantity(created, 'article')} created`,
      `${updated} updated where they differ`,
      ...refusals,
    ]
    const result = `Would be ${would.join(', ')}. ${rest.join(' ')}`.trim()
    return { tone, result, next: `Nothing is imported yet. ${next}`.trim(), isEmpty: false }
  }
  const counts = [
    `${formatQuantity(created, 'article')} created`,
    `${updated} updated`,
    `${unchanged} unchanged`,
  ]
  const isSame = created + updated + refused === 0 && unchanged > 0
  const result = isSame
    ? `Nothing changed: ${unchanged === 1 ? 'the article is' : `all ${formatQuantity(unchanged, 'article')} are`} here already.`
    : `${[...counts, ...refusals].join(', ')}.`
  return { tone, result: [result, ...rest].join(' '), next, isEmpty: false }
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
