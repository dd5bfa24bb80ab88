/** Lets work continue after the request that started it, whose client may be gone. */
type Defer = (work: Promise<unknown>) => void

type Flight<Result> = { number: number; landed: Promise<Result> }

export class SingleFlight<Result> {
  readonly #maxWaitMs: number
  readonly #flights = new Map<string, Flight<Result>>()
  #started = 0

  /** `maxWaitMs` limits the wait, in case the work never ends. */
  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs
  }

  /** Shares work that starts after this call, so that the result is as fresh as one's own. @throws what the work throws */
  async share(key: string, work: () => Promise<Result>, defer: Defer): Promise<Result> {
    const before = this.#started
    for (let flight = this.#flights.get(key); flight; flight = this.#flights.get(key)) {
      const landed = await this.#wait(key, flight)
      if (landed && flight.number > before) return landed.result
    }
    return this.lead(key, work, defer)
  }

  /** Undefined without current work, or after `maxWaitMs`. @throws what the work throws */
  underWay(key: string): Promise<Result | undefined> | undefined {
    const flight = this.#flights.get(key)
    return flight && this.#wait(key, flight).then((landed) => landed?.result)
  }

  lead<Own extends Result>(key: string, work: () => Promise<Own>, defer: Defer): Promise<Own> {
    const number = ++this.#started
    const landed = work().finally(() => this.#end(key, number))
    this.#flights.set(key, { number, landed })
    defer(landed.catch(() => {}))
    return landed
  }

  async #wait(key: string, { number, landed }: Flight<Result>): Promise<{ result: Result } | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    // Belongs to this request. Without a timer, the runtime would kill a request that only waits for another.
    const timer = setTimeout(() => {
      this.#end(key, number)
      resolve(undefined)
    }, this.#maxWaitMs)
    try {
      return await Promise.race([landed.then((result) => ({ result })), late])
    } finally {
      clearTimeout(timer)
    }
  }

  #end(key: string, number: number): void {
    if (this.#flights.get(key)?.number === number) this.#flights.delete(key)
  }
}
