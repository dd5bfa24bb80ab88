/**
 * A table. Where its columns have no room, each row is a card: what it is about, and below in one line the other cells. Roles are
 * explicit, since with the `display` of a card elements lose their own.
 */
import type { Child } from 'hono/jsx'

type TableProps = {
  /** Names the rows for screen readers. */
  label: string
  /** Empty for cells that need no heading, such as links. */
  columns: string[]
  /** The first cell names the row. */
  rows: Child[][]
  /** Its columns are narrow numbers, which have room everywhere. */
  isNumbers?: boolean
}

export function Table({ label, columns, rows, isNumbers = false }: TableProps) {
  return (
    <div class={isNumbers ? 'numbers' : 'cards'}>
      <table role="table">
        <caption class="visually-hidden">{label}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) =>
              column ? (
                <th scope="col" role="columnheader">
                  {column}
                </th>
              ) : (
                <td role="cell" />
              ),
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(([first, ...rest]) => (
            <tr role="row">
              <th scope="row" role="rowheader" dir="auto">
                {first}
              </th>
              {rest.map((cell, index) => (
                <td role="cell" data-label={columns[index + 1]} dir="auto">
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
