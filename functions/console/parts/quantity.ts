/** `1 minute`, `2,400 minutes` */
export function formatQuantity(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`
}
