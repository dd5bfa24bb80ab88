/** Keeping each answer of the database below the driver's limit of 10 MiB, whatever the rows weigh. */

/** Leaves room for the small fields of the rows and for the protocol around them. */
export const RESPONSE_BUDGET_BYTES = 8 * 1024 * 1024

/** Cuts rows, in order, into groups whose weights fit the budget; a row heavier than that stands alone. */
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
