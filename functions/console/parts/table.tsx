/** Columns whose values need no label on cards. */
const UNLABELED = 'Attention Event Key Language Quality Site Source Time Updated Webhook When'.split(' ')

/** A table whose rows turn into cards on narrow screens. Their `display` removes the implicit roles, so roles are explicit. */
import type { Child } from 'hono/jsx'

type TableProps = {
  /** The caption, for screen readers. */
  label: string
  /** Empty for columns without a heading, and false for columns that are left out. */
  columns: (string | false)[]
  /** The first cell is the row heading. */
  rows: Child[][]
  /** Narrow numbers fit everywhere, so rows never turn into cards. */
  isNumbers?: boolean
  /** Columns of numbers, aligned at their end. */
  numbers?: string[]
  /** One line for each row on wide screens. The first cell is cut if it is too long. */
  isDense?: boolean
  /** The first column of a dense table leaves room for the others. */
  isEven?: boolean
}

export function Table({
  label,
  columns,
  rows,
  numbers = [],
  isNumbers = false,
  isDense = false,
  isEven = false,
}: TableProps) {
  const isShown = (_: unknown, index: number) => columns[index] !== false
  const shown = columns.filter((column) => column !== false)
  const kindOf = (column = '') =>
    numbers.includes(column) ? 'number' : UNLABELED.includes(column) ? 'clear' : undefined
  return (
    <div class={isNumbers ? 'numbers' : isDense ? `cards dense${isEven ? ' even' : ''}` : 'cards'}>
      <table role="table">
        <caption class="visually-hidden">{label}</caption>
        {shown.some(Boolean) && (
          <thead role="rowgroup">
            <tr role="row">
              {shown.map((column) =>
                column ? (
                  <th scope="col" role="columnheader" class={kindOf(column)}>
                    {column}
                  </th>
                ) : (
                  <td role="cell" />
                ),
              )}
            </tr>
          </thead>
        )}
        <tbody role="rowgroup">
          {rows
            .map((row) => row.filter(isShown))
            .map(([first, ...rest]) => (
              <tr role="row">
                <th scope="row" role="rowheader" dir="auto">
                  {first}
                </th>
                {rest.map((cell, index) => (
                  <td role="cell" class={kindOf(shown[index + 1])} data-label={shown[index + 1]} dir="auto">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  )
}
