/** Rejects with the signal's reason when it is aborted. */
export function wait(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const aborted = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }, ms)
    signal?.addEventListener('abort', aborted, { once: true })
  })
}

/** From `Retry-After`, which has seconds or a date; null without it. */
export function retryAfterMs({ headers }: Response): number | null {
  const value = headers.get('Retry-After')
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(ms, 0)
}
