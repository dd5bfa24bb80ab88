/** Keeps each database response below Neon's limit of 10 MiB, however large the rows are. */

/** Leaves room for small fields and the protocol. */
export const RESPONSE_BUDGET_BYTES = 8 * 1024 * 1024

/** Keeps the order. A row larger than the budget is a group of its own. */
export function groupByBytes<Row>(rows: Row[], bytes: (row: Row) => number): Row[][] {
  const groups: Row[][] = []
  let room = 0
  for (const row of rows) {
    if (groups.length === 0 || bytes(row) > room) {
      groups.push([])
      room = RESPONSE_BUDGET_BYTES
    }
    groups.at(-1)!.push(row)
    room -= bytes(row)
  }
  return groups
}
