/** A table. On a narrow screen each row becomes a block whose cells name their column. */
import type { Child } from 'hono/jsx'

type TableProps = {
  /** What the rows are, for screen readers. */
  label: string
  /** Empty for cells that need no heading, such as links. */
  columns: string[]
  /** The first cell names the row. */
  rows: Child[][]
}

export function Table({ label, columns, rows }: TableProps) {
  return (
    <table>
      <caption class="visually-hidden">{label}</caption>
      <thead>
        <tr>{columns.map((column) => (column ? <th scope="col">{column}</th> : <td />))}</tr>
      </thead>
      <tbody>
        {rows.map(([first, ...rest]) => (
          <tr>
            <th scope="row">{first}</th>
            {rest.map((cell, index) => (
              <td data-label={columns[index + 1]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
