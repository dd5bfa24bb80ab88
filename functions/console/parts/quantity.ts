/** `1 minute`, `2,400 minutes` */
export function formatQuantity(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** `2 posts and 1 key`, without zeros. A count equal to the limit stopped there. */
export function listQuantities(
  counts: readonly (readonly [count: number, one: string, many?: string])[],
  limit?: number,
): string {
  const lines = counts
    .filter(([count]) => count > 0)
    .map(([count, ...words]) =>
      count === limit ? formatCounted(count, limit, ...words) : formatQuantity(count, ...words),
    )
  return lines.join(', ').replace(/, ([^,]+)$/, ' and $1')
}

/** For counts that stop at a limit: `10,000 or more events`. */
export function formatCounted(count: number, limit: number, one: string, many = `${one}s`): string {
  return count < limit ? formatQuantity(count, one, many) : `${limit.toLocaleString('en')} or more ${many}`
}

/** Rounded down, so that 100% means all. Only nothing is 0%. */
export const formatShare = (part: number, whole: number) =>
  part > 0 && part * 100 < whole ? '<1%' : `${Math.floor((part / whole) * 100)}%`
