/** `1 minute`, `2,400 minutes` */
export function formatQuantity(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`
}

/** For counts that stop at a limit: `10,000 events or more`. */
export function formatCounted(count: number, limit: number, one: string): string {
  return count < limit ? formatQuantity(count, one) : `${formatQuantity(limit, one)} or more`
}
