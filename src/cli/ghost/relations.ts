/** Relations of an export in little memory, since there may be a million rows. */

/** Replaces ids by numbers, which take less memory. */
export function createIdMap() {
  const numbers = new Map<string, number>()
  return {
    of: (id: string): number | undefined => numbers.get(id),
    give(id: string): number {
      const number = numbers.get(id) ?? numbers.size
      numbers.set(id, number)
      return number
    },
  }
}

/** Ordered many-to-many relation: a linked list for each post, stored in arrays of numbers. */
export function createRelation() {
  const last: number[] = []
  const before: number[] = []
  const orders: number[] = []
  const others: number[] = []
  return {
    add(post: number, order: unknown, other: number): void {
      before.push(last[post] ?? -1)
      orders.push(Number(order) || 0)
      others.push(other)
      last[post] = others.length - 1
    },
    of(post: number): number[] {
      const entries: number[] = []
      for (let entry = last[post] ?? -1; entry >= 0; entry = before[entry] ?? -1) entries.push(entry)
      return entries
        .reverse()
        .sort((a, b) => (orders[a] ?? 0) - (orders[b] ?? 0))
        .map((entry) => others[entry] ?? -1)
    },
  }
}
