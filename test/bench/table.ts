/** Rows as a Markdown table, its columns aligned: words to the left, numbers to the right. */
export function table(rows: Record<string, string>[]): string {
  const columns = Object.keys(rows[0]!).map((name) => {
    const values = rows.map((row) => row[name]!)
    return {
      name,
      values,
      width: Math.max(...[name, ...values].map((text) => text.length)),
      numbers: values.every((value) => /^[\d., ]*$/.test(value)),
    }
  })
  const pad = (text: string, { width, numbers }: (typeof columns)[number]) =>
    numbers ? text.padStart(width) : text.padEnd(width)
  const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`
  const head = line(columns.map((column) => pad(column.name, column)))
  const rule = line(columns.map(({ width, numbers }) => '-'.repeat(width - 1) + (numbers ? ':' : '-')))
  const body = rows.map((_, at) => line(columns.map((column) => pad(column.values[at]!, column))))
  return head + rule + body.join('')
}
