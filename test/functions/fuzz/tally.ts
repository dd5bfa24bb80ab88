/** Counts requests by API or operation, and by status. */

export type Tally = Map<string, Map<number, number>>

export function count(tally: Tally, row: string, status: number): void {
  const counts = tally.get(row) ?? new Map<number, number>()
  tally.set(row, counts.set(status, (counts.get(status) ?? 0) + 1))
}

export function statusesOf(tally: Tally, row: string): number[] {
  return [...(tally.get(row)?.keys() ?? [])]
}

export function total(tally: Tally): number {
  return sum([...tally.values()].flatMap((counts) => [...counts.values()]))
}

/** The share of a row's requests, from 0 to 1, whose status matches. */
export function share(tally: Tally, row: string, isSuch: (status: number) => boolean): number {
  const counts = [...(tally.get(row) ?? [])]
  return sum(counts.filter(([status]) => isSuch(status)).map(([, n]) => n)) / sum(counts.map(([, n]) => n))
}

/** A line per row, a column per status. */
export function table(tally: Tally): string {
  const statuses = [...new Set([...tally.keys()].flatMap((row) => statusesOf(tally, row)))].sort()
  const line = (name: string, cells: unknown[]) =>
    name.padEnd(20) + cells.map((cell) => String(cell).padStart(6)).join('')
  const rows = [...tally].map(([row, counts]) =>
    line(
      row,
      statuses.map((status) => counts.get(status) ?? 0),
    ),
  )
  return [line('', statuses), ...rows].join('\n')
}

function sum(numbers: number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}
