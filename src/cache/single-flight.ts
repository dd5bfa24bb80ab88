/** Callers that have waited longer for earlier work don't retry when it fails, because their own time runs out. */
export const RETRY_WITHIN_MS = 500

/** Lets work continue after the request that started it, whose client may be gone. */
type Defer = (work: Promise<unknown>) => void

type Work<Result> = { number: number; result: Promise<Result> }

export class SingleFlight<Result> {
  readonly #maxWaitMs: number
  readonly #pending = new Map<string, Work<Result>>()
  #started = 0

  /** `maxWaitMs` limits the wait, in case the work never ends. */
  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs
  }

  /**
   * Shares work that starts after this call, so that the result is as fresh as one's own.
   * @throws what the work throws, and what earlier work throws after RETRY_WITHIN_MS
   */
  async share(key: string, work: () => Promise<Result>, defer: Defer): Promise<Result> {
    const before = this.#started
    const retryUntil = Date.now() + RETRY_WITHIN_MS
    for (let pending = this.#pending.get(key); pending; pending = this.#pending.get(key)) {
      const isSettled = await this.#settles(key, pending)
      if (isSettled && pending.number > before) return pending.result
      if (isSettled && Date.now() > retryUntil) await pending.result
    }
    return this.lead(key, work, defer)
  }

  has(key: string): boolean {
    return this.#pending.has(key)
  }

  /** Undefined without current work, or after `maxWaitMs`. @throws what the work throws */
  pending(key: string): Promise<Result | undefined> | undefined {
    const pending = this.#pending.get(key)
    return (
      pending && this.#settles(key, pending).then((isSettled) => (isSettled ? pending.result : undefined))
    )
  }

  lead<Own extends Result>(key: string, work: () => Promise<Own>, defer: Defer): Promise<Own> {
    const number = ++this.#started
    const result = work().finally(() => this.#end(key, number))
    this.#pending.set(key, { number, result })
    defer(result.catch(() => {}))
    return result
  }

  /** False if the work takes too long. */
  #settles(key: string, { number, result }: Work<Result>): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<false>()
    // Belongs to this request. Without a timer, the runtime would kill a request that only waits for another.
    const timer = setTimeout(() => {
      this.#end(key, number)
      resolve(false)
    }, this.#maxWaitMs)
    const settled = () => true
    return Promise.race([result.then(settled, settled), late]).finally(() => clearTimeout(timer))
  }

  #end(key: string, number: number): void {
    if (this.#pending.get(key)?.number === number) this.#pending.delete(key)
  }
}
